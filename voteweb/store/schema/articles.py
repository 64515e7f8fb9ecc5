"""Layout 1: an article says when voting on it ends."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.core.ranking import voting_end
from voteweb.store import decoding
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scanner import Scanner, batched, split_evenly


def convert(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """Store with each article when voting on it ends; yield after each step how many it converted.

    What a program after the book stored (it has no ``base``) stays as it is. Voting ends now on an article whose voters
    are lost: the next vote would end it too.
    """
    scanner = Scanner(connection)
    keys = scanner.site_keys
    for ids in batched(scanner.article_ids()):
        reads: list[Command] = []
        for id in ids:
            key = keys.article(id)
            reads += [("HMGET", key, *decoding.FIELDS), ("HGET", key, "base"), ("SCARD", keys.voted(id))]
        (seconds, _), *replies = scanner.run_atomic([("TIME",), *reads])
        writes: list[Command] = []
        for id, (values, base, voters) in zip(ids, split_evenly(replies, len(ids)), strict=True):
            article = decoding.article(id, values)
            if article is None or article.closes is not None or base is None:
                continue
            end = voting_end(article, settings.voting_seconds)
            is_lost = not voters and article.is_listed and str(article.votes) != base
            writes.append(("HSET", keys.article(id), "closes", min(end, int(seconds)) if is_lost else end))
        if writes and not dry_run:
            connection.run(writes)
        yield len(writes)
