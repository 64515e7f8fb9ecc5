"""The commands that write keys of any type: collected, then sent in chunks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from voteweb.core import clock
from voteweb.store.backup.key_lines import KeyLine
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.nouns import NOUNS
from voteweb.store.schema.rankings import Place

#: Members or fields that one command carries: well under a millisecond of work.
CHUNK_SIZE = 1_000
#: The fields of primary hashes that are computed from other keys.
_DERIVED_FIELDS = {"article": ("comments",), "thread": ("hiding",)}


class KeyWrites:
    """The content of some keys, or a part of it."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._strings: dict[str, str | int | bytes] = {}
        self._hashes: dict[str, dict[str, str]] = defaultdict(dict)
        self._sets: dict[str, list[str | int]] = defaultdict(list)
        self._rankings: dict[str, dict[str, float]] = defaultdict(dict)
        self._lists: list[tuple[str, int, list[str]]] = []
        self._expiries: dict[str, int] = {}

    def add_line(self, line: KeyLine, *, is_whole: bool) -> None:
        """Add what a line of a backup holds; what is computed from other keys only if it is of a whole copy."""
        key, value = self._prefix + line.key, line.value
        match line.type:
            case "string":
                self._strings[key] = value
            case "bits":
                self._strings[key] = bytes.fromhex(value)
            case "set":
                self._sets[key] += value
            case "hash":
                derived = () if is_whole else _DERIVED_FIELDS.get(line.noun, ())
                self._hashes[key].update({name: text for name, text in value.items() if name not in derived})
            case "zset":
                self._rankings[key] |= value
            case "list":
                self._lists.append((key, line.at, value))
        expires = NOUNS[line.noun].expires or ()
        if line.until is not None:
            self.expire(key, line.until)
        elif len(expires) > 1:  # a key that had lost its expiry
            self.expire(key, int(1_000 * (clock.now() + float(expires[1]))))

    def set_text(self, key: str, value: str | int | bytes) -> None:
        """Store a string."""
        self._strings[key] = value

    def set_field(self, key: str, name: str, value: str) -> None:
        """Store a field of a hash."""
        self._hashes[key][name] = value

    def place(self, key: str, member: str, place: Place) -> None:
        """Put *member* into a ranking by its score, or into a set if the place is True; None is no place."""
        if place is True:
            self._sets[key].append(member)
        elif place is not None:
            self._rankings[key][member] = place

    def expire(self, key: str, until: int) -> None:
        """Make a key expire at *until* in unix milliseconds, or later if it does already."""
        self._expiries[key] = max(until, self._expiries.get(key, 0))

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
            for chunk in _chunks([item for member, score in scores.items() for item in (repr(float(score)), member)]):
                yield ("ZADD", key, *chunk)
        for key, first, items in self._lists:
            # What a first attempt appended, whose answer was lost, goes before it is appended again.
            yield ("LTRIM", key, 0, first - 1) if first else ("UNLINK", key)
            for chunk in _chunks(items):
                yield ("RPUSH", key, *chunk)
        for key, expiry in self._expiries.items():
            # Several batches may add to one key: it lives as long as the last of its members requires.
            yield ("PEXPIREAT", key, expiry, "NX")
            yield ("PEXPIREAT", key, expiry, "GT")


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield *items* in chunks of an even number, so that pairs stay together."""
    for at in range(0, len(items), 2 * CHUNK_SIZE):
        yield items[at : at + 2 * CHUNK_SIZE]
