"""Check the values of records of conversations: what no site could have stored is a fault."""

import re
from collections.abc import Iterator, Sequence

from voteweb.core.comments import NoticeKind
from voteweb.core.config import INBOX_SIZE, MAX_COMMENT_LENGTH, MAX_COMMENTS, MAX_VISITED_THREADS
from voteweb.store.backup import records
from voteweb.store.backup.value_checks import (
    MAX_NAME_LENGTH,
    Check,
    hash_faults,
    is_count,
    is_expiry,
    is_id,
    is_id_text,
    is_name,
    is_report,
    is_time,
    value_faults,
)
from voteweb.store.keys import parse_comment
from voteweb.store.nodes import VOTER_FACTOR

#: Numbers of comments and lengths of lists may be this many times what this version allows: others may allow more.
_MARGIN = 10
#: Characters of a name that a stored comment can have.
_MAX_AUTHOR_LENGTH = 40
_STATE = re.compile(r"-|[drRqe]{1,5}")
_VISIT = re.compile(r"[0-9]{1,15} [0-9]{1,15} [0-9.]{1,20}( [0-9,]*)?")


def comment_faults(
    record: records.Thread | records.Comment | records.Inbox | records.Visits | records.ReportedComments,
) -> Iterator[str]:
    """Yield what is wrong with the values of *record*, which have the right types."""
    match record:
        case records.Thread():
            what = f"conversation {record.article}"
            yield from value_faults(what, article=is_id(record.article))
            yield from hash_faults(what, record.fields, _THREAD)
        case records.Comment():
            yield from _comment_faults(record)
        case records.Inbox():
            what = f"the inbox of {record.name[:MAX_NAME_LENGTH]!r}"
            yield from value_faults(what, name=is_name(record.name), until=is_expiry(record.until))
            yield from value_faults(what, entries=_are_entries(record.entries), unread=_are_entries(record.unread))
        case records.Visits():
            what = f"what {record.name[:MAX_NAME_LENGTH]!r} has seen"
            yield from value_faults(what, name=is_name(record.name), until=is_expiry(record.until))
            visits = all(is_id_text(id) and _is_visit(visit) for id, visit in record.threads.items())
            yield from value_faults(what, threads=visits and len(record.threads) <= _MARGIN * MAX_VISITED_THREADS)
        case records.ReportedComments():
            what = f"what {record.name[:MAX_NAME_LENGTH]!r} reported"
            yield from value_faults(what, name=is_name(record.name), comments=all(map(parse_comment, record.comments)))


def is_comment_number(number: int) -> bool:
    return 0 < number <= _MARGIN * MAX_COMMENTS


def _comment_faults(record: records.Comment) -> Iterator[str]:
    what, parent = f"comment {record.article}.{record.number}", record.fields.get("parent", "")
    yield from value_faults(what, article=is_id(record.article), number=is_comment_number(record.number))
    yield from hash_faults(what, record.fields, _COMMENT, ("parent", "votes", "base", "time", "state", "author"))
    if _is_number(parent) and int(parent) >= record.number:
        yield f"{what} has the parent {int(parent)}, which is not before it"
    voters = all(0 < voter < VOTER_FACTOR for voter in record.voters or ())
    reports = all(is_name(name) and is_report(report) for name, report in record.reports.items())
    yield from value_faults(what, voters=voters, voters_until=is_expiry(record.voters_until), reports=reports)


def _is_number(text: str) -> bool:
    return len(text) < 10 and text.isascii() and text.isdigit()


def _is_author(text: str) -> bool:
    return not text or (is_name(text) and len(text) <= _MAX_AUTHOR_LENGTH)


def _is_visit(text: str) -> bool:
    return bool(_VISIT.fullmatch(text))


def _are_entries(entries: Sequence[str]) -> bool:
    return len(entries) <= _MARGIN * INBOX_SIZE and all(map(_is_entry, entries))


def _is_entry(text: str) -> bool:
    parts = text.split(" ")
    if len(parts) != 3 or parts[0] not in set(NoticeKind):
        return False
    kind, what, time = parts
    if kind in (NoticeKind.REMOVED, NoticeKind.REPORT):
        is_known = what.startswith("log-") and is_id_text(what.removeprefix("log-"))
    else:
        is_known = parse_comment(what) is not None
    return is_known and is_time(time)


_THREAD: dict[str, Check] = {
    "last": _is_number,
    "rev": is_id_text,
    "closes": is_time,
    "closed": is_time,
}
_COMMENT: dict[str, Check] = {
    "parent": _is_number,
    "votes": is_count,
    "base": is_count,
    "time": is_time,
    "state": lambda state: _STATE.fullmatch(state) is not None,
    "author": _is_author,
    "removed-by": is_id_text,
    "text": lambda text: len(text) <= MAX_COMMENT_LENGTH,
}
