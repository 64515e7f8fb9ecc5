"""Words, dates and numbers for the person at the other end: the only place where they are made local."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from babel import dates
from babel.numbers import format_decimal
from flask_babel import lazy_gettext as _l

from voteweb.core import config
from voteweb.core.errors import VotewebError
from voteweb.core.models import LogAction, Role
from voteweb.web.i18n import locale
from voteweb.web.i18n.locale import gettext, ngettext

#: Seconds of the units in which ages are told: year, month, week, day, hour, minute.
_UNITS = (365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3_600, 60)
#: What members may do, in words.
ROLES = {
    Role.MEMBER: _l("member"),
    Role.MODERATOR: _l("moderator"),
    Role.ADMIN: _l("admin"),
}
#: The kinds of acts in the log, in words.
LOG_ACTIONS = {
    LogAction.GROUPS: _l("articles sorted into groups"),
    LogAction.EDIT: _l("articles edited"),
    LogAction.REMOVE: _l("articles removed"),
    LogAction.RESTORE: _l("articles restored"),
    LogAction.DISMISS: _l("reports dismissed"),
    LogAction.BAN: _l("members banned"),
    LogAction.UNBAN: _l("members let in again"),
    LogAction.ROLE: _l("roles given"),
    LogAction.GROUP: _l("groups made or changed"),
}


def error_message(error: VotewebError) -> str:
    """Return what *error* says, in the reader's language."""
    values = dict(error.values)
    if "when" in values:
        values["when"] = format_datetime(values["when"])
    if "wait" in values:
        values["wait"] = duration(values["wait"])
    for name, value in values.items():
        if isinstance(value, int):
            values[name] = format_number(value)
    return gettext(error.words) % values


def format_number(value: float) -> str:
    """Return a number with the separators of the reader's language."""
    return _number(locale.current().code, value)


@lru_cache(maxsize=4096)
def _number(code: str, value: float) -> str:
    return format_decimal(value, locale=code)


def join_names(names: Iterable[str]) -> str:
    """Return names one after the other."""
    return locale.current().comma.join(names)


def display_name(name: str) -> str:
    """Return the name of somebody, or words where it is no name: a member who left, the operator."""
    if name == config.DELETED_MEMBER:
        return gettext("[deleted]")
    return gettext("command line") if name == config.COMMAND_LINE else name


def vote_count(count: int) -> str:
    """Return a number of votes in words."""
    return ngettext("%(count)s vote", "%(count)s votes", count, count=format_number(count))


def article_count(count: int) -> str:
    """Return a number of articles in words."""
    return ngettext("%(count)s article", "%(count)s articles", count, count=format_number(count))


def action_count(count: int) -> str:
    """Return a number of acts in the log in words."""
    return ngettext("%(count)s act", "%(count)s acts", count, count=format_number(count))


def format_datetime(time: float) -> str:
    """Return a unix time as a date with hour and minute, in UTC."""
    return _written(time, locale.current().moment)


def format_time(time: float) -> str:
    """Return the time of the day of a unix time, with seconds, in UTC."""
    return _written(time, "HH:mm:ss")


def _written(time: float, pattern: str) -> str:
    return dates.format_datetime(datetime.fromtimestamp(time, UTC), pattern, locale=locale.current().code) + " UTC"


def iso(time: float) -> str:
    """Return a unix time as ISO 8601, for machines."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def round_age(seconds: float) -> int:
    """Return *seconds* rounded to what :func:`age` tells of them, so that one text has one number."""
    for unit in _UNITS:
        if seconds >= unit:
            return round(seconds / unit) * unit
    return 0


def relative_time(seconds: float) -> str:
    """Return how long ago something was, in its largest unit."""
    whole = round_age(seconds)
    return _age(locale.current().code, whole) if whole else gettext("just now")


@lru_cache(maxsize=1024)
def _age(code: str, seconds: int) -> str:
    return dates.format_timedelta(timedelta(seconds=-seconds), add_direction=True, threshold=1, locale=code)


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
