"""The lines of a backup: a key without its prefix, or a part of a large one, with its type, value and expiry."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from voteweb.core.errors import Invalid
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nouns import COUNTED_NOUNS, NOUNS, Part

#: What stands for a string whose bytes are no text: its value has them in hexadecimal digits.
BITS = "bits"
#: Characters of one line, each of which takes six bytes at most, and items.
LINE_CHARACTERS, LINE_ITEMS = 150_000, 10_000
_KEYS = Keys()
#: The keys that say how far a restore or a conversion is: neither begins before a copy is whole.
_STATES = frozenset({"restoring", "migrating"})


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A key or a part of it, which expires at *until* in unix milliseconds, None for never.

    The value is a text; a dict of texts, or of the scores of a sorted set; or a list of texts, which in the key stand
    from the place *at* on.
    """

    key: str
    type: str
    value: Any
    until: int | None = None
    at: int = 0

    @property
    def noun(self) -> str:
        """The noun of the key."""
        return _KEYS.split(self.key)[0]

    @property
    def name(self) -> str:
        """The id or name after the noun."""
        return _KEYS.split(self.key)[1]

    @property
    def is_counter(self) -> bool:
        """Tell whether this is the counter of the ids of its noun."""
        return self.noun in COUNTED_NOUNS and not self.name

    def as_json(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        fields = {"key": self.key, "type": self.type, "value": self.value}
        return fields | ({} if self.until is None else {"until": self.until}) | ({"at": self.at} if self.at else {})

    def parts(self) -> Iterator["KeyLine"]:
        """Yield this line, or several that hold its content and are short enough."""
        if self.type in ("string", BITS) or (len(self.value) <= LINE_ITEMS and _size(self.value) <= LINE_CHARACTERS):
            yield self
            return
        part: list[Any] = []
        size, at = 0, self.at
        items = list(self.value.items() if isinstance(self.value, dict) else self.value)
        for item in items:
            length = _size(item)
            if part and (size + length > LINE_CHARACTERS or len(part) == LINE_ITEMS):
                yield self._part(part, at)
                part, size, at = [], 0, at + len(part)
            part.append(item)
            size += length
        yield self._part(part, at)

    def _part(self, items: list[Any], at: int) -> "KeyLine":
        value = dict(items) if isinstance(self.value, dict) else items
        return KeyLine(self.key, self.type, value, self.until, at if self.type == "list" else 0)


def _size(value: Any) -> int:
    """Return about how many characters a value takes."""
    if isinstance(value, str):
        return len(value) + 3
    if isinstance(value, dict):
        return sum(len(name) + _size(item) + 3 for name, item in value.items())
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 25


def parse_line(fields: Mapping[str, Any], *, is_whole: bool) -> KeyLine:
    """Return the line that :meth:`KeyLine.as_json` wrote; raise Invalid for what is no key of a backup.

    A *whole* copy has every key of a site, others the primary ones.
    """
    if not {"key", "type", "value"} <= fields.keys() <= {"key", "type", "value", "until", "at"}:
        raise Invalid("has other fields than the line of a key")
    line = KeyLine(**fields)
    if not isinstance(line.key, str) or not is_known(line.key, is_whole=is_whole):
        raise Invalid("has the key %(key).100r, which is of no backup of this site", key=line.key)
    wanted = "string" if line.is_counter else NOUNS[line.noun].type
    if line.type != wanted and (line.type, line.noun) != (BITS, "hidden"):
        raise Invalid("has a %(type).20r under %(key).100r", type=line.type, key=line.key)
    if not (_is_number(line.until) or line.until is None) or not _is_number(line.at):
        raise Invalid("has a wrong time or place of %(key).100r", key=line.key)
    if not _has_shape(line.value, line.type):
        raise Invalid("has a wrong value of %(key).100r", key=line.key)
    return line


def is_known(key: str, *, is_whole: bool) -> bool:
    """Tell whether a backup may have *key*: one that a site without a prefix spells so, and no other."""
    noun, name = _KEYS.split(key)
    if not _KEYS.covers(key) or noun not in NOUNS or noun in _STATES:
        return False
    if is_whole:
        return _KEYS.is_ours(key) and NOUNS[noun].type != "stream"
    return NOUNS[noun].part is Part.PRIMARY and (NOUNS[noun].name(name) or (noun in COUNTED_NOUNS and not name))


def _has_shape(value: Any, type: str) -> bool:
    match value:
        case str():
            return type in ("string", BITS)
        case dict() if type == "zset":
            return all(isinstance(score, float) or _is_number(score) for score in value.values())
        case dict():
            return type == "hash" and all(isinstance(item, str) for item in value.values())
        case list():
            return type in ("set", "list") and all(isinstance(item, str) for item in value)
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
