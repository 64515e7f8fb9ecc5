"""The forms of keys, such as ``article:<id>``: what a key is made of, and what it holds.

From the form come its text, its pattern and the check of its name, from what it holds when it expires.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeVar

from voteweb.core.names import name_key
from voteweb.core.site_switches import TEXTS
from voteweb.core.validation import is_member_key, is_submission_token
from voteweb.store.schema import values
from voteweb.store.schema.fields import Field
from voteweb.store.schema.values import Check, PairCheck

#: The patterns of the parts of a key in angle brackets; another part is any text without a colon.
_PARTS = {
    **dict.fromkeys(("id", "member id", "number", "block", "bucket"), "[0-9]+"),
    "day": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "domain": "[0-9a-z._:-]*",
}
#: The checks of the name after the noun of a key, by its form. All primary keys have one.
_NAMES: dict[str, Check] = {
    "<id>": values.is_id_text,
    "<group>": values.is_group_name,
    "<name>": is_member_key,
    "<digest>": values.is_digest,
    "<page>": values.one_of(TEXTS),
    "<bucket>": values.is_bucket,
    "<id>-<block>": values.joined(values.is_id_text, values.matching("0|[1-9][0-9]{0,8}")),
    "<id>.<number>": values.is_comment,
    "<member id>-<token>": values.joined(values.is_id_text, is_submission_token),
}
_UNITS = {"day": 86_400, "minute": 60}
_Spell = TypeVar("_Spell", bound=Callable[..., str])


class Part(StrEnum):
    """The part of a noun in a backup.

    PRIMARY is in the backup, DERIVED is computed from that in a restore, and PASSING is left out and lost.
    """

    PRIMARY = "primary"
    DERIVED = "derived"
    PASSING = "passing"


class Noun(NamedTuple):
    """The facts of a kind of keys.

    ``expires`` is None for a key that is for ever, and () for one that expires at a time which its owner decides; any
    other is the command (without its key) that the doctor runs on a key that does not expire. ``owner`` is the noun of
    the key without which it makes no sense; the doctor deletes one without, unless ``orphan`` says why not. A hash has
    ``fields``, or a check of each ``pair`` of a field and its value; all else a check of each ``item``: a string, or
    what a list, set or ranking holds. There are ``most`` items or pairs at most, 0 for any number. ``name`` checks what
    follows the noun of a primary key: its form says how.
    """

    type: str
    part: Part
    expires: tuple[str | int, ...] | None = None
    owner: str = ""
    orphan: str = ""
    fields: Mapping[str, Field] = {}
    pair: PairCheck | None = None
    item: Check | None = None
    most: int = 0
    name: Check = "".__eq__


class HasPrefix(Protocol):
    """The keys of one site, all with the same *prefix* in front."""

    prefix: str


class KeyForm:
    """A form of keys with what they mean and hold; docs/data.md has a row for each.

    ``expiry`` says in words when they expire, "" if what they hold tells that.
    """

    def __init__(self, text: str, meaning: str, holds: Noun, expiry: str = "") -> None:
        self.text = text
        self.meaning = meaning
        self.noun, _, name = text.partition(":")
        self.holds = holds._replace(name=_NAMES.get(name, holds.name))
        self.expiry = expiry or _expiry(holds)
        self._attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._attribute = name

    def pattern(self) -> str:
        """Return the pattern of such keys, without a prefix."""
        texts = re.split("<(.*?)>", self.text)
        return "".join(_PARTS.get(text, "[^:]+") if at % 2 else re.escape(text) for at, text in enumerate(texts))

    def _beginning(self, keys: HasPrefix) -> str:
        return keys.prefix + self.text.partition("<")[0]

    def _keep(self, keys: HasPrefix, spell: _Spell) -> _Spell:
        """Make *spell* an attribute of *keys*, which is found before this one: it is made once."""
        vars(keys)[self._attribute] = spell
        return spell


class OneKey(KeyForm):
    """The form of a key that a site has one of, as ``groups:``."""

    def __get__(self, keys: HasPrefix, _: type) -> Callable[[], str]:
        key = self._beginning(keys)
        return self._keep(keys, lambda: key)


class KeyOf(KeyForm):
    """A form with one part, as ``article:<id>`` and ``group:<group>``, or with ``*`` for it in a pattern."""

    def __get__(self, keys: HasPrefix, _: type) -> Callable[[int | str], str]:
        beginning = self._beginning(keys)
        return self._keep(keys, lambda part: f"{beginning}{part}")


class KeyOfMember(KeyForm):
    """A form with the name of a member, however it is spelled, as ``user:<name>``."""

    def __get__(self, keys: HasPrefix, _: type) -> Callable[[str], str]:
        beginning = self._beginning(keys)
        return self._keep(keys, lambda name: beginning + name_key(name))


class KeyOfTwo(KeyForm):
    """A form with two parts, as ``comment-report:<id>.<number>``."""

    def __get__(self, keys: HasPrefix, _: type) -> Callable[[int | str, int | str], str]:
        beginning, between = self._beginning(keys), self.text.partition(">")[2].partition("<")[0]
        return self._keep(keys, lambda first, second: f"{beginning}{first}{between}{second}")


def _expiry(holds: Noun) -> str:
    """Return in words when such keys expire; raise ValueError if only a text can say it."""
    if holds.expires is None:
        return "never"
    _, seconds = holds.expires
    unit = next(unit for unit, length in _UNITS.items() if int(seconds) % length == 0)
    count = int(seconds) // _UNITS[unit]
    time = f"{count} {unit}{'s' * (count > 1)}"
    return f"after {time}" if holds.type == "string" else f"{time} after the last change"
