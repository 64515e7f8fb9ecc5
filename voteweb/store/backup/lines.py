"""The lines of a backup: a key without its prefix, or a part of a large one, with its type, value and expiry.

They are checked before anything is written: what the site that wrote them could not have stored is a fault.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from voteweb.core import clock, config
from voteweb.core.config import MAX_COMMENT_LEVEL
from voteweb.core.errors import Invalid
from voteweb.core.models import ArticleStatus
from voteweb.core.names import name_key
from voteweb.store.scan.scanner import Bitmap
from voteweb.store.schema.fields import ARTICLE_WORDS, Field, article_fields, faults
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import COUNTED_NOUNS, NOUNS, Keys
from voteweb.store.schema.nodes import comment_numbers, split_node
from voteweb.store.schema.values import MAX_ID, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, MAX_VALUE_LENGTH, is_id_text

#: The type of a string whose bytes are no text: its value has them in hexadecimal digits.
BITS = "bits"
#: Characters of one line, each of which takes six bytes at most, and items.
LINE_CHARACTERS, LINE_ITEMS = 150_000, 10_000
#: Fields of a hash that has a table of them.
MAX_FIELDS = 1_000
#: Milliseconds by which clocks may differ.
_MARGIN = 86_400_000
_HEX = re.compile(r"([0-9a-f]{2})*")
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
        fields = {"key": self.key, "type": self.type, "value": self.value}
        return fields | ({} if self.until is None else {"until": self.until}) | ({"at": self.at} if self.at else {})

    def parts(self) -> Iterator["KeyLine"]:
        """Yield this line, or several that hold its content and are short enough."""
        if isinstance(self.value, str):
            yield self
            return
        part: list[Any] = []
        size, at = 0, self.at
        for item in self.value.items() if isinstance(self.value, dict) else self.value:
            length = _size(item)
            if part and (size + length > LINE_CHARACTERS or len(part) == LINE_ITEMS):
                yield self._part(part, at)
                part, size, at = [], 0, at + len(part)
            part.append(item)
            size += length
        yield self._part(part, at)

    def _part(self, items: list[Any], at: int) -> "KeyLine":
        value = dict(items) if isinstance(self.value, dict) else items
        return replace(self, value=value, at=at if self.type == "list" else 0)


def _size(item: Any) -> int:
    """Return about how many characters an item takes: a text, a score, or a pair of these."""
    if isinstance(item, tuple):
        return sum(map(_size, item))
    return len(item) + 3 if isinstance(item, str) else 25


def parse_line(fields: Mapping[str, Any], *, is_whole: bool) -> KeyLine:
    """Return the line that :meth:`KeyLine.as_json` wrote; raise Invalid for a key that no backup has.

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


def unique_names(noun: str, names: Iterable[str]) -> Iterator[str]:
    """Yield each name once that a backup may have: SCAN may name a key twice, and other programs have other keys."""
    ids, texts = Bitmap(), set[str]()
    for name in names:
        if not is_known(f"{noun}:{name}", is_whole=False):
            continue
        if NOUNS[noun].name is is_id_text:
            if ids.add(int(name)):
                yield name
        elif name not in texts:
            texts.add(name)
            yield name


#: What holds the value of each type.
_SHAPES: dict[str, type] = {"string": str, BITS: str, "hash": dict, "zset": dict, "set": list, "list": list}


