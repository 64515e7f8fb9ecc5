"""Answers of posters to the removal of their articles, which wait for the moderators."""

from voteweb.core import config
from voteweb.core.errors import AnsweredBefore, NoSuchArticle, NotRemoved, NotYours
from voteweb.core.models import Article, ArticleStatus, Role, User
from voteweb.store.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import article_member
from voteweb.store.moderation_log import NewLogEntry
from voteweb.store.rows import queue_in_state
from voteweb.store.told import who_is_told


class Answers:
    """The answers of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def make(self, id: int, poster: User, text: str) -> None:
        """Answer the removal of the article of *poster*. Raises NotRemoved, AnsweredBefore, NotYours, NoSuchArticle.

        LoggedOut and Held, too.
        """
        article, answers, member = self._keys.article(id), self._keys.answers(), article_member(id)

        def decide(attempt: Attempt) -> list[Command]:
            (title, gone, before), place = attempt.read(
                ("HMGET", article, "title", "gone", "answer"), ("ZSCORE", self._keys.gone(poster.name), member)
            )
            if title is None:
                raise NoSuchArticle()
            if gone != ArticleStatus.REMOVED:
                raise NotRemoved()
            if place is None:
                raise NotYours()
            if before is not None and before != text:
                raise AnsweredBefore()
            answer: Command = ("HSET", article, "answer", text, "answered", attempt.now)
            return [answer, ("ZADD", answers, attempt.now, member)] if before is None else []

        commit(self._connection, decide, actor=poster, role=Role.MEMBER)

    def keep_removed(self, article: Article, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Leave *article* removed, and tell its poster; tell whether an answer waited for that.

        *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed.
        """
        answers, member = self._keys.answers(), article_member(article.id)

        def decide(attempt: Attempt) -> list[Command]:
            (waits,) = attempt.read(("ZSCORE", answers, member))
            attempt.told = who_is_told(entry.who, article.poster)
            settled: list[Command] = [("HDEL", self._keys.article(article.id), "answered"), ("ZREM", answers, member)]
            return settled if waits is not None else []

        return commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many answers wait."""
        return pipeline.queue([("ZCARD", self._keys.answers())], lambda replies: int(replies[0]))

    def queue_waiting(self, pipeline: Pipeline) -> Future[tuple[Article, ...]]:
        """Queue a read of the newest QUEUED_ANSWERS articles whose answers wait."""
        ranking, count = self._keys.answers(), config.QUEUED_ANSWERS
        return queue_in_state(pipeline, self._keys, ranking, count, ArticleStatus.REMOVED)

    def queue_removed(self, pipeline: Pipeline, name: str) -> Future[tuple[Article, ...]]:
        """Queue a read of a member's removed articles, among the newest SHOWN_REMOVALS of those that are gone."""
        ranking, count = self._keys.gone(name), config.SHOWN_REMOVALS
        return queue_in_state(pipeline, self._keys, ranking, count, ArticleStatus.REMOVED)
