"""The forms of keys, such as ``article:<id>``: what a key is made of, from which its text and its pattern come."""

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from voteweb.core.names import name_key

#: What stands for the parts of a key in angle brackets, where it is not just any text without a colon.
_PARTS = {
    **dict.fromkeys(("id", "member id", "number", "block", "bucket"), "[0-9]+"),
    "day": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "domain": "[0-9a-z._:-]*",
}
_Spell = TypeVar("_Spell", bound=Callable[..., str])


class HasPrefix(Protocol):
    """The keys of one site, all with the same *prefix* in front."""

    prefix: str


class KeyForm:
    """A form of keys with its meaning and its lifetime; both stand in docs/data.md."""

    def __init__(self, text: str, meaning: str, lifetime: str = "for ever") -> None:
        self.text = text
        self.meaning = meaning
        self.lifetime = lifetime
        self.noun = text.partition(":")[0]
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


class KeyOfId(KeyForm):
    """A form with a number, as ``article:<id>``."""

    def __get__(self, keys: HasPrefix, _: type) -> Callable[[int | str], str]:
        beginning = self._beginning(keys)
        return self._keep(keys, lambda id: f"{beginning}{id}")


class KeyOfText(KeyForm):
    """A form with a text, as ``group:<name>``, or with ``*`` for it in a pattern."""

    def __get__(self, keys: HasPrefix, _: type) -> Callable[[str], str]:
        beginning = self._beginning(keys)
        return self._keep(keys, lambda text: beginning + text)


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