def _has_shape(value: Any, type: str) -> bool:
    has_type = isinstance(value, _SHAPES[type])
    if not has_type or isinstance(value, str):
        return has_type
    if type == "zset":
        return all(isinstance(score, float) or _is_number(score) for score in value.values())
    return all(isinstance(item, str) for item in (value.values() if type == "hash" else value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


class LineChecks:
    """The checks of one backup, which remember its articles, members and ids."""

    def __init__(self, *, is_whole: bool = False) -> None:
        self._is_whole = is_whole
        self._articles = Bitmap()
        self._keys: set[str] = set()
        self._ids: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        #: The conversation of the last line, and the levels of its comments by number.
        self._thread = ""
        self._levels: dict[int, int] = {}

    def faults(self, line: KeyLine) -> Iterator[str]:
        what, noun = f"the key {shown(line.key)}", NOUNS[line.noun]
        if not self._is_new(line):
            yield f"{what} is there twice"
        if line.until is not None and not _is_expiry(line):
            yield f"{what} has an expiry out of range"
        if line.at > MAX_ID or (noun.most and not self._is_within(line, noun.most)):
            yield f"{what} has too many items"
        if line.is_counter:
            if not is_id_text(line.value):
                yield f"{what} has the value {shown(line.value)}"
        elif noun.fields:
            yield from self._hash_faults(what, line, noun.fields)
        else:
            yield from _item_faults(what, line)
            if line.noun == "thread":
                yield from self._thread_faults(line)

    def _is_new(self, line: KeyLine) -> bool:
        """Remember a key that has one line, and tell whether it had none before."""
        if self._is_whole or not (NOUNS[line.noun].fields or line.type == "string"):
            return True
        if line.noun == "article" and line.name:
            return self._articles.add(int(line.name))
        is_new = line.key not in self._keys
        self._keys.add(line.key)
        return is_new

    def _is_within(self, line: KeyLine, most: int) -> bool:
        self._sizes[line.key] = self._sizes.get(line.key, 0) + len(line.value)
        return self._sizes[line.key] <= most

    def _hash_faults(self, what: str, line: KeyLine, table: Mapping[str, Field]) -> Iterator[str]:
        fields: dict[str, str] = line.value
        if len(fields) > MAX_FIELDS:
            yield f"{what} has {len(fields):,} fields"
            return
        if line.noun == "article":
            table = article_fields(fields)
            if "base" in fields and fields.get("title") == "" and fields.get("gone") != ArticleStatus.DELETED:
                yield f"{what} has an empty title"
        too_long = {name for name, value in fields.items() if not _is_short(name, value)}
        for name in too_long:
            yield f"{what} has a field of {len(fields[name]):,} characters: {shown(name)}"
        for name, value in faults(table, fields):
            if name in too_long or (value is None and self._is_whole):
                continue
            yield f"{what} has no {name}" if value is None else f"{what} has the {name} {shown(value)}"
        if line.noun == "user" and "name" in fields and line.name != name_key(fields["name"]):
            yield f"{what} has the name {shown(fields['name'])}, which belongs to another key"
        if line.noun == "user" and (owner := self._ids.setdefault(fields.get("id", line.key), line.key)) != line.key:
            yield f"{what} has the id {shown(fields['id'])}, which is that of {shown(owner)}"

    def _thread_faults(self, line: KeyLine) -> Iterator[str]:
        """Check the parents of the comments of a conversation: its lines come one after the other."""
        if line.key != self._thread:
            self._thread, self._levels = line.key, {0: 0}
        for number in comment_numbers(line.value):
            node = split_node(line.value.get(str(number), ""))
            parent = int(node["parent"]) if node else 0
            if parent >= number or parent not in self._levels:
                yield f"comment {line.name}.{number} answers {parent}, which is not before it"
            elif self._levels[parent] >= MAX_COMMENT_LEVEL:
                yield f"comment {line.name}.{number} stands below level {MAX_COMMENT_LEVEL}"
            self._levels[number] = self._levels.get(parent, 0) + 1


def _is_expiry(line: KeyLine) -> bool:
    """Tell whether a key of this noun may expire, and not later than it does."""
    expires = NOUNS[line.noun].expires
    if expires is None:  # rankings of groups that another program keeps for a while, or of several groups
        return line.noun in ("time", "score") and line.name != ""
    seconds = float(expires[1]) if len(expires) > 1 else config.MAX_TIME - clock.now()
    return (line.until or 0) < 1_000 * (clock.now() + seconds) + _MARGIN


def _item_faults(what: str, line: KeyLine) -> Iterator[str]:
    noun, value = NOUNS[line.noun], line.value
    if line.type == BITS:
        if not _HEX.fullmatch(value):
            yield f"{what} has no bits"
        return
    items: list[Any] = [value] if isinstance(value, str) else list(value)
    texts = [*items, *(value.values() if line.type == "hash" else ())]
    if not all(len(text) <= MAX_TEXT_LENGTH for text in texts):
        yield f"{what} has an item of too many characters"
    elif line.type == "zset" and not all(isfinite(score) for score in value.values()):
        yield f"{what} has a score that is no number"
    elif line.type == "hash" and noun.pair:
        for name, text in value.items():
            if not noun.pair(name, text):
                yield f"{what} has the {shown(name)} {shown(text)}"
    elif noun.item:
        for item in items:
            if not noun.item(item):
                yield f"{what} has the item {shown(item)}"


def _is_short(name: str, value: str) -> bool:
    most = MAX_TEXT_LENGTH if name in ARTICLE_WORDS else MAX_VALUE_LENGTH
    return len(name) <= MAX_NAME_LENGTH and len(value) <= most


def shown(text: str) -> str:
    return repr(text if len(text) <= MAX_NAME_LENGTH else f"{text[:MAX_NAME_LENGTH]}…")
