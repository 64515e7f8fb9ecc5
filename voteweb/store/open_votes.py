"""Open votes: which articles a member has voted for and can still take the vote back, kept by every vote."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

from voteweb.core import clock, config
from voteweb.core.config import Settings
from voteweb.core.models import Article, ArticleStatus, Page
from voteweb.core.ranking import voting_end
from voteweb.store import decoding
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.keys import article_member, is_member_id
from voteweb.store.rows import read_rows
from voteweb.store.scanner import Scanner, batched

#: Commands in one round trip of a rebuild.
COMMANDS_PER_STEP = 1_000


class OpenVotes:
    """The open votes of one site's members, without those on their own articles."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings

    def queue_page(
        self, pipeline: Pipeline, member_id: int, number: int, *, size: int | None = None
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of the articles a member has open votes on, the newest first."""
        key, size, now = self._keys.open_votes(member_id), size or self._settings.page_size, clock.now()
        start = (number - 1) * size

        def parse(replies: list[Any]) -> Page[Article]:
            total, rows = replies
            articles = [replace(article, voted=True) for article in decoding.rows(rows) if article]
            present = [article for article in articles if now < self._end(article)]
            present.sort(key=lambda article: (self._end(article), article.time, article.id), reverse=True)
            return Page(tuple(present), number, total, first_rank=start + 1, more=total > start + size)

        commands = [("ZCOUNT", key, f"({now}", "+inf"), read_rows(self._keys, key, start, size, decoding.FIELDS)]
        return pipeline.queue(commands, parse)

    def all(self, member_id: int) -> Iterator[Article]:
        """Yield all articles a member has open votes on, the newest first, read in batches of READ_BATCH_SIZE."""
        number, is_complete = 1, False
        while not is_complete:
            pipeline = self._connection.pipeline()
            page = self.queue_page(pipeline, member_id, number, size=config.READ_BATCH_SIZE)
            pipeline.execute()
            yield from page.result.rows
            number, is_complete = number + 1, not page.result.more

    def _end(self, article: Article) -> int:
        return voting_end(article, self._settings.voting_seconds)


def rebuild(connection: Connection, settings: Settings) -> None:
    """Compute all open votes from the voters of the articles.

    For data that no site serves, as at the end of a restore. May run again. Members who left have
    no such list, while their votes stay counted; nor have voters of another program, whose ids were never given out.
    """
    scanner = Scanner(connection)
    keys = scanner.site_keys
    counter = connection.command("GET", keys.last_user_id()) or ""
    last_id = int(counter) if is_member_id(counter) else inf
    for ids in batched(scanner.article_ids()):
        reads: list[Command] = [("TIME",), *(("HMGET", keys.article(id), *decoding.FIELDS) for id in ids)]
        (seconds, _), *values = scanner.run_atomic(reads)
        read = (decoding.article(id, fields) for id, fields in zip(ids, values, strict=True))
        articles = [article for article in read if article]
        ends = {article: voting_end(article, settings.voting_seconds) for article in articles}
        still_open = [a for a in articles if a.status is not ArticleStatus.DELETED and int(seconds) < ends[a]]
        voters = scanner.run_atomic([("SMEMBERS", keys.voted(article.id)) for article in still_open])
        posters = scanner.run_atomic([("HGET", keys.user(article.poster or "?"), "id") for article in still_open])
        open_votes: dict[str, dict[str, int]] = defaultdict(dict)
        for article, voter_ids, poster_id in zip(still_open, voters, posters, strict=True):
            for id in voter_ids:
                if is_member_id(id) and int(id) <= last_id and id != poster_id:
                    open_votes[id][article_member(article.id)] = ends[article]
        writes = [command for id, votes in open_votes.items() for command in _commands(keys.open_votes(id), votes)]
        for step in batched(writes, COMMANDS_PER_STEP):
            connection.run(step)
    for batch in batched(scanner.keys(keys.user("?*"))):
        members = scanner.run_atomic([("HMGET", key, "id", "left") for key in batch])
        if gone := [keys.open_votes(id) for id, left in members if id is not None and left is not None]:
            connection.command("UNLINK", *gone)


def _commands(key: str, votes: dict[str, int]) -> list[Command]:
    """Return the commands that add *votes*, the end of voting by article, to the open votes of one member."""
    expires = max(votes.values()) + config.VOTERS_GRACE_SECONDS
    return [
        ("ZADD", key, *(item for member, end in votes.items() for item in (end, member))),
        ("ZREMRANGEBYRANK", key, 0, -config.MAX_OPEN_VOTES - 1),
        ("EXPIREAT", key, expires, "NX"),
        ("EXPIREAT", key, expires, "GT"),
    ]
