"""How a whole site is read: noun by noun and key by key, in steps that Redis answers as one block."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import isfinite
from typing import Any, TypeVar

from voteweb.store import keys
from voteweb.store.connect import Connection

T = TypeVar("T")

#: Keys per step: up to two thousand commands, which Redis runs as one block of two milliseconds.
STEP = 50
#: Keys or members that Redis looks at in one call: a millisecond.
COUNT = 500


class Look:
    """The eyes of whoever goes through all of a site while it is used."""

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
            cursor, found = self._connection.command("SCAN", cursor, "MATCH", pattern, "COUNT", COUNT)
            yield from found
            seen_all = int(cursor) == 0

    def articles(self) -> Iterator[str]:
        """Yield the keys of all articles."""
        return (key for key in self.keys(keys.article("[0-9]*")) if is_article(key))

    def members(self, key: str) -> Iterator[str]:
        """Yield the members of a set or sorted set."""
        scan = "SSCAN" if key.startswith((keys.group(""), keys.leaving(), keys.imported())) else "ZSCAN"
        cursor: int | str = 0
        seen_all = False
        while not seen_all:
            cursor, found = self._connection.command(scan, key, cursor, "COUNT", COUNT)
            # redis-py pairs the members of a sorted set with their scores.
            yield from (each[0] if isinstance(each, tuple | list) else each for each in found)
            seen_all = int(cursor) == 0

    def ranked(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield each of the sorted sets *names* with each of its members; many small ones cost little."""
        for step in steps(names):
            size_of = dict(zip(step, self.at_once([("ZCARD", key) for key in step]), strict=True))
            small = [key for key, size in size_of.items() if size <= STEP]
            for key, members in zip(small, self.at_once([("ZRANGE", key, 0, -1) for key in small]), strict=True):
                yield from ((key, member) for member in members)
            for key, size in size_of.items():
                if size > STEP:
                    yield from ((key, member) for member in self.members(key))


def steps(names: Iterable[T], size: int = STEP) -> Iterator[list[T]]:
    """Yield *names* in lists of *size*."""
    source = iter(names)
    while step := list(islice(source, size)):
        yield step


def rows(answers: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Return *answers* cut into *count* equal pieces."""
    width = len(answers) // count if count else 0
    return [answers[at * width : (at + 1) * width] for at in range(count)]


def number(text: str | None) -> float | None:
    """Return the finite number that *text* spells, or None."""
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if isfinite(found) else None


def is_article(key: str) -> bool:
    """Tell whether *key* can be an article's."""
    try:
        return keys.article(keys.article_id(key)) == key
    except ValueError:
        return False
