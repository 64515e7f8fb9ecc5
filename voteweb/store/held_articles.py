"""Held articles: those that wait for a moderator, who releases them or removes them."""

from voteweb.core import clock, config, links
from voteweb.core.config import Settings
from voteweb.core.errors import Conflict, NoSuchArticle, StaleEdit
from voteweb.core.models import Article, ArticleStatus, User
from voteweb.store.actors import ActorArguments, actor_arguments
from voteweb.store.article_lists import group_keys, ranking_arguments, site_lists
from voteweb.store.articles import read_stored
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import article_member
from voteweb.store.moderation_log import LogArguments, ModerationLog, NewLogEntry
from voteweb.store.rows import queue_in_state
from voteweb.store.told import told_arguments


class HeldArticles:
    """The articles of one site that wait for a moderator."""

    def __init__(self, connection: Connection, settings: Settings, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._log = moderation_log

    def release(self, id: int, entry: NewLogEntry, *, actor: User | None = None, revision: int | None = None) -> bool:
        """Publish an article now, with its poster's own vote; tell its poster. Return whether it waited.

        *actor* is the moderator who does it, None the operator; *revision* the one that they saw, None for any. Raises
        NoSuchArticle, StaleEdit, LoggedOut, NotAllowed, Conflict.
        """
        log, checked, now = self._log.prepare(entry), actor_arguments(self._keys, actor), clock.now()
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            outcome = self._release(read_stored(self._connection, id), entry, log, checked, revision, now)
            if outcome.status == "unknown":
                raise NoSuchArticle()
            if outcome.status == "stale":
                raise StaleEdit()
            if outcome.status != "again":
                return outcome.status == "released"
            now = float(outcome.values[0])  # the database's clock may say another day
        raise Conflict()

    def _release(
        self,
        article: Article,
        entry: NewLogEntry,
        log: LogArguments,
        actor: ActorArguments,
        revision: int | None,
        now: float,
    ) -> Outcome:
        keys, settings, lists = self._keys, self._settings, site_lists(self._keys, now, article.link)
        told = told_arguments(keys, entry.who, article.poster)
        return self._connection.script(
            "release_article",
            [
                keys.article(article.id),
                keys.voted(article.id),
                *lists.keys,
                keys.posted(article.poster),
                keys.gone(article.poster),
                keys.link(links.digest(article.link)),
                keys.user(article.poster or config.DELETED_MEMBER),
                keys.held_articles(),
                keys.groups(),
                keys.changes(),
                *group_keys(keys, article.groups),
                *told.keys,
                *log.keys,
                *actor.keys,
            ],
            [
                *log.arguments,
                article_member(article.id),
                settings.own_vote,
                *ranking_arguments(settings),
                *lists.arguments,
                settings.voting_seconds,
                config.VOTERS_GRACE_SECONDS,
                config.LINK_SECONDS,
                article.link,
                article.poster,
                "" if revision is None else revision,
                *article.groups,
                *told.arguments,
                *actor.arguments,
            ],
        )

    def is_held(self, id: int) -> bool:
        """Tell whether an article waits for a moderator."""
        return self._connection.command("ZSCORE", self._keys.held_articles(), article_member(id)) is not None

    def queue_of_member(self, pipeline: Pipeline, name: str) -> Future[tuple[Article, ...]]:
        """Queue a read of the articles of a member that wait, of the newest MAX_HELD_SHOWN that are in no list."""
        return self._queue(pipeline, self._keys.gone(name))

    def find_own(self, name: str, link: str) -> Article | None:
        """Return the article of a member with this *link* that waits, if there is one."""
        pipeline = self._connection.pipeline()
        held = self.queue_of_member(pipeline, name)
        pipeline.execute()
        digest = links.digest(link)
        return next((article for article in held.result if links.digest(article.link) == digest), None)

    def queue_count(self, pipeline: Pipeline) -> Future[int]:
        """Queue a read of how many articles wait."""
        return pipeline.queue([("ZCARD", self._keys.held_articles())], lambda replies: int(replies[0]))

    def queue_newest(self, pipeline: Pipeline) -> Future[tuple[Article, ...]]:
        """Queue a read of the newest MAX_HELD_SHOWN articles that wait."""
        return self._queue(pipeline, self._keys.held_articles())

    def _queue(self, pipeline: Pipeline, ranking: str) -> Future[tuple[Article, ...]]:
        return queue_in_state(pipeline, self._keys, ranking, config.MAX_HELD_SHOWN, ArticleStatus.HELD)
