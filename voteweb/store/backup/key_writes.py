"""The commands that write keys of any type: collected, then sent in chunks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from voteweb.store.connection.pipeline import Command

#: Members or fields that one command carries: well under a millisecond of work.
CHUNK_SIZE = 1_000


class KeyWrites:
    """The content of some keys, or a part of it."""

    def __init__(self) -> None:
        self._strings: dict[str, str | int | bytes] = {}
        self._hashes: dict[str, dict[str, str]] = {}
        self._sets: dict[str, list[str | int]] = defaultdict(list)
        self._rankings: dict[str, dict[str, float]] = defaultdict(dict)
        self._lists: list[tuple[str, int, list[str]]] = []
        self._expiries: dict[str, int] = {}

    def commands(self) -> Iterator[Command]:
        """Yield the commands that write the batch; running them twice changes nothing."""
        for key, value in self._strings.items():
            yield ("SET", key, value)
        for key, fields in self._hashes.items():
            for chunk in _chunks([item for pair in fields.items() for item in pair]):
                yield ("HSET", key, *chunk)
        for key, members in self._sets.items():
            for chunk in _chunks(members):
                yield ("SADD", key, *chunk)
        for key, scores in self._rankings.items():
            for chunk in _chunks([item for member, score in scores.items() for item in (repr(score), member)]):
                yield ("ZADD", key, *chunk)
        for key, first, items in self._lists:
            # What a first attempt appended, whose answer was lost, goes before it is appended again.
            yield ("LTRIM", key, 0, first - 1) if first else ("UNLINK", key)
            yield ("RPUSH", key, *items)
        for key, expiry in self._expiries.items():
            # Several batches may add to one key: it lives as long as the last of its members requires.
            yield ("PEXPIREAT", key, expiry, "NX")
            yield ("PEXPIREAT", key, expiry, "GT")

    def _add_string(self, key: str, value: str, until: int | None) -> None:
        self._strings[key] = value
        self._expire(key, until)

    def _expire(self, key: str, until: int | None) -> None:
        if until is not None:
            self._expiries[key] = max(until, self._expiries.get(key, 0))

    def _add_list(self, key: str, items: list[str], until: int | None) -> None:
        if items:
            self._lists.append((key, 0, items))
            self._expire(key, until)


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield *items* in chunks of an even number, so that pairs stay together."""
    for at in range(0, len(items), 2 * CHUNK_SIZE):
        yield items[at : at + 2 * CHUNK_SIZE]
