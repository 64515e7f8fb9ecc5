"""Validation of titles, links, texts and names: each check returns the value to store or raises Invalid."""

import re
import secrets
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from voteweb.core import config, links, passwords
from voteweb.core.addresses import is_public_host
from voteweb.core.errors import N_, Invalid
from voteweb.core.models import Right, Role
from voteweb.core.names import (
    INVISIBLE_LETTERS,
    JOINERS,
    is_in_one_script,
    limit_marks,
    looks_latin,
    name_key,
    only_visible,
    skeleton,
)

#: How many times shorter cleaning can make a text that somebody meant: NFC makes one character of up to four, and no
#: one types more invisible ones. Normalizing takes the square of the length, so that a longer text is refused before.
_MAX_SHRINKING = 10
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
#: The scheme of a URL; "example.com:80" begins with a host.
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?![0-9])|[/?#]", re.IGNORECASE)
#: Characters that a paste adds to a link's ends: blanks, invisible ones, brackets and quotation marks.
_PASTED = "".join(c for c in map(chr, range(0x3001)) if c.isspace() or unicodedata.category(c) in ("Cc", "Cf"))
_PASTED += '\ufeff<>"“”„«»'
#: Characters of a link that a message repeats.
_SHOWN_BEFORE = 30
_APOSTROPHES = ("'", "‘", "’")
_TWO_SCHEMES = re.compile(r"https?:/*https?:", re.IGNORECASE)
_USER_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


#: The character that programs put in the place of bytes which they could not decode.
UNREADABLE = "\ufffd"
#: The message about a name that looks like a reserved one or a moderator's.
LOOK_ALIKE = N_("The name %(name)s looks too much like one that has a meaning here. Please choose another.")
_RESERVED_SKELETONS = frozenset(map(skeleton, config.RESERVED_NAMES))


def accepts(rule: Callable[[str], str], stored: str) -> bool:
    """Tell whether *stored* is what a form with this *rule*, such as :func:`link`, stores."""
    try:
        return rule(stored) == stored
    except Invalid:
        return False


def check_all(*checks: Callable[[], Any]) -> list[Any]:
    """Return the results of *checks*, one for each field of a form; raise Invalid with all that is wrong."""
    results, refusals = list[Any](), list[Invalid]()
    for check in checks:
        try:
            results.append(check())
        except Invalid as error:
            refusals.append(error)
    if refusals:
        raise refusals[0] if len(refusals) == 1 else Invalid("%(errors)s", errors=refusals)
    return results


def title(typed: str) -> str:
    """Return *typed* as a title of one clean line; raise Invalid if it is too short, too long or has no letter."""
    cleaned = clean_line(typed, config.MAX_TITLE_LENGTH)
    shown_length = sum(character not in JOINERS for character in cleaned)
    if shown_length < config.MIN_TITLE_LENGTH or not any(character.isalnum() for character in cleaned):
        raise Invalid(
            N_("A title needs at least %(min)s characters, with a letter or digit among them."),
            min=config.MIN_TITLE_LENGTH,
        )
    if UNREADABLE in cleaned:
        raise Invalid(
            N_("This title has characters that were lost on the way (%(character)s). Please type them."),
            character=UNREADABLE,
        )
    too_long = N_("A title can have at most %(max)s characters; this one has %(length)s.")
    return _at_most(config.MAX_TITLE_LENGTH, cleaned, too_long)


def _at_most(max: int, text: str, too_long: str) -> str:
    """Return *text*; raise Invalid with the message *too_long* if it has more than *max* characters."""
    if len(text) > max:
        raise Invalid(too_long, max=max, length=len(text))
    return text


def link(typed: str) -> str:
    """Return the *typed* link as browsers request it, which may be empty; raise Invalid if it is no web address."""
    too_long = N_("A link can have at most %(max)s characters; this one has %(length)s.")
    stripped = _at_most(config.MAX_LINK_LENGTH, typed.strip(), too_long)
    if not stripped:
        return ""
    _check_characters(stripped)
    if not stripped.lower().startswith(("http://", "https://")):
        raise Invalid(N_("A link must begin with http:// or https://."))
    try:
        address = links.read(stripped)
    except ValueError:
        raise _bad_host(stripped, N_("This link is not a valid web address.")) from None
    if address.has_user:
        raise Invalid(N_("A link cannot contain a user name or a password."))
    if not address.host:
        raise _bad_host(stripped, N_("This link has no valid host name."))
    return _at_most(config.MAX_LINK_LENGTH, address.href, too_long)


def _bad_host(link: str, message: str) -> Invalid:
    """Return the refusal of a *link* that names the character which no host has, or says *message*."""
    character, place = links.misplaced(link)
    if not character:
        return Invalid(message)
    message = N_("The host name of this link cannot contain “%(character)s” (character %(place)s of the link).")
    return Invalid(message, character=character, place=place)


def _check_characters(link: str) -> None:
    """Raise Invalid, which names the place, if *link* has a blank, a backslash or an invisible character."""
    if link.isprintable() and " " not in link and "\\" not in link:  # 8 µs less for each row that is read
        return
    bad = (at for at, c in enumerate(link) if c in " \\" or not (c.isprintable() or c in JOINERS))
    if (at := next(bad, None)) is not None:
        message = N_(
            "A link cannot contain spaces, backslashes or invisible characters; one is at character %(place)s,"
            " after “%(before)s”."
        )
        raise Invalid(message, place=at + 1, before=link[max(at - _SHOWN_BEFORE, 0) : at])


def pasted(typed: str) -> str:
    """Return a *typed* link or domain without what a paste adds to its ends."""
    stripped = typed.strip(_PASTED)
    is_quoted = stripped.startswith(_APOSTROPHES) and stripped.endswith(_APOSTROPHES)
    return stripped[1:-1].strip(_PASTED) if is_quoted else stripped


def typed_link(typed: str) -> str:
    """Return the *typed* link of a new article: as :func:`link` does, with ``https://`` if it has no scheme.

    Takes off what a paste adds to its ends.
    Raises Invalid, too, if not everybody could open it: its host is on this machine or in a private network.
    """
    stripped = pasted(typed)
    if _TWO_SCHEMES.match(stripped):
        raise Invalid(N_("This link begins with http:// or https:// twice."))
    if stripped and not _SCHEME.match(stripped) and _has_public_host(f"https://{stripped}"):
        stripped = f"https://{stripped}"
    checked = link(stripped)
    if checked and not _has_public_host(checked):
        raise Invalid(N_("This link leads to a private network or a single computer, where others cannot follow it."))
    return checked


def _has_public_host(typed: str) -> bool:
    return is_public_host(links.host_of(typed))


def day(typed: str) -> int:
    """Return the unix time at which a *typed* day begins, in UTC; raise Invalid."""
    try:
        if len(typed) != len("2026-11-28"):
            raise ValueError
        return int(datetime.strptime(f"{typed}+0000", "%Y-%m-%d%z").timestamp())
    except ValueError:
        message = N_("%(typed)s is no day. Please write year, month and day, as in %(example)s.")
        raise Invalid(message, typed=typed[:20], example="2026-11-28") from None


def text(typed: str) -> str:
    """Return *typed* with plain line ends and without control characters; raise Invalid if it is too long."""
    too_long = N_("A text can have at most %(max)s characters; this one has %(length)s.")
    return _at_most(config.MAX_TEXT_LENGTH, _clean_text(typed), too_long)


def comment(typed: str) -> str:
    """Return *typed* as :func:`text` does; raise Invalid if it shows nothing, or is too long for a comment."""
    if len(typed) <= _MAX_SHRINKING * config.MAX_COMMENT_LENGTH:
        typed = _clean_text(typed)
    _at_most(
        config.MAX_COMMENT_LENGTH, typed, N_("A comment can have at most %(max)s characters; this one has %(length)s.")
    )
    if not any(unicodedata.category(character)[0] not in "CMZ" for character in typed):
        raise Invalid(N_("Please write something: this comment is empty."))
    return typed


def about(typed: str) -> str:
    """Return what members say about themselves as :func:`text` does, which may be empty; raise Invalid."""
    text = _at_most(config.MAX_ABOUT_LENGTH, _clean_text(typed), N_("Please use at most %(max)s characters."))
    if sum(map(bool, map(str.strip, text.split("\n")))) > config.MAX_ABOUT_LINES:
        raise Invalid(N_("Please use at most %(max)s lines."), max=config.MAX_ABOUT_LINES)
    return text


def group_name(typed: str) -> str:
    """Return a group's name in its one spelling, NFC and casefolded; raise Invalid if it is malformed."""
    name = typed.strip()
    if len(name) <= _MAX_SHRINKING * config.MAX_GROUP_NAME_LENGTH:
        name = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    if not 1 <= len(name) <= config.MAX_GROUP_NAME_LENGTH:
        raise Invalid(N_("A group's name must have 1 to %(max)s characters."), max=config.MAX_GROUP_NAME_LENGTH)
    # Marks are the vowels of Hindi or Thai, and part of a casefolded Turkish İ; none can come first.
    categories = [unicodedata.category(c) for c in name]
    if categories[0][0] == "M" or not all(
        c in "-_" or category[0] in "LM" or category == "Nd" for c, category in zip(name, categories, strict=True)
    ):
        raise Invalid(N_("A group's name can only contain letters, digits, - and _."))
    return name


def new_group_name(typed: str) -> str:
    """Return the name of a group to be created; raise Invalid if it is malformed or could look like another's."""
    name = group_name(typed)
    if not INVISIBLE_LETTERS.isdisjoint(name) or limit_marks(name) != name:
        raise Invalid(N_("A group's name can only contain letters, digits, - and _."))
    return name


def user_name(typed: str) -> str:
    """Return a name for a new member; raise Invalid if it is malformed or reserved, or may pass for a Latin name."""
    name = member_name(typed)
    if name_key(name) in config.RESERVED_NAMES:
        raise Invalid(N_("The name %(name)s is reserved. Please choose another."), name=name)
    if skeleton(name) in _RESERVED_SKELETONS or looks_latin(name):
        raise Invalid(LOOK_ALIKE, name=name)
    return name


def member_name(typed: str) -> str:
    """Return a well-formed user name (NFKC), even a reserved one; raise Invalid if it is malformed."""
    name = normal_name(typed)
    if not is_member_name(name):
        raise Invalid(
            N_("A user name must have %(min)s to %(max)s letters or digits of one script, - or _."),
            min=config.MIN_USER_NAME_LENGTH,
            max=config.MAX_USER_NAME_LENGTH,
        )
    return name


def normal_name(typed: str) -> str:
    """Return *typed* as a user name is stored, without surrounding spaces; one that is far too long as it is."""
    name = typed.strip()
    if name.isascii() or len(name) > _MAX_SHRINKING * config.MAX_USER_NAME_LENGTH:
        return name
    return unicodedata.normalize("NFKC", name)


def is_member_name(name: str) -> bool:
    """Tell whether *name* can be a member's; the programs of *Redis in Action* write posters such as ``user:7``."""
    if not config.MIN_USER_NAME_LENGTH <= len(name) <= config.MAX_USER_NAME_LENGTH:
        return False
    if name.isascii():
        return _USER_NAME.fullmatch(name) is not None
    key = name_key(name)
    return is_in_one_script(name) and len(key) <= config.MAX_USER_NAME_LENGTH and is_in_one_script(key)


def is_member_key(name: str) -> bool:
    """Tell whether *name* is that of a member as keys and sets spell it."""
    return is_member_name(name) and name == name_key(name)


def password(typed: str, *names: str) -> str:
    """Return *typed* in the form NFC; raise Invalid if its length is wrong, or if it is common or one of *names*."""
    typed = passwords.normal("NFC", typed)
    if not config.MIN_PASSWORD_LENGTH <= len(typed) <= config.MAX_PASSWORD_LENGTH:
        raise Invalid(
            N_("A password must have %(min)s to %(max)s characters."),
            min=config.MIN_PASSWORD_LENGTH,
            max=config.MAX_PASSWORD_LENGTH,
        )
    if _letters(typed) in {_letters(name) for name in names} - {""}:
        raise Invalid(N_("A password cannot be your user name or the name of this site. Please choose another."))
    if typed.casefold() in passwords.common():
        raise Invalid(
            N_("Passwords such as this one are guessed first. Please choose another; several words in a row are best.")
        )
    return typed


def _letters(text: str) -> str:
    """Return the letters of *text* without case: all that a guess of a name with digits and signs leaves."""
    return "".join(filter(str.isalpha, text.casefold()))


def group_title(typed: str) -> str:
    """Return the title of a group as one clean line; raise Invalid if it is empty or too long."""
    message = N_("A group's title must have 1 to %(max)s characters.")
    return _line(typed, 1, config.MAX_GROUP_TITLE_LENGTH, message, message)


def group_description(typed: str) -> str:
    """Return the description of a group as one clean line, which may be empty; raise Invalid if it is too long."""
    too_long = N_("A description can have at most %(max)s characters.")
    return _line(typed, 0, config.MAX_GROUP_DESCRIPTION_LENGTH, "", too_long)


def reason(typed: str) -> str:
    """Return the reason of an act as one clean line; raise Invalid if it is empty or too long."""
    return _line(typed, 1, config.MAX_REASON_LENGTH, N_("Please give a reason. It is shown in the public log."))


def _line(
    typed: str, min: int, max: int, too_short: str, too_long: str = N_("Please use at most %(max)s characters.")
) -> str:
    """Return *typed* as one clean line; raise Invalid with one of the messages if it has the wrong length."""
    line = clean_line(typed, max)
    if len(line) < min:
        raise Invalid(too_short, max=max)
    return _at_most(max, line, too_long)


def note(typed: str, max: int = config.MAX_REASON_LENGTH) -> str:
    """Return a note as one clean line, which may be empty; raise Invalid if it has more than *max* characters."""
    return _line(typed, 0, max, "")


def program_name(typed: str) -> str:
    """Return the name of a program as one clean line; raise Invalid if it is empty or too long."""
    return _line(typed, 1, config.MAX_PROGRAM_NAME_LENGTH, N_("Please name the program, so that you know it again."))


def program_rights(typed: Sequence[str], role: Role) -> tuple[Right, ...]:
    """Return the rights of a program of a member with this *role*; raise Invalid for none, or others."""
    rights = tuple(right for right in Right if right in typed)
    if not rights or len(rights) < len(set(typed)) or (Right.MODERATE in rights and role is Role.MEMBER):
        raise Invalid(N_("Please choose what the program may do."))
    return rights


def program_days(typed: str) -> int:
    """Return the days after which the token of a program ends; raise Invalid unless there may be so many."""
    if not re.fullmatch("[0-9]{1,4}", typed.strip(), re.ASCII) or not 1 <= int(typed) <= config.MAX_PROGRAM_DAYS:
        raise Invalid(N_("Please type a whole number from %(min)s to %(max)s."), min=1, max=config.MAX_PROGRAM_DAYS)
    return int(typed)


def member_note(typed: str) -> str:
    """Return a note on a member as one clean line; raise Invalid if it is empty or too long."""
    return _line(typed, 1, config.MAX_REASON_LENGTH, N_("Please write the note first."))


def request(typed: str) -> str:
    """Return a sentence to the moderators as one clean line; raise Invalid if it is too short or too long."""
    too_short = N_("Please write a sentence to the moderators, so that they can decide.")
    return _line(typed, config.MIN_REQUEST_LENGTH, config.MAX_REASON_LENGTH, too_short)


def rule_domain(typed: str) -> str:
    """Return the domain that was typed, or that of the link, as rules have it; raise Invalid."""
    address = pasted(typed)
    is_short = len(address) <= 2 * config.MAX_HOST_LENGTH  # before any work on it
    host = links.domain(address if "://" in address else f"https://{address}") if is_short else ""
    if not is_rule_domain(host):
        message = N_("This is no domain. Write it as in example.com, with at most %(max)s parts.")
        raise Invalid(message, max=config.MAX_RULE_LABELS)
    return host


def is_rule_domain(stored: str) -> bool:
    """Tell whether *stored* has the form of what :func:`rule_domain` returns, now or in an earlier version."""
    return links.is_domain(stored) and 1 <= stored.count(".") < config.MAX_RULE_LABELS


def new_submission_token() -> str:
    return secrets.token_urlsafe(12)


def is_submission_token(typed: str) -> bool:
    """Tell whether *typed* can be a token of :func:`new_submission_token`."""
    return _TOKEN.fullmatch(typed) is not None


def clean_line(typed: str, max_length: int) -> str:
    """Return *typed* as one line: NFC, no control or direction characters, single spaces, none at the ends.

    A line that cannot be as short as *max_length* afterwards is returned without NFC, to be refused.
    """
    line = " ".join(typed.split())
    if line.isascii() and line.isprintable():  # most imported titles: only spaces to clean
        return line
    if len(line) > _MAX_SHRINKING * max_length:
        return line
    normal = unicodedata.normalize("NFC", line)
    visible = only_visible(normal, lambda c: " " if c.isspace() else "")
    return " ".join(limit_marks(unicodedata.normalize("NFC", visible)).split())


def _clean_text(typed: str) -> str:
    """Return *typed* with plain line ends, without characters that show nothing and without blanks at the ends."""
    lines = typed.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(only_visible(line, lambda c: "\t" if c == "\t" else "").rstrip() for line in lines).strip("\n")
