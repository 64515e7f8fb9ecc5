"""Check the values of a backup's records: what the site that wrote them could not have stored is a fault.

Taste is left out: a title or a name that would be refused in a new post is restored. Sizes are several times those that
any version has accepted, since a program after the book checks none.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from voteweb.core import config
from voteweb.core.models import ArticleStatus, LogAction, Role
from voteweb.store import fingerprints
from voteweb.store.backup import records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.keys import is_article
from voteweb.store.reports import parse_report
from voteweb.store.scanner import finite_number

#: Groups of one article: VOTEWEB_MAX_GROUPS may be high, and each group takes 300 bytes.
MAX_ARTICLE_GROUPS = 100
#: Ids are counted from 1: nobody posts more than this.
MAX_ID = 2**53
#: Characters of names and tokens, of texts, and of all other values.
MAX_NAME_LENGTH, MAX_TEXT_LENGTH, MAX_VALUE_LENGTH = 100, 10 * config.MAX_TEXT_LENGTH, 10_000
MAX_FIELDS = 1_000

Check = Callable[[str], bool]


def field_faults(record: BackupRecord) -> Iterator[str]:
    """Yield what is wrong with the values of *record*, which have the right types."""
    match record:
        case records.Form():
            yield from _faults("a form", id=_is_id(record.member), token=_is_name(record.token))
            yield from _faults("a form", article=_is_id(record.article), until=_is_expiry(record.until))
        case records.Imported():
            yield from _faults("a record of imported rows", digests=all(map(_is_name, record.digests)))
        case records.Fingerprints():
            known = fingerprints.BUCKETS << 64
            yield from _faults("a record of imported rows", rows=all(row < known for row in record.rows))
        case records.Invitation():
            what = f"the invitation {_shown(record.token)}"
            yield from _faults(what, token=_is_name(record.token))
            yield from _field_faults(what, record.fields, _INVITATION, ("by", "until"))
        case records.Reset():
            what = "a one-time link"
            yield from _faults(what, digest=_is_name(record.digest), name=_is_name(record.name))
            yield from _faults(what, until=_is_expiry(record.until), state=len(record.state) <= MAX_NAME_LENGTH)
        case records.Reported():
            articles = _are_reported(record.articles)
            yield from _faults(f"what {_shown(record.name)} reported", name=_is_name(record.name), articles=articles)
        case records.Article():
            yield from _article_faults(record)
        case records.Group():
            what = f"the group {_shown(record.name)}"
            yield from _faults(what, name=_is_name(record.name) and not any(map(str.isspace, record.name)))
            yield from _field_faults(what, record.fields, {})
        case records.Member():
            what, spelled = f"the member {_shown(record.name)}", record.fields.get("name", "")
            yield from _faults(
                what, name=_is_name(record.name) and record.name == record.name.lower() == spelled.lower()
            )
            yield from _field_faults(what, record.fields, _MEMBER, ("id", "role", "since"))
        case records.LogEntry():
            yield from _faults(f"log entry {record.id}", id=_is_id(record.id))
            yield from _field_faults(f"log entry {record.id}", record.fields, _LOG_ENTRY, ("kind", "who", "time"))
        case records.Counters():
            ids = {"articles": record.articles, "members": record.members, "entries": record.entries}
            yield from _faults("the record of last ids", **{name: id <= MAX_ID for name, id in ids.items()})
        case records.Key():
            yield from _key_faults(record)


def _are_reported(articles: list[int] | dict[str, str]) -> bool:
    """Tell whether *articles* are ids, or the reports of format 1 by article."""
    if isinstance(articles, list):
        return all(map(_is_id, articles))
    return all(is_article(member) and len(text) <= MAX_VALUE_LENGTH for member, text in articles.items())


def _article_faults(record: records.Article) -> Iterator[str]:
    what = f"article {record.id}"
    voters = all(_is_id(voter) if isinstance(voter, int) else len(voter) <= MAX_NAME_LENGTH for voter in record.voters)
    yield from _faults(what, id=_is_id(record.id), voters=voters, voters_until=_is_expiry(record.voters_until))
    reports = all(_is_name(name) and _is_report(report) for name, report in record.reports.items())
    yield from _faults(what, reports=reports, linked_until=_is_expiry(record.linked_until))
    yield from _field_faults(what, record.fields, _ARTICLE, ("title", "time"))


def _key_faults(record: records.Key) -> Iterator[str]:
    """Yield what is wrong with a key of any layout: each layout has other keys, which only its conversion knows."""
    what, items = f"the key {_shown(record.name)}", record.items
    has_noun = 0 < record.name.find(":") <= MAX_NAME_LENGTH and len(record.name) <= MAX_VALUE_LENGTH
    yield from _faults(what, name=has_noun, type=record.type in ("string", "hash", "set", "zset", "list"))
    values = items[1::2] if record.type == "zset" else ()
    is_whole = len(items) == 1 if record.type == "string" else record.type in ("set", "list") or len(items) % 2 == 0
    sizes = all(len(item) <= MAX_TEXT_LENGTH for item in items)
    yield from _faults(what, items=is_whole and sizes and all(finite_number(value) is not None for value in values))
    yield from _faults(what, until=_is_expiry(record.until))


def _faults(what: str, **valid: bool) -> Iterator[str]:
    """Yield a message for each value that is not *valid*."""
    for name, is_valid in valid.items():
        if not is_valid:
            yield f"{what} has a value out of range: {name}"


def _field_faults(
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
            yield f"{what} has a field of {len(value):,} characters: {_shown(name)}"
        elif name in checks and not checks[name](value):
            yield f"{what} has the {name} {_shown(value)}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= MAX_NAME_LENGTH else f"{text[:MAX_NAME_LENGTH]}…")


def _is_name(text: str) -> bool:
    return 0 < len(text) <= MAX_NAME_LENGTH and ":" not in text


def _is_id(id: int) -> bool:
    return 0 < id <= MAX_ID


def _is_id_text(text: str) -> bool:
    return len(text) < 20 and text.isascii() and text.isdigit() and _is_id(int(text))


def _is_expiry(milliseconds: int | None) -> bool:
    return milliseconds is None or milliseconds < 1_000 * config.MAX_TIME


def _is_time(text: str) -> bool:
    time = finite_number(text)
    return time is not None and 0 <= time < config.MAX_TIME


def _is_count(text: str) -> bool:
    try:
        return len(text) < 20 and abs(int(text)) < config.MAX_VOTES
    except ValueError:
        return False


def _is_report(stored: str) -> bool:
    try:
        return len(stored) <= MAX_VALUE_LENGTH and _is_time(str(parse_report(stored).time))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _one_of(values: Any) -> Check:
    return frozenset(map(str, values)).__contains__


_ARTICLE: dict[str, Check] = {
    "time": _is_time,
    "closes": _is_time,
    "edited": _is_time,
    "votes": _is_count,
    "base": _is_count,
    "revision": _is_count,
    "gone": _one_of([ArticleStatus.DELETED, ArticleStatus.REMOVED]),
    "groups": lambda names: len(names.split()) <= MAX_ARTICLE_GROUPS,
}
_MEMBER: dict[str, Check] = {
    "id": _is_id_text,
    "role": _one_of(Role),
    "since": _is_time,
    "banned": _is_time,
    "left": _is_time,
    "held": _is_time,
    "signed-up": _is_time,
    "leaving": _one_of(["keep", "delete"]),
}
_INVITATION: dict[str, Check] = {"by": _is_name, "until": _is_time, "used": _is_name}
_LOG_ENTRY: dict[str, Check] = {
    "kind": _one_of(LogAction),
    "who": lambda who: 0 < len(who) <= MAX_NAME_LENGTH,
    "time": _is_time,
    "article": _is_id_text,
    "undoes": _is_id_text,
}
