"""Answers of posters to the removal of their articles, which wait for the moderators."""

from voteweb.core import config
from voteweb.core.errors import AnsweredBefore, NoSuchArticle, NotRemoved, NotYours
from voteweb.core.models import Article, ArticleStatus, Role, User
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import article_member
from voteweb.store.moderation_log import ModerationLog, NewLogEntry
from voteweb.store.rows import queue_in_state
from voteweb.store.told import told_arguments


class Answers:
    """The answers of one site."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def make(self, id: int, poster: User, text: str) -> None:
        """Answer the removal of the article of *poster*. Raises NotRemoved, AnsweredBefore, NotYours, NoSuchArticle.

        LoggedOut and Held, too.
        """
        keys, actor = self._keys, actor_arguments(self._keys, poster, Role.MEMBER)
        outcome = self._connection.script(
            "answer_removal",
            [keys.article(id), keys.gone(poster.name), keys.answers(), *actor.keys],
            [article_member(id), text, *actor.arguments],
        )
        match outcome.status:
            case "unknown":
                raise NoSuchArticle()
            case "not-removed":
                raise NotRemoved()
            case "not-yours":
                raise NotYours()
            case "already":
                raise AnsweredBefore()

    def keep_removed(self, article: Article, entry: NewLogEntry, *, actor: User | None = None) -> bool:
        """Leave *article* removed, and tell its poster; tell whether an answer waited for that.

        *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed.
        """
        keys, log, checked = self._keys, self._log.prepare(entry), actor_arguments(self._keys, actor)
        told = told_arguments(keys, entry.who, article.poster)
        outcome = self._connection.script(
            "keep_removed",
            [keys.article(article.id), keys.answers(), *told.keys, *log.keys, *checked.keys],
            [*log.arguments, article_member(article.id), *told.arguments, *checked.arguments],
        )
        return outcome.status == "kept"

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
