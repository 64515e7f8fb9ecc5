"""What a valid title, link, text or name is: each check returns the value to store or raises Invalid."""

import re
import secrets
import unicodedata
from urllib.parse import urlsplit

from voteweb import config
from voteweb.errors import N_, Invalid
from voteweb.hostnames import ascii_host
from voteweb.models import Draft

# Joiners make emoji and Persian words; every other format character is invisible or turns the reading direction.
_JOINERS = {"\u200c", "\u200d"}
_TITLE_LONG = N_("A title has %(most)s characters at most; this one has %(length)s.")
_LINK_LONG = N_("A link has %(most)s characters at most; this one has %(length)s.")
_TEXT_LONG = N_("A text has %(most)s characters at most; this one has %(length)s.")
_NAME_WRONG = N_("A user name has %(least)s to %(most)s letters (a to z), digits, - or _.")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
_USER_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def title(typed: str) -> str:
    """Return *typed* as one clean line of TITLE_LENGTH characters; raise Invalid when it is none."""
    cleaned = line(typed)
    least, most = config.TITLE_LENGTH
    if len(cleaned) < least or not any(character.isalnum() for character in cleaned):
        raise Invalid(N_("A title needs at least %(least)s characters that can be read."), least=least)
    if len(cleaned) > most:
        raise Invalid(
            N_("A title has %(most)s characters at most; this one has %(length)s."), most=most, length=len(cleaned)
        )
    return cleaned


def link(typed: str) -> str:
    """Return *typed* without the blanks around it, or "" for none; raise Invalid when it is no web address."""
    stripped = typed.strip()
    if not stripped:
        return ""
    if len(stripped) > config.LINK_MOST:
        raise Invalid(
            N_("A link has %(most)s characters at most; this one has %(length)s."),
            most=config.LINK_MOST,
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
    if len(cleaned) > config.TEXT_MOST:
        raise Invalid(
            N_("A text has %(most)s characters at most; this one has %(length)s."),
            most=config.TEXT_MOST,
            length=len(cleaned),
        )
    return cleaned


def draft(raw_title: str, raw_link: str, raw_text: str, groups: tuple[str, ...] = ()) -> Draft:
    """Return the checked article; raise Invalid when a field is wrong or both link and text are missing."""
    made = Draft(title(raw_title), link(raw_link), text(raw_text), groups)
    if not made.link and not made.text:
        raise Invalid(N_("An article needs a link or a text."))
    return made


def group_name(typed: str) -> str:
    """Return the one spelling of a group's name: NFC, casefolded; raise Invalid when it can be none."""
    name = unicodedata.normalize("NFC", unicodedata.normalize("NFC", typed.strip()).casefold())
    if not 1 <= len(name) <= config.GROUP_NAME_MOST:
        raise Invalid(N_("A group's name has 1 to %(most)s characters."), most=config.GROUP_NAME_MOST)
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
        least, most = config.USER_NAME_LENGTH
        raise Invalid(_NAME_WRONG, least=least, most=most)
    return name


def is_member_name(name: str) -> bool:
    """Tell whether *name* can be a member's: programs after the book write posters such as ``user:7``."""
    least, most = config.USER_NAME_LENGTH
    return least <= len(name) <= most and _USER_NAME.fullmatch(name) is not None


def password(typed: str) -> str:
    """Return *typed* unchanged; raise Invalid when it is too short or too long."""
    least, most = config.PASSWORD_LENGTH
    if not least <= len(typed) <= most:
        raise Invalid(N_("A password has %(least)s to %(most)s characters."), least=least, most=most)
    return typed


def group_title(typed: str) -> str:
    """Return the title of a group as one clean line; raise Invalid when it is empty or too long."""
    cleaned = line(typed)
    if not 1 <= len(cleaned) <= config.GROUP_TITLE_MOST:
        raise Invalid(N_("A group's title has 1 to %(most)s characters."), most=config.GROUP_TITLE_MOST)
    return cleaned


def group_description(typed: str) -> str:
    """Return the description of a group as one clean line, which may be empty; raise Invalid when too long."""
    cleaned = line(typed)
    if len(cleaned) > config.GROUP_DESCRIPTION_MOST:
        raise Invalid(N_("A description has %(most)s characters at most."), most=config.GROUP_DESCRIPTION_MOST)
    return cleaned


def reason(typed: str) -> str:
    """Return the reason of an act as one clean line; raise Invalid when it is empty or too long."""
    cleaned = note(typed)
    if not cleaned:
        raise Invalid(N_("Please give a reason: it stands in the public log."))
    return cleaned


def note(typed: str) -> str:
    """Return a note as one clean line, which may be empty; raise Invalid when it is too long."""
    cleaned = line(typed)
    if len(cleaned) > config.REASON_MOST:
        raise Invalid(N_("%(most)s characters at most, please."), most=config.REASON_MOST)
    return cleaned


def fresh_token() -> str:
    """Return a new one-use token for a form."""
    return secrets.token_urlsafe(12)


def is_token(typed: str) -> bool:
    """Tell whether *typed* can be a one-use token."""
    return _TOKEN.fullmatch(typed) is not None


def line(typed: str) -> str:
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
