"""Snapshots of conversations: what the keys of each contain at one instant, which its revision proves.

A large one is read in several steps. Its revision changes with every write, so that it tells whether one came between.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from voteweb.core import config
from voteweb.core.comments import Thread
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import MAX_VOTERS_PER_READ, Scanner
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_thread

#: Fields that Redis returns in one block: about a millisecond; the largest conversation alone.
STEP_SIZE = 5_000
#: Bits of a bitmap that one GET of BITFIELD returns.
_BITS = 32
_WHOLE = re.compile(r"[0-9]{1,15}")

T = TypeVar("T")


class Block(NamedTuple):
    """The voters of a block of comments; ``expires`` is in unix milliseconds, as PEXPIRETIME tells it."""

    expires: int
    voters: frozenset[str]

    @property
    def is_open(self) -> bool:
        """Tell whether all voters are there: the member 0 is, with which the set was made."""
        return "0" in self.voters


class ThreadSnapshot(NamedTuple):
    """One conversation at the unix time ``now``."""

    now: float
    id: int
    fields: dict[str, str]
    #: The conversation as pages read it, without the comments that cannot be read.
    thread: Thread
    #: The fields ``title``, ``time`` and ``comments`` of the article, as stored.
    article: list[str | None]
    #: The numbers up to ``last`` whose bits are 1, and how many bits of the whole bitmap are.
    hidden: frozenset[int]
    hidden_bits: int
    is_removing: bool
    words: frozenset[str]
    blocks: dict[int, Block]


def last_number(fields: dict[str, str]) -> int:
    """Return the stored number of the last comment, 0 if it is none that a conversation can have."""
    last = fields.get("last", "")
    return int(last) if _WHOLE.fullmatch(last) and int(last) <= config.MAX_COMMENTS else 0


def guard_reads(keys: Keys, id: int) -> list[Command]:
    """Return the commands whose replies tell whether a conversation is still as in its snapshot, but for its voters.

    A removal that is hiding comments gives it no other revision.
    """
    return [
        ("HGET", keys.thread(id), "rev"),
        ("HMGET", keys.article(id), "title", "time", "comments"),
        ("SISMEMBER", keys.removing(), id),
        ("BITCOUNT", keys.hidden(id)),
    ]


def take_thread_snapshots(scanner: Scanner, ids: Sequence[int]) -> Iterator[tuple[int, ThreadSnapshot | None]]:
    """Yield each of *ids* with its snapshot, or with None if the conversation changed while it was read."""
    keys = scanner.site_keys
    sizes = scanner.run_atomic([read for id in ids for read in (("HLEN", keys.thread(id)), ("HLEN", keys.words(id)))])
    for step in _steps(list(zip(ids, map(sum, zip(sizes[::2], sizes[1::2], strict=True)), strict=True)), STEP_SIZE):
        yield from _take(scanner, step)


def _steps(items: Sequence[tuple[T, int]], size: int) -> Iterator[list[T]]:
    """Yield *items*, each with what it costs, in steps that cost at most *size*, but for a single one that does."""
    step: list[T] = []
    total = 0
    for item, cost in items:
        if step and total + cost > size:
            yield step
            step, total = [], 0
        step.append(item)
        total += cost
    if step:
        yield step


def _take(scanner: Scanner, ids: list[int]) -> Iterator[tuple[int, ThreadSnapshot | None]]:
    keys = scanner.site_keys
    stored = scanner.run_atomic([("HGET", keys.thread(id), "last") for id in ids])
    lasts = {id: last_number({"last": last or ""}) for id, last in zip(ids, stored, strict=True)}
    blocks = {id: range(last // config.VOTER_BLOCK + 1) for id, last in lasts.items()}
    reads = {id: _reads(keys, id, lasts[id]) for id in ids}
    (seconds, microseconds), *replies = scanner.run_atomic(
        [("TIME",), *(read for own in reads.values() for read in own)]
    )
    now, rest = int(seconds) + int(microseconds) / 1_000_000, iter(replies)
    parts = {id: list(islice(rest, len(own))) for id, own in reads.items()}
    counts = {(id, block): parts[id][7 + 2 * block] for id in ids for block in blocks[id]}
    voters = _read_voters(scanner, counts)
    revisions = scanner.run_atomic([("HGET", keys.thread(id), "rev") for id in ids])
    for id, revision in zip(ids, revisions, strict=True):
        article, is_removing, hidden_bits, fields, words, bits, *expiries = parts[id]
        if fields.get("rev") != revision or last_number(fields) != lasts[id]:
            yield id, None
            continue
        numbers = (
            at * _BITS + bit for at, value in enumerate(bits) for bit in range(_BITS) if value >> _BITS - 1 - bit & 1
        )
        hidden = frozenset(number for number in numbers if number <= lasts[id])
        own = {block: Block(expiries[2 * block], voters[id, block]) for block in blocks[id]}
        yield (
            id,
            ThreadSnapshot(
                *(now, id, fields, parse_thread(id, fields), article, hidden, hidden_bits),
                *(bool(is_removing), frozenset(words), own),
            ),
        )


def _reads(keys: Keys, id: int, last: int) -> list[Command]:
    """Return what is read of a conversation at one instant, with how many voters each of its blocks has."""
    bits = [argument for at in range(last // _BITS + 1) for argument in ("GET", f"u{_BITS}", f"#{at}")]
    sets = [keys.voted_comments(id, block) for block in range(last // config.VOTER_BLOCK + 1)]
    _, *guard = guard_reads(keys, id)
    return [
        *guard,
        ("HGETALL", keys.thread(id)),
        ("HKEYS", keys.words(id)),
        ("BITFIELD_RO", keys.hidden(id), *bits),
        *(read for key in sets for read in (("PEXPIRETIME", key), ("SCARD", key))),
    ]


def _read_voters(scanner: Scanner, counts: dict[tuple[int, int], int]) -> dict[tuple[int, int], frozenset[str]]:
    """Return the members of these sets of voters, of so many members."""
    found: dict[tuple[int, int], frozenset[str]] = {}
    for step in _steps(list(counts.items()), MAX_VOTERS_PER_READ):
        sets = [scanner.site_keys.voted_comments(*block) for block in step]
        if sum(counts[block] for block in step) > MAX_VOTERS_PER_READ:
            found |= {block: frozenset(scanner.members(key)) for block, key in zip(step, sets, strict=True)}
        else:
            members = scanner.run_atomic([("SMEMBERS", key) for key in sets])
            found |= dict(zip(step, map(frozenset, members), strict=True))
    return found
