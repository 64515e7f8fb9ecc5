"""Dump all articles, each with its voters, its open reports and its link at one instant."""

from collections.abc import Iterable, Iterator, Sequence

from voteweb.core import config, links
from voteweb.core.errors import Conflict
from voteweb.store.backup import records
from voteweb.store.bitmap import Bitmap
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys, article_member, is_member_id
from voteweb.store.scanner import MAX_VOTERS_PER_READ, Scanner, batched, split_evenly


def dump_articles(scanner: Scanner) -> Iterator[records.Article]:
    """Yield every article once."""
    keys, seen = scanner.site_keys, Bitmap()
    for ids in batched(id for id in scanner.article_ids() if seen.add(id)):
        facts = scanner.run_atomic(
            [command for id in ids for command in (("HGET", keys.article(id), "link"), ("SCARD", keys.voted(id)))]
        )
        links_of = dict(zip(ids, facts[::2], strict=True))
        for portion in portions(ids, facts[1::2]):
            yield from _read(scanner, portion, links_of)


def portions(ids: Sequence[int], voter_counts: Iterable[int]) -> Iterator[list[int]]:
    """Yield *ids* in lists of articles that have MAX_VOTERS_PER_READ voters at most, or of one alone."""
    portion: list[int] = []
    total = 0
    for id, count in zip(ids, voter_counts, strict=True):
        if portion and total + count > MAX_VOTERS_PER_READ:
            yield portion
            portion, total = [], 0
        portion.append(id)
        total += count
    yield portion


def _read(scanner: Scanner, ids: list[int], links_of: dict[int, str | None]) -> Iterator[records.Article]:
    """Yield these articles; one whose link has changed is read again, since its key is another."""
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        commands = [command for id in ids for command in _commands(scanner.site_keys, id, links_of[id])]
        replies = split_evenly(scanner.run_atomic(commands), len(ids))
        changed = []
        for id, (fields, voters, voters_until, reports, linked, linked_until) in zip(ids, replies, strict=True):
            if not fields:
                continue  # another program deleted it
            if fields.get("link") != links_of[id]:
                links_of[id] = fields.get("link")
                changed.append(id)
                continue
            yield records.Article(
                id=id,
                fields=fields,
                voters=sorted(map(_voter, voters), key=lambda voter: (isinstance(voter, str), voter)),
                voters_until=expiry_or_none(voters_until),
                reports=reports,
                linked=linked is not None,
                linked_until=expiry_or_none(linked_until),
            )
        ids = changed
        if not ids:
            return
    raise Conflict()


def _commands(keys: Keys, id: int, link: str | None) -> list[Command]:
    voted, linked = keys.voted(id), keys.link(links.digest(link or ""))
    return [
        ("HGETALL", keys.article(id)),
        ("SMEMBERS", voted),
        ("PEXPIRETIME", voted),
        ("HGETALL", keys.report(id)),
        ("ZSCORE", linked, article_member(id)),
        ("PEXPIRETIME", linked),
    ]


def expiry_or_none(milliseconds: int) -> int | None:
    """Return when a key expires; below zero Redis says that it does not exist, or never expires."""
    return milliseconds if milliseconds >= 0 else None


def _voter(stored: str) -> int | str:
    """Return a voter: our ids as numbers, the names of a program written after the book as they are."""
    return int(stored) if is_member_id(stored) else stored
