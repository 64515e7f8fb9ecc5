"""Answers of posters to the removal of their articles, which wait for the moderators."""

from voteweb.core import config
from voteweb.core.errors import AnsweredBefore, NotRemoved, NotYours
from voteweb.core.models import Article, ArticleStatus, Role, User
from voteweb.core.names import name_key
from voteweb.store.articles.places import ArticlePlaces
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import Keys, article_member
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rows import queue_in_state
from voteweb.store.site.told import who_is_told


class Answers(StorePart):
    """The answers of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = ArticlePlaces(context)

    def make(self, id: int, poster: User, text: str) -> None:
        """Answer the removal of the article of *poster*. Raises NotRemoved, AnsweredBefore, NotYours, NoSuchArticle.

        LoggedOut and Held, too.
        """
        key, answers, member = self._keys.article(id), self._keys.answers(), article_member(id)

        def decide(attempt: Attempt) -> list[Command]:
            article = self._places.read(attempt, id, "answer").article
            if article.status is not ArticleStatus.REMOVED:
                raise NotRemoved()
            if name_key(article.poster) != name_key(poster.name):
                raise NotYours()
            if article.answer == text:
                return []
            if article.answer:
                raise AnsweredBefore()
            return [("HSET", key, "answer", text, "answered", attempt.now), ("ZADD", answers, attempt.now, member)]

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


def without_answer(keys: Keys, id: int) -> list[Command]:
    """Return the writes that forget the answer of a poster to a removal."""
    return [("HDEL", keys.article(id), "answer", "answered"), ("ZREM", keys.answers(), article_member(id))]
