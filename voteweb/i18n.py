"""Words, dates and numbers for the person at the other end: the only place where they are made local."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from babel.dates import format_datetime, format_timedelta
from babel.numbers import format_decimal
from flask_babel import lazy_gettext as _l

from voteweb import config, language
from voteweb.errors import VotewebError
from voteweb.language import gettext, ngettext
from voteweb.models import Act, Role

#: Seconds of the units in which ages are told: year, month, week, day, hour, minute.
_UNITS = (365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3_600, 60)
#: What members may do, in words.
ROLES = {
    Role.MEMBER: _l("member"),
    Role.MODERATOR: _l("moderator"),
    Role.ADMIN: _l("admin"),
}
#: The kinds of acts in the log, in words.
ACTS = {
    Act.GROUPS: _l("articles sorted into groups"),
    Act.EDIT: _l("articles edited"),
    Act.REMOVE: _l("articles removed"),
    Act.RESTORE: _l("articles restored"),
    Act.DISMISS: _l("reports dismissed"),
    Act.BAN: _l("members banned"),
    Act.UNBAN: _l("members let in again"),
    Act.ROLE: _l("roles given"),
    Act.GROUP: _l("groups made or changed"),
}


def refusal(error: VotewebError) -> str:
    """Return what *error* says, in the reader's language."""
    values = dict(error.values)
    if "when" in values:
        values["when"] = moment(values["when"])
    if "wait" in values:
        values["wait"] = duration(values["wait"])
    for name, value in values.items():
        if isinstance(value, int):
            values[name] = number(value)
    return gettext(error.words) % values


def number(value: float) -> str:
    """Return a number with the separators of the reader's language."""
    return _number(language.current().code, value)


@lru_cache(maxsize=4096)
def _number(code: str, value: float) -> str:
    return format_decimal(value, locale=code)


def listed(names: Iterable[str]) -> str:
    """Return names one after the other."""
    return language.current().comma.join(names)


def person(name: str) -> str:
    """Return the name of somebody, or words where it is no name: a member who left, the operator."""
    if name == config.NOBODY:
        return gettext("[deleted]")
    return gettext("command line") if name == config.COMMAND_LINE else name


def votes(count: int) -> str:
    """Return a number of votes in words."""
    return ngettext("%(count)s vote", "%(count)s votes", count, count=number(count))


def articles(count: int) -> str:
    """Return a number of articles in words."""
    return ngettext("%(count)s article", "%(count)s articles", count, count=number(count))


def acts(count: int) -> str:
    """Return a number of acts in the log in words."""
    return ngettext("%(count)s act", "%(count)s acts", count, count=number(count))


def moment(time: float) -> str:
    """Return a unix time as a date with hour and minute, in UTC."""
    return _written(time, language.current().moment)


def clock(time: float) -> str:
    """Return the time of the day of a unix time, with seconds, in UTC."""
    return _written(time, "HH:mm:ss")


def _written(time: float, pattern: str) -> str:
    return format_datetime(datetime.fromtimestamp(time, UTC), pattern, locale=language.current().code) + " UTC"


def iso(time: float) -> str:
    """Return a unix time as ISO 8601, for machines."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rounded(seconds: float) -> int:
    """Return *seconds* rounded to what :func:`age` tells of them, so that one text has one number."""
    for unit in _UNITS:
        if seconds >= unit:
            return round(seconds / unit) * unit
    return 0


def age(seconds: float) -> str:
    """Return how long ago something was, in its largest unit."""
    whole = rounded(seconds)
    return _age(language.current().code, whole) if whole else gettext("just now")


@lru_cache(maxsize=1024)
def _age(code: str, seconds: int) -> str:
    return format_timedelta(timedelta(seconds=-seconds), add_direction=True, threshold=1, locale=code)


def duration(seconds: float) -> str:
    """Return a span of time in its two largest units, of days, hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [
        (days, ngettext("%(num)s day", "%(num)s days", days, num=days)),
        (hours, gettext("%(count)s h", count=hours)),
        (minutes, gettext("%(count)s min", count=minutes)),
        (rest, gettext("%(count)s s", count=rest)),
    ]
    larger, smaller, *_ = [*(text for count, text in parts if count), "", ""]
    if not smaller:
        return larger or parts[-1][1]
    return gettext("%(larger)s %(smaller)s", larger=larger, smaller=smaller)
