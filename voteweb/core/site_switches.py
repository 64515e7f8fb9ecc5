"""Switches of a site: what admins set while it runs, without a restart, until they clear it again.

Those of its face have what the environment and the files of the operator leave open: these go before them.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from voteweb.core import config, operator_pages, validation
from voteweb.core.branding import check_accent
from voteweb.core.errors import N_, ConfigError, Invalid
from voteweb.core.settings import Settings, is_contact, is_set


class SwitchName(StrEnum):
    """The names of the switches.

    SECOND_FACTOR: moderators and admins have no rights by their role until they have a second factor. AI_CRAWLERS: OFF
    asks them in robots.txt to stay away. PROGRAMS: OFF refuses all tokens of programs. RULES, PRIVACY, GUIDE: the page
    has a text of the admins, which is stored elsewhere.
    """

    ANNOUNCEMENT = "announcement"
    READ_ONLY = "read-only"
    SIGNUP = "signup"
    HOLD_POSTS = "hold-posts"
    AI_CRAWLERS = "ai-crawlers"
    PROGRAMS = "programs"
    SECOND_FACTOR = "second-factor"
    NAME = "name"
    CONTACT = "contact"
    ACCENT = "accent"
    RULES = "rules"
    PRIVACY = "privacy"
    GUIDE = "guide"


#: The settings that switches override.
OVERRIDDEN = {SwitchName.SIGNUP: "signup", SwitchName.HOLD_POSTS: "hold_posts"}
#: The settings that switches have where the operator has set none, and the pages whose texts do.
FACE = {SwitchName.NAME: "site_name", SwitchName.CONTACT: "contact", SwitchName.ACCENT: "accent"}
TEXTS = tuple(map(SwitchName, operator_pages.NAMES))
#: The value of a switch that only has words, and that of one that turns off what is on without it.
ON, OFF = "on", "off"
#: The values of the switches that have few.
_CHOICES = {SwitchName.SIGNUP: config.SIGNUP_MODES, SwitchName.AI_CRAWLERS: (OFF,), SwitchName.PROGRAMS: (OFF,)}


class Switch(NamedTuple):
    """A switch as the admin ``by`` has set it at unix ``time``.

    The ``value`` of an announcement is the address that it links to, ON without a link. The ``words`` of a page's text
    are in its versions alone.
    """

    value: str
    words: str = ""
    by: str = ""
    time: float = 0.0

    @property
    def link(self) -> str:
        """The address to which an announcement leads, "" for none."""
        return "" if self.value == ON else self.value


class SiteSwitches(dict[SwitchName, Switch]):
    """The switches that are set."""

    def settings(self, settings: Settings) -> Settings:
        """Return *settings* as the switches override and complete them."""
        fields = OVERRIDDEN | {name: field for name, field in FACE.items() if not is_set(settings, field)}
        values = {field: self[name].value for name, field in fields.items() if name in self}
        changes = {field: type(getattr(settings, field))(value) for field, value in values.items()}
        is_same = all(getattr(settings, field) == value for field, value in changes.items())
        return settings if is_same else replace(settings, **changes)


def switches(stored: Mapping[SwitchName, Switch]) -> SiteSwitches:
    """Return the switches *stored*, without those whose value or words cannot be, as another program wrote them."""
    return SiteSwitches({name: switch for name, switch in stored.items() if _is_valid(name, switch)})


def checked_value(name: SwitchName, typed: str) -> str:
    """Return the value of the switch *name* as it is stored, "" to clear it; raise Invalid."""
    typed = typed.strip()[: config.MAX_LINK_LENGTH + 1]
    if name is SwitchName.ANNOUNCEMENT:
        return _link(typed) or ON
    if not typed:
        return ""
    if name is SwitchName.HOLD_POSTS:
        return _hold_posts(typed)
    if name is SwitchName.NAME:
        return validation.note(typed, config.MAX_SITE_NAME_LENGTH)
    if name is SwitchName.CONTACT:
        return _contact(typed)
    if name is SwitchName.ACCENT:
        try:
            return check_accent(typed)
        except ConfigError as error:
            raise Invalid(error.template, **error.values) from None
    if typed not in _CHOICES.get(name, (ON,)):
        raise Invalid(N_("Please choose one of the possibilities."))
    return typed


def checked_words(name: SwitchName, typed: str) -> str:
    """Return the words of the switch *name* as one clean line, which may be empty; raise Invalid if it is too long."""
    if name is SwitchName.ANNOUNCEMENT:
        return validation.note(typed, config.MAX_ANNOUNCEMENT_LENGTH)
    return validation.note(typed)


def _link(typed: str) -> str:
    if typed.startswith("/") and not typed.startswith("//") and len(typed) <= config.MAX_LINK_LENGTH:
        if not typed.isascii() or not typed.isprintable() or "\\" in typed or " " in typed:
            raise Invalid(N_("A link cannot contain spaces, backslashes or invisible characters."))
        return typed
    return validation.link(typed)


def _contact(typed: str) -> str:
    address = f"mailto:{typed}" if "@" in typed and ":" not in typed else typed
    if not is_contact(address) or len(address) > config.MAX_LINK_LENGTH:
        raise Invalid(N_("Please type an e-mail address, or an address that begins with https://, without blanks."))
    return address


def _hold_posts(typed: str) -> str:
    if not typed.isascii() or not typed.isdigit() or len(typed) > 3 or int(typed) > config.MAX_HOLD_POSTS:
        raise Invalid(N_("Please type a number from 0 to %(max)s."), max=config.MAX_HOLD_POSTS)
    return str(int(typed))


def _is_valid(name: SwitchName, switch: Switch) -> bool:
    try:
        typed = switch.link if name is SwitchName.ANNOUNCEMENT else switch.value
        value, words = checked_value(name, typed), checked_words(name, switch.words)
        return bool(switch.value) and (value, words) == (switch.value, switch.words)
    except Invalid:
        return False
