"""Held articles: those that wait for a moderator, who releases them or removes them."""

from dataclasses import replace

from voteweb.core import config, links
from voteweb.core.errors import StaleEdit
from voteweb.core.models import Article, ArticleStatus, User
from voteweb.core.ranking import voting_end
from voteweb.store.articles.places import ArticlePlaces, StoredArticle
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import article_member
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.changes import record_change
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rows import queue_in_state
from voteweb.store.site.site_settings import settings_of
from voteweb.store.site.told import who_is_told


class HeldArticles(StorePart):
    """The articles of one site that wait for a moderator."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = ArticlePlaces(context)

    def release(self, id: int, entry: NewLogEntry, *, actor: User | None = None, revision: int | None = None) -> bool:
        """Publish an article now, with its poster's own vote; tell its poster. Return whether it waited.

        *actor* is the moderator who does it, None the operator; *revision* the one that they saw, None for any. Raises
        NoSuchArticle, StaleEdit, LoggedOut, NotAllowed, Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            stored = self._places.read(attempt, id, "revision")
            if stored.article.status is not ArticleStatus.HELD:
                return []
            if revision not in (None, stored.article.revision):
                raise StaleEdit()
            attempt.told = who_is_told(entry.who, stored.article.poster)
            return self._release(attempt, stored)

        return commit(self._connection, decide, actor=actor, entry=entry, when_full=True)

    def _release(self, attempt: Attempt, stored: StoredArticle) -> list[Command]:
        """Return the writes that publish an article now: voting on it begins."""
        keys, article = self._keys, stored.article
        settings = settings_of(attempt, keys, self._settings)
        key, voted, time = keys.article(article.id), keys.voted(article.id), self._places.free_time(attempt)
        (poster_id,) = attempt.read(("HGET", keys.user(article.poster or config.DELETED_MEMBER), "id"))
        after = replace(
            article,
            status=ArticleStatus.LISTED,
            time=float(time),
            votes=settings.own_vote,
            closes=None,
            groups=self._places.existing_groups(attempt, article.groups),
        )
        closes = voting_end(after, settings.voting_seconds)
        votes, base = settings.own_vote, settings.own_vote - (poster_id is not None)
        voters: list[Command] = [("UNLINK", voted)]
        if poster_id is not None:
            voters += [("SADD", voted, poster_id), ("EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS)]
        return [
            *voters,
            *self._places.place(attempt, stored, after),
            ("HSET", key, "time", time, "votes", votes, "base", base, "closes", closes, "released", "1"),
            ("HSET", key, "groups", " ".join(after.groups)),
            record_change(keys, "a", article.id),
        ]

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
