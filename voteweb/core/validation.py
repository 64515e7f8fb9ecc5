"""What a valid title, link, text or name is: each check returns the value to store or raises Invalid."""

import re
import secrets
import unicodedata
from urllib.parse import urlsplit

from voteweb.core import config
from voteweb.core.errors import N_, Invalid
from voteweb.core.links import ascii_host

# Joiners make emoji and Persian words; every other format character is invisible or turns the reading direction.
_JOINERS = {"\u200c", "\u200d"}
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
_USER_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def title(typed: str) -> str:
    """Return *typed* as one clean line of a title's length; raise Invalid if it cannot be a title."""
    cleaned = clean_line(typed)
    if len(cleaned) < config.MIN_TITLE_LENGTH or not any(character.isalnum() for character in cleaned):
        raise Invalid(N_("A title needs at least %(min)s characters that can be read."), min=config.MIN_TITLE_LENGTH)
    if len(cleaned) > config.MAX_TITLE_LENGTH:
        raise Invalid(
            N_("A title has %(max)s characters at most; this one has %(length)s."),
            max=config.MAX_TITLE_LENGTH,
            length=len(cleaned),
        )
    return cleaned


def link(typed: str) -> str:
    """Return *typed* without the blanks around it, or "" for none; raise Invalid when it is no web address."""
    stripped = typed.strip()
    if not stripped:
        return ""
    if len(stripped) > config.MAX_LINK_LENGTH:
        raise Invalid(
            N_("A link has %(max)s characters at most; this one has %(length)s."),
            max=config.MAX_LINK_LENGTH,
            length=len(stripped),
        )
    if not stripped.isprintable() or " " in stripped or "\\" in stripped:
        raise Invalid(N_("A link cannot hold blanks, backslashes or invisible characters."))
    try:
        parts = urlsplit(stripped)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise Invalid(N_("This link cannot be read as a web address.")) from None
    if parts.scheme not in ("http", "https"):
        raise Invalid(N_("A link begins with http:// or https://."))
    if parts.username is not None or parts.password is not None:
        raise Invalid(N_("A link cannot carry a user name or a password."))
    if not host or not _is_host(host):
        raise Invalid(N_("This link names no site."))
    return stripped


def text(typed: str) -> str:
    """Return *typed* with plain line ends and without control characters; raise Invalid when it is too long."""
    lines = typed.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cleaned = "\n".join("".join(c for c in each if c == "\t" or _is_visible(c)).rstrip() for each in lines).strip("\n")
    if len(cleaned) > config.MAX_TEXT_LENGTH:
        raise Invalid(
            N_("A text has %(max)s characters at most; this one has %(length)s."),
            max=config.MAX_TEXT_LENGTH,
            length=len(cleaned),
        )
    return cleaned


def group_name(typed: str) -> str:
    """Return the one spelling of a group's name: NFC, casefolded; raise Invalid when it can be none."""
    name = unicodedata.normalize("NFC", unicodedata.normalize("NFC", typed.strip()).casefold())
    if not 1 <= len(name) <= config.MAX_GROUP_NAME_LENGTH:
        raise Invalid(N_("A group's name has 1 to %(max)s characters."), max=config.MAX_GROUP_NAME_LENGTH)
    # Marks make the vowels of Hindi or Thai and what casefolding leaves of a Turkish İ; none can stand first.
    kinds = [unicodedata.category(c) for c in name]
    if kinds[0][0] == "M" or not all(
        c in "-_" or kind[0] in "LM" or kind == "Nd" for c, kind in zip(name, kinds, strict=True)
    ):
        raise Invalid(N_("A group's name is made of letters, digits, - and _."))
    return name


def user_name(typed: str) -> str:
    """Return a name that a person may take; raise Invalid when it is malformed or reserved."""
    name = member_name(typed)
    if name.lower() in config.RESERVED_NAMES:
        raise Invalid(N_("The name %(name)s is reserved. Please choose another."), name=name)
    return name


def member_name(typed: str) -> str:
    """Return a well-formed user name, reserved ones among them; raise Invalid for anything else."""
    name = typed.strip()
    if not is_member_name(name):
        raise Invalid(
            N_("A user name has %(min)s to %(max)s letters (a to z), digits, - or _."),
            min=config.MIN_USER_NAME_LENGTH,
            max=config.MAX_USER_NAME_LENGTH,
        )
    return name


def is_member_name(name: str) -> bool:
    """Tell whether *name* can be a member's: programs after the book write posters such as ``user:7``."""
    return config.MIN_USER_NAME_LENGTH <= len(name) <= config.MAX_USER_NAME_LENGTH and _USER_NAME.fullmatch(name) is not None


def password(typed: str) -> str:
    """Return *typed* unchanged; raise Invalid when it is too short or too long."""
    if not config.MIN_PASSWORD_LENGTH <= len(typed) <= config.MAX_PASSWORD_LENGTH:
        raise Invalid(
            N_("A password has %(min)s to %(max)s characters."),
            min=config.MIN_PASSWORD_LENGTH,
            max=config.MAX_PASSWORD_LENGTH,
        )
    return typed


def group_title(typed: str) -> str:
    """Return the title of a group as one clean line; raise Invalid when it is empty or too long."""
    cleaned = clean_line(typed)
    if not 1 <= len(cleaned) <= config.MAX_GROUP_TITLE_LENGTH:
        raise Invalid(N_("A group's title has 1 to %(max)s characters."), max=config.MAX_GROUP_TITLE_LENGTH)
    return cleaned


def group_description(typed: str) -> str:
    """Return the description of a group as one clean line, which may be empty; raise Invalid when too long."""
    cleaned = clean_line(typed)
    if len(cleaned) > config.MAX_GROUP_DESCRIPTION_LENGTH:
        raise Invalid(N_("A description has %(max)s characters at most."), max=config.MAX_GROUP_DESCRIPTION_LENGTH)
    return cleaned


def reason(typed: str) -> str:
    """Return the reason of an act as one clean line; raise Invalid when it is empty or too long."""
    cleaned = note(typed)
    if not cleaned:
        raise Invalid(N_("Please give a reason: it stands in the public log."))
    return cleaned


def note(typed: str) -> str:
    """Return a note as one clean line, which may be empty; raise Invalid when it is too long."""
    cleaned = clean_line(typed)
    if len(cleaned) > config.MAX_REASON_LENGTH:
        raise Invalid(N_("%(max)s characters at most, please."), max=config.MAX_REASON_LENGTH)
    return cleaned


def new_form_token() -> str:
    """Return a new one-use token for a form."""
    return secrets.token_urlsafe(12)


def is_form_token(typed: str) -> bool:
    """Tell whether *typed* can be a one-use token."""
    return _TOKEN.fullmatch(typed) is not None


def clean_line(typed: str) -> str:
    """Return *typed* as one line: NFC, no control or direction characters, single blanks, none at the ends."""
    if typed.isascii() and typed.isprintable():  # nearly all titles of an import: nothing to clean but blanks
        return " ".join(typed.split())
    kept = "".join(c if _is_visible(c) else " " if c.isspace() else "" for c in unicodedata.normalize("NFC", typed))
    return " ".join(kept.split())


def _is_visible(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _is_host(host: str) -> bool:
    if ":" in host:  # urlsplit has checked the address between the brackets, but not a zone behind %
        return re.fullmatch(r"[0-9a-f:.]+", host) is not None
    try:
        return bool(ascii_host(host))
    except ValueError:
        return False
