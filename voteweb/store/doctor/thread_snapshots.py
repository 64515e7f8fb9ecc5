"""Snapshots of conversations: what the keys of one thread contain at one instant, read in bounded blocks.

Redis answers as one block what fits into a step. A larger thread is read in several, and its revision tells whether
it changed between them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.comments import Thread
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys
from voteweb.store.nodes import parse_thread
from voteweb.store.scanner import MAX_VOTERS_PER_READ, Scanner

#: Fields and members that Redis returns in one block: about a millisecond; the skeleton of the largest thread alone.
STEP_SIZE = 5_000
#: Bits of a bitmap that one GET of BITFIELD returns.
_BITS = 32
_WHOLE = re.compile(r"[0-9]{1,15}")


class Block(NamedTuple):
    """The voters of a block of comments; ``expires`` is in unix milliseconds, as PEXPIRETIME tells it."""

    expires: int
    voters: frozenset[str]

    @property
    def exists(self) -> bool:
        return bool(self.voters)

    @property
    def is_open(self) -> bool:
        """Tell whether all voters are there: the member 0 is, with which the set was made."""
        return "0" in self.voters


class ThreadSnapshot(NamedTuple):
    """One conversation at the unix time ``now``."""

    now: int
    id: int
    fields: dict[str, str]
    #: The conversation as pages read it, without the comments that cannot be read.
    thread: Thread
    #: The fields ``title``, ``time`` and ``comments`` of the article, as stored.
    article: tuple[str | None, str | None, str | None]
    #: The numbers up to ``last`` whose bits are 1, and how many bits of the whole bitmap are.
    hidden: frozenset[int]
    hidden_bits: int
    is_removing: bool
    words: frozenset[str]
    blocks: dict[int, Block]


class _Size(NamedTuple):
    """How large the parts of a thread are; ``voters`` by block."""

    fields: int
    words: int
    last: int
    voters: dict[int, int]


class _Part(NamedTuple):
    """A part of a thread that is read at one instant: ``name`` is "core", "words" or the number of a block."""

    id: int
    name: str | int
    commands: list[Command]
    cost: int


def last_number(fields: dict[str, str]) -> int:
    """Return the stored number of the last comment, 0 if it is none that a conversation can have."""
    last = fields.get("last", "")
    return int(last) if _WHOLE.fullmatch(last) and int(last) <= config.MAX_COMMENTS else 0


def take_thread_snapshots(scanner: Scanner, ids: Sequence[int]) -> Iterator[tuple[int, ThreadSnapshot | None]]:
    """Yield each of *ids* with its snapshot, or with None if the conversation changed while it was read."""
    keys = scanner.site_keys
    now, sizes = _read_sizes(scanner, ids)
    parts = [part for id in ids for part in _parts(keys, id, sizes[id])]
    replies: dict[tuple[int, str | int], Any] = {}
    steps_of: dict[int, set[int]] = {id: set() for id in ids}
    for number, step in enumerate(_steps(parts)):
        answers = iter(scanner.run_atomic([command for part in step for command in part.commands]))
        for part in step:
            replies[part.id, part.name] = [next(answers) for _ in part.commands]
            steps_of[part.id].add(number)
    for id in ids:
        for block, count in sizes[id].voters.items():
            if count > MAX_VOTERS_PER_READ:
                (expires, _), key = replies[id, block], keys.voted_comments(id, block)
                replies[id, block] = [expires, frozenset(scanner.members(key))]
                steps_of[id] |= {-1, -2}
    divided = [id for id in ids if len(steps_of[id]) > 1]
    revisions = dict(
        zip(divided, scanner.run_atomic([("HGET", keys.thread(id), "rev") for id in divided]), strict=True)
    )
    for id in ids:
        snapshot = _snapshot(now, id, sizes[id], replies)
        is_same = id not in revisions or revisions[id] == snapshot.fields.get("rev")
        yield id, snapshot if is_same and last_number(snapshot.fields) == sizes[id].last else None


def _read_sizes(scanner: Scanner, ids: Sequence[int]) -> tuple[int, dict[int, _Size]]:
    """Return the time, and how much there is to read of each conversation."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for id in ids:
        commands += [("HLEN", keys.thread(id)), ("HLEN", keys.words(id)), ("HGET", keys.thread(id), "last")]
    (seconds, _), *replies = scanner.run_atomic([("TIME",), *commands])
    sizes = {}
    for at, id in enumerate(ids):
        fields, words, last = replies[3 * at : 3 * at + 3]
        sizes[id] = _Size(fields, words, last_number({"last": last or ""}), {})
    blocks = [(id, block) for id in ids for block in range(sizes[id].last // config.VOTER_BLOCK + 1)]
    counts = scanner.run_atomic([("SCARD", keys.voted_comments(id, block)) for id, block in blocks])
    for (id, block), count in zip(blocks, counts, strict=True):
        sizes[id].voters[block] = count
    return int(seconds), sizes


def _parts(keys: Keys, id: int, size: _Size) -> Iterator[_Part]:
    """Yield the parts of a conversation; the members of a set that is too large for a block are read later."""
    bits = [argument for at in range(size.last // _BITS + 1) for argument in ("GET", f"u{_BITS}", f"#{at}")]
    core: list[Command] = [
        ("HGETALL", keys.thread(id)),
        ("HMGET", keys.article(id), "title", "time", "comments"),
        ("BITFIELD_RO", keys.hidden(id), *bits),
        ("BITCOUNT", keys.hidden(id)),
        ("SISMEMBER", keys.removing(), id),
    ]
    yield _Part(id, "core", core, size.fields)
    yield _Part(id, "words", [("HKEYS", keys.words(id))], size.words)
    for block, count in size.voters.items():
        key, is_small = keys.voted_comments(id, block), count <= MAX_VOTERS_PER_READ
        members: Command = ("SMEMBERS", key) if is_small else ("SISMEMBER", key, 0)
        yield _Part(id, block, [("PEXPIRETIME", key), members], count if is_small else 1)


def _steps(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """Yield the parts in steps that cost at most STEP_SIZE, but for a single part that costs more."""
    step: list[_Part] = []
    cost = 0
    for part in parts:
        if step and cost + part.cost > STEP_SIZE:
            yield step
            step, cost = [], 0
        step.append(part)
        cost += part.cost
    if step:
        yield step


def _snapshot(now: int, id: int, size: _Size, replies: dict[tuple[int, str | int], Any]) -> ThreadSnapshot:
    fields, (title, time, comments), bits, hidden_bits, is_removing = replies[id, "core"]
    hidden = frozenset(
        at * _BITS + bit
        for at, value in enumerate(bits)
        if value
        for bit in range(_BITS)
        if value >> _BITS - 1 - bit & 1
    )
    blocks = {block: Block(replies[id, block][0], frozenset(replies[id, block][1])) for block in size.voters}
    words = frozenset(replies[id, "words"][0])
    numbers = frozenset(number for number in hidden if number <= size.last)
    article = (title, time, comments)
    return ThreadSnapshot(
        now, id, fields, parse_thread(id, fields), article, numbers, hidden_bits, bool(is_removing), words, blocks
    )
