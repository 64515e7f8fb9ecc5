"""Checks of single values of a backup's records, by the rules of the forms.

Taste is left out of what members write: a title or a name that would be refused in a new post is restored. What has
never been stored is a fault: an address of another kind, a character that turns the direction of a text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from voteweb.core import config, validation
from voteweb.core.characters import INVISIBLE_LETTERS, is_visible
from voteweb.store.keys import is_member_id

#: Ids are counted from 1: nobody posts more than this.
MAX_ID = 2**53
#: Characters of names of any program, of texts, and of all other values.
MAX_NAME_LENGTH, MAX_TEXT_LENGTH, MAX_VALUE_LENGTH = 100, 10 * config.MAX_TEXT_LENGTH, 10_000
MAX_FIELDS = 1_000
_TIME = re.compile(r"[0-9]{1,11}(\.[0-9]{1,8})?")
_COUNT = re.compile(r"-?[0-9]{1,12}")
_STATE = re.compile(r"[0-9a-f]{16}")
#: What texts have besides characters that are seen: line ends, also of other programs, and tabs.
_LINE_ENDS = str.maketrans("", "", "\n\t\u2028\u2029")

Check = Callable[[str], bool]


def value_faults(what: str, **valid: bool) -> Iterator[str]:
    """Yield a message for each value that is not *valid*."""
    for name, is_valid in valid.items():
        if not is_valid:
            yield f"{what} has a value out of range: {name}"


def hash_faults(
    what: str, fields: Mapping[str, str], checks: Mapping[str, Check], required: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield what is wrong with the *fields* of a hash: those that *checks* refuse, or are missing, or too large."""
    if len(fields) > MAX_FIELDS:
        yield f"{what} has {len(fields):,} fields"
        return
    for name in required:
        if name not in fields:
            yield f"{what} has no {name}"
    for name, value in fields.items():
        limit = MAX_TEXT_LENGTH if name == "text" else MAX_VALUE_LENGTH
        if len(name) > MAX_NAME_LENGTH or len(value) > limit:
            yield f"{what} has a field of {len(value):,} characters: {shown(name)}"
        elif name in checks and not checks[name](value):
            yield f"{what} has the {name} {shown(value)}"


def shown(text: str) -> str:
    return repr(text if len(text) <= MAX_NAME_LENGTH else f"{text[:MAX_NAME_LENGTH]}…")


def stored_by(rule: Callable[[str], str]) -> Check:
    """Return the check of what a form with this *rule* stores."""
    return partial(validation.accepts, rule)


def line_of(max_length: int) -> Check:
    """Return the check of a line of at most *max_length* characters that somebody wrote."""
    return lambda text: len(text) <= max_length and _are_visible(text)


def text_of(max_length: int) -> Check:
    """Return the check of a text of at most *max_length* characters that somebody wrote."""
    return lambda text: len(text) <= max_length and _are_visible(text.translate(_LINE_ENDS))


def _are_visible(text: str) -> bool:
    return text.isprintable() or all(is_visible(c) or c in INVISIBLE_LETTERS for c in text)


#: A name that another program may have chosen, such as user:7.
is_foreign_name = line_of(MAX_NAME_LENGTH)
is_group_name = stored_by(validation.group_name)
#: A reason, or other words of moderators in one line.
is_note = stored_by(validation.note)


def are_group_names(names: str) -> bool:
    return all(map(is_group_name, names.split()))


def is_id(id: int) -> bool:
    return 0 < id <= MAX_ID


def is_id_text(text: str) -> bool:
    return len(text) < 20 and is_member_id(text) and is_id(int(text))


def is_expiry(milliseconds: int | None) -> bool:
    return milliseconds is None or milliseconds < 1_000 * config.MAX_TIME


def is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None and float(text) < config.MAX_TIME


def is_count(text: str) -> bool:
    return _COUNT.fullmatch(text) is not None


def is_reset(link: str) -> bool:
    """Tell whether *link* is the value of a one-time link: a member, and for which password and address it was made."""
    name, *states = link.split(" ")
    return validation.is_member_key(name) and 1 <= len(states) <= 2 and all(map(_STATE.fullmatch, states))


def one_of(values: Iterable[str]) -> Check:
    return frozenset(map(str, values)).__contains__
