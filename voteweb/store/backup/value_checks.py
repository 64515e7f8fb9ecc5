"""Checks of single values of a backup's records."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from voteweb.core import config
from voteweb.store.reports import parse_report
from voteweb.store.scanner import finite_number

#: Ids are counted from 1: nobody posts more than this.
MAX_ID = 2**53
#: Characters of names and tokens, of texts, and of all other values.
MAX_NAME_LENGTH, MAX_TEXT_LENGTH, MAX_VALUE_LENGTH = 100, 10 * config.MAX_TEXT_LENGTH, 10_000
MAX_FIELDS = 1_000

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


def is_name(text: str) -> bool:
    return 0 < len(text) <= MAX_NAME_LENGTH and ":" not in text


def is_id(id: int) -> bool:
    return 0 < id <= MAX_ID


def is_id_text(text: str) -> bool:
    return len(text) < 20 and text.isascii() and text.isdigit() and is_id(int(text))


def is_expiry(milliseconds: int | None) -> bool:
    return milliseconds is None or milliseconds < 1_000 * config.MAX_TIME


def is_time(text: str) -> bool:
    time = finite_number(text)
    return time is not None and 0 <= time < config.MAX_TIME


def is_count(text: str) -> bool:
    try:
        return len(text) < 20 and abs(int(text)) < config.MAX_VOTES
    except ValueError:
        return False


def is_report(stored: str) -> bool:
    try:
        return len(stored) <= MAX_VALUE_LENGTH and is_time(str(parse_report(stored).time))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def one_of(values: Any) -> Check:
    return frozenset(map(str, values)).__contains__
