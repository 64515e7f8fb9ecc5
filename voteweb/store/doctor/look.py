"""How the doctor reads: whole nouns key by key, in steps that Redis answers as one block."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from voteweb.store import keys
from voteweb.store.connect import Connection

#: Keys per step: some two thousand commands that Redis runs as one block of a few milliseconds.
STEP = 100
#: Seconds by which a stored number may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001


class Broken(NamedTuple):
    """A broken invariant: the key that is wrong, and how."""

    key: str
    what: str


class Look:
    """The eyes of the doctor."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def at_once(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the answers to *commands*, all of one instant."""
        return self._connection.pipeline(commands, atomic=True) if commands else []

    def groups(self) -> list[str]:
        """Return the names of all groups."""
        return sorted(self._connection.command("SMEMBERS", keys.groups()))

    def is_group(self, name: str) -> bool:
        """Tell whether a group exists by now: it may have been made since the examination began."""
        return bool(self._connection.command("SISMEMBER", keys.groups(), name))

    def keys(self, pattern: str) -> Iterator[str]:
        """Yield the keys that look like *pattern*."""
        cursor: int | str = 0
        seen_all = False
        while not seen_all:
            cursor, found = self._connection.command("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            yield from found
            seen_all = int(cursor) == 0

    def articles(self) -> Iterator[str]:
        """Yield the keys of all articles."""
        return (key for key in self.keys(keys.article("[0-9]*")) if is_article(key))

    def members(self, key: str) -> Iterator[str]:
        """Yield the members of a set or sorted set."""
        scan = "SSCAN" if key.startswith((keys.group(""), keys.leaving())) else "ZSCAN"
        cursor: int | str = 0
        seen_all = False
        while not seen_all:
            cursor, found = self._connection.command(scan, key, cursor, "COUNT", 1000)
            # redis-py pairs the members of a sorted set with their scores.
            yield from (each[0] if isinstance(each, tuple | list) else each for each in found)
            seen_all = int(cursor) == 0


def steps(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield *names* in lists of STEP."""
    source = iter(names)
    while step := list(islice(source, STEP)):
        yield step


def rows(answers: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Return *answers* cut into *count* equal pieces."""
    width = len(answers) // count if count else 0
    return [answers[at * width : (at + 1) * width] for at in range(count)]


def placed(key: str, member: str, stored: Any, wanted: float | None) -> Iterator[Broken]:
    """Compare the number under which *member* stands in *key* with the one it should have; None: not there."""
    if wanted is None:
        if stored is not None:
            yield Broken(key, f"holds {member}, which does not belong there")
    elif stored is None:
        yield Broken(key, f"lacks {member}")
    elif abs(float(stored) - wanted) > TOLERANCE:
        yield Broken(key, f"has {member} at {float(stored):.3f} instead of {wanted:.3f}")


def number(text: str | None) -> float | None:
    """Return the number that *text* spells, or None."""
    try:
        return float(text or "")
    except ValueError:
        return None


def is_article(key: str) -> bool:
    """Tell whether *key* can be an article's."""
    try:
        return keys.article(keys.article_id(key)) == key
    except ValueError:
        return False
