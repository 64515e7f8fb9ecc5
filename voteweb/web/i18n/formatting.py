"""Messages, names, numbers and dates in the language of the current response; times are unix seconds."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import ceil
from typing import Literal

from babel import dates
from babel.numbers import format_decimal
from flask_babel import lazy_gettext as _l
from markupsafe import Markup

from voteweb.core import config, markup
from voteweb.core.comments import AccountChange
from voteweb.core.errors import VotewebError
from voteweb.core.models import LogAction, Period, Right, Role
from voteweb.store.schema.values import finite_number
from voteweb.web.i18n import locale
from voteweb.web.i18n.locale import gettext, ngettext

_DAY = 86_400
#: Units of ages, in seconds: year, month, day, hour, minute.
_UNITS = (365 * _DAY, 30 * _DAY, _DAY, 3_600, 60)
#: Numbers and ages whose text in one language is formatted once.
_NUMBER_CACHE_SIZE = 4_096
_AGE_CACHE_SIZE = 1_024
ROLE_NAMES = {Role.MEMBER: _l("member"), Role.MODERATOR: _l("moderator"), Role.ADMIN: _l("admin")}
#: The names of the periods of which the top articles are listed, and their titles.
PERIOD_NAMES = {
    Period.DAY: _l("Day"),
    Period.WEEK: _l("Week"),
    Period.MONTH: _l("Month"),
    Period.YEAR: _l("Year"),
    Period.ALL: _l("All time"),
}
PERIOD_TITLES = {
    Period.DAY: _l("Top of the last 24 hours"),
    Period.WEEK: _l("Top of the last 7 days"),
    Period.MONTH: _l("Top of the last 30 days"),
    Period.YEAR: _l("Top of the last 365 days"),
    Period.ALL: _l("Top of all time"),
}
#: The sentences of the inbox about changes of the member's account.
ACCOUNT_CHANGES = {
    AccountChange.PASSWORD: _l("Your password was changed"),
    AccountChange.CODES: _l("New recovery codes of yours were made"),
    AccountChange.MAIL: _l("Your e-mail address was changed"),
    AccountChange.MAIL_REMOVED: _l("Your e-mail address was removed"),
    AccountChange.SECOND_FACTOR: _l("Your second factor was turned on"),
    AccountChange.SECOND_FACTOR_OFF: _l("Your second factor was turned off"),
    AccountChange.FEED: _l("A feed of yours got a secret address"),
    AccountChange.PROGRAM: _l("A program of yours got a token"),
    AccountChange.PROGRAM_ENDED: _l("The token of a program of yours was withdrawn"),
}
#: What the rights of programs are, in words.
RIGHT_NAMES = {
    Right.READ: _l("read what only you see"),
    Right.OWN: _l("save, hide, follow, mark as read"),
    Right.VOTE: _l("vote"),
    Right.POST: _l("post, comment, edit, delete, report"),
    Right.MODERATE: _l("moderate, as far as your role goes"),
}
#: The names of the ways in which people join, as VOTEWEB_SIGNUP has them.
SIGNUP_NAMES = {
    "open": _l("everybody"),
    "approve": _l("everybody whom a moderator lets in"),
    "invite": _l("who is invited"),
    "closed": _l("nobody"),
}
#: The pages of the site that admins can write.
TEXT_NAMES = {
    "rules": _l("Rules"),
    "privacy": _l("Additions to the privacy page"),
    "guide": _l("Guide for moderators"),
}
#: The names of the settings that shape scores, by their fields; any other setting is named by its field.
WEIGHT_NAMES = {
    "vote-score": _l("seconds per vote"),
    "good-votes": _l("votes of a good article"),
    "lift-days": _l("most days by which votes lift an article (0: no limit)"),
    "comment-vote-score": _l("seconds per vote on a comment"),
}
#: The labels of the kinds of log entries.
LOG_ACTIONS = {
    LogAction.GROUPS: _l("articles sorted into groups"),
    LogAction.EDIT: _l("articles edited"),
    LogAction.REMOVE: _l("articles and comments removed"),
    LogAction.RESTORE: _l("articles and comments restored"),
    LogAction.DISMISS: _l("reports dismissed"),
    LogAction.BAN: _l("members banned"),
    LogAction.UNBAN: _l("bans lifted"),
    LogAction.ROLE: _l("roles changed"),
    LogAction.GROUP: _l("groups created or changed"),
    LogAction.DELETE_GROUP: _l("groups deleted"),
    LogAction.MERGE_GROUP: _l("groups merged"),
    LogAction.PLAN_MERGE: _l("merges of groups planned"),
    LogAction.STOP_MERGE: _l("merges of groups stopped"),
    LogAction.ADMIT: _l("members let in"),
    LogAction.REFUSE: _l("accounts refused"),
    LogAction.CLOSE: _l("conversations closed"),
    LogAction.REOPEN: _l("conversations reopened"),
    LogAction.DOMAIN: _l("domain rules made or changed"),
    LogAction.RELEASE: _l("articles published"),
    LogAction.UNDOMAIN: _l("domain rules deleted"),
    LogAction.KEEP: _l("removals and bans left as they are"),
    LogAction.SWITCH: _l("switches set by admins"),
    LogAction.SECOND_FACTOR: _l("second factors turned off by the operator"),
    LogAction.PROGRAM: _l("tokens of programs ended by admins"),
    LogAction.PURGE: _l("articles purged"),
    LogAction.UNDISMISS: _l("reports opened again"),
    LogAction.WEIGHTS: _l("weights of the ranking changed"),
    LogAction.UNDO: _l("acts of a member undone"),
    LogAction.ABOUT: _l("lines about a member judged"),
}


class _Message(str):
    """A text which has its time as an element where it is written into a page."""

    html: Markup

    def __html__(self) -> Markup:
        return self.html


def error_message(error: VotewebError) -> str:
    """Return the translated message of *error*, with its values formatted."""
    if "errors" in error.values:
        return " ".join(map(error_message, error.values["errors"]))
    values = dict(error.values)
    for name in ("wait", "span", "interval"):
        if name in values:
            values[name] = duration(values[name] if values[name] < 60 else 60 * ceil(values[name] / 60))
    if "right" in values:
        values["right"] = RIGHT_NAMES[values["right"]]
    for name in ("things", "hint"):
        if values.get(name):
            values[name] = gettext(values[name])
    for name, value in values.items():
        if isinstance(value, int):
            values[name] = format_number(value)
    template = gettext(error.template)
    if "when" not in error.values:
        return template % values
    when = error.values["when"]
    message = _Message((template % (values | {"when": format_datetime(when)})).strip())
    message.html = (markup.trusted(template) % (values | {"when": time_element(when)})).strip()
    return message


def script_error(message: str, **code: str) -> dict[str, str]:
    """Return an error for script: a *message* with a time is also HTML, in which script puts the local time."""
    html = {"html": message.html} if isinstance(message, _Message) else {}
    return {**code, "message": message, **html}


def format_number(value: float) -> str:
    """Return *value* with the separators of the language."""
    return _format_number(locale.current().code, value)


# Without this, a list of comments that is read afresh takes a quarter longer.
@lru_cache(maxsize=_NUMBER_CACHE_SIZE)
def _format_number(code: str, value: float) -> str:
    return format_decimal(value, locale=code)


def join_names(names: Iterable[str]) -> str:
    return locale.current().separator.join(names)


def weight_changes(changes: Mapping[str, tuple[str, str]]) -> str:
    """Return the *changes* of settings, each with its old and its new number, as one list."""
    sentence = gettext("%(what)s from %(old)s to %(new)s")
    numbers = {field: [format_number(finite_number(value) or 0) for value in pair] for field, pair in changes.items()}
    return join_names(
        sentence % {"what": WEIGHT_NAMES.get(field, field), "old": old, "new": new}
        for field, (old, new) in numbers.items()
    )


def display_name(name: str) -> str:
    """Return *name* as it is shown: the names that stand for deleted members and the command line are translated."""
    if name == config.DELETED_MEMBER:
        return gettext("[deleted]")
    return gettext("command line") if name == config.COMMAND_LINE else name


def _counter(singular: str, plural: str) -> Callable[[int], str]:
    """Return a function that tells a number of things in the language of the response."""
    return lambda count: ngettext(singular, plural, count, count=format_number(count))


code_count = _counter("%(count)s recovery code", "%(count)s recovery codes")
vote_count = _counter("%(count)s vote", "%(count)s votes")
article_count = _counter("%(count)s article", "%(count)s articles")
comment_count = _counter("%(count)s comment", "%(count)s comments")
#: Comments that the viewer has not seen.
new_count = _counter("%(count)s new", "%(count)s new")
reply_count = _counter("%(count)s reply", "%(count)s replies")
#: Replies that are on another page.
more_replies = _counter("%(count)s more reply", "%(count)s more replies")
#: Log entries.
action_count = _counter("%(count)s entry", "%(count)s entries")
act_count = _counter("%(count)s act", "%(count)s acts")
invitation_count = _counter("%(count)s invitation", "%(count)s invitations")
rule_count = _counter("%(count)s rule", "%(count)s rules")
report_count = _counter("%(count)s report", "%(count)s reports")


def format_datetime(time: float) -> str:
    """Return the date, hour and minute of *time* in UTC."""
    return _format_utc(time, locale.current().datetime_pattern)


def time_element(time: float) -> Markup:
    """Return the date, hour and minute of *time* in UTC, which script replaces by local ones."""
    return markup.trusted('<time datetime="%s">%s</time>') % (iso(time), format_datetime(time))


def format_times(first: float, last: float) -> str:
    """Return the times in UTC from *first* to *last*: hours and minutes, with dates if these are two days."""
    if first // _DAY != last // _DAY:
        return f"{format_datetime(first)} – {format_datetime(last)}"
    begin, end = (_format_utc(time, locale.TIME_PATTERN) for time in (first, last))
    return end if first // 60 == last // 60 else f"{begin.removesuffix(' UTC')}–{end}"


def _format_utc(time: float, pattern: str) -> str:
    """Return *time* in UTC by *pattern*, which formats a datetime and the short name of its month."""
    when = datetime.fromtimestamp(time, UTC)
    # Babel's format_datetime() takes nine times as long, a tenth of a list whose rows are not kept.
    return pattern.format(when, month=_month_names(locale.current().code)[when.month]) + " UTC"


@lru_cache
def _month_names(code: str) -> Mapping[int, str]:
    return dict(dates.get_month_names("abbreviated", locale=code))


def iso(time: float) -> str:
    """Return *time* in ISO 8601, for programs."""
    return datetime.fromtimestamp(time, UTC).isoformat()[:19] + "Z"


def round_age(seconds: float) -> int:
    """Return *seconds* rounded down as :func:`relative_time` tells them, so that equal texts have equal numbers."""
    for unit in _UNITS:
        if seconds >= unit:
            return int(seconds // unit) * unit
    return 0


def next_age(seconds: float) -> float:
    """Return the least age above *seconds* of which :func:`round_age` makes another one."""
    unit = next((unit for unit in _UNITS if seconds >= unit), _UNITS[-1])
    return min((seconds // unit + 1) * unit, *(larger for larger in _UNITS if larger > seconds), float("inf"))


def relative_time(seconds: float) -> str:
    """Return how long ago something happened, in its largest unit; in days up to a month."""
    age = round_age(seconds)
    return _relative_time(locale.current().code, age) if age else gettext("just now")


def span(seconds: float) -> str:
    """Return how long something lasts as :func:`relative_time` tells it, but without a direction."""
    return _relative_time(locale.current().code, round_age(seconds), has_direction=False)


def short_age(seconds: float) -> str:
    """Return how long ago something happened as :func:`span` tells it, in short words for a phone."""
    if not (age := round_age(seconds)):
        return gettext("just now")
    return _relative_time(locale.current().code, age, has_direction=False, width="short")


# Without this, a list of comments that is read afresh takes 9 % longer.
@lru_cache(maxsize=_AGE_CACHE_SIZE)
def _relative_time(code: str, age: int, *, has_direction: bool = True, width: Literal["long", "short"] = "long") -> str:
    # A threshold above the weeks of a month: Babel would tell weeks.
    is_in_days = _DAY <= age < 30 * _DAY
    return dates.format_timedelta(
        timedelta(seconds=-age),
        granularity="day" if is_in_days else "second",
        threshold=5 if is_in_days else 1,
        add_direction=has_direction,
        format=width,
        locale=code,
    )


def coarse_duration(seconds: float) -> str:
    """Return *seconds* in hours and minutes, or from a day on in days and hours."""
    return duration(round(seconds / 3_600) * 3_600 if seconds >= _DAY else round(seconds / 60) * 60)


def duration(seconds: float) -> str:
    """Return *seconds* in their two largest units, of days, hours, minutes and seconds."""
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
