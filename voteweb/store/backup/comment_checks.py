"""Check the values of records of conversations: what no site could have stored is a fault."""

import re
from collections.abc import Iterator, Sequence

from voteweb.core import validation
from voteweb.core.comments import NoticeKind
from voteweb.core.config import INBOX_SIZE, MAX_COMMENT_LENGTH, MAX_COMMENTS, MAX_VISITED_THREADS
from voteweb.store.backup import records
from voteweb.store.backup.hash_checks import is_author
from voteweb.store.backup.json_checks import is_report
from voteweb.store.backup.value_checks import (
    Check,
    hash_faults,
    is_count,
    is_expiry,
    is_id,
    is_id_text,
    is_note,
    is_time,
    one_of,
    shown,
    text_of,
    value_faults,
)
from voteweb.store.keys import parse_comment
from voteweb.store.nodes import THREAD_FIELDS, VOTER_FACTOR, split_node

#: Numbers of comments and lengths of lists may be this many times what this version allows: others may allow more.
_MARGIN = 10
_STATE = re.compile(r"-|[drRqe]{1,5}")
_VISIT = re.compile(r"[0-9]{1,15} [0-9]{1,15} [0-9.]{1,20}( [0-9,]*)?")
#: The fields of a conversation in which each comment has its own, by their beginnings.
_FIELD_OF_COMMENT = re.compile(r"(reason:|removed-by:|)([1-9][0-9]{0,8})")


def comment_faults(
    record: records.Thread | records.Comment | records.Inbox | records.Visits | records.ReportedComments,
) -> Iterator[str]:
    """Yield what is wrong with the values of *record*, which have the right types."""
    match record:
        case records.Thread():
            what = f"conversation {record.article}"
            yield from value_faults(what, article=is_id(record.article))
            yield from value_faults(what, fields=record.fields.keys() <= set(THREAD_FIELDS))
            yield from hash_faults(what, record.fields, THREAD)
        case records.Comment():
            yield from _comment_faults(record)
        case records.Inbox():
            what = f"the inbox of {shown(record.name)}"
            yield from value_faults(what, name=validation.is_member_key(record.name), until=is_expiry(record.until))
            yield from value_faults(what, entries=_are_entries(record.entries), unread=_are_entries(record.unread))
        case records.Visits():
            what = f"what {shown(record.name)} has seen"
            yield from value_faults(what, name=validation.is_member_key(record.name), until=is_expiry(record.until))
            visits = all(is_id_text(id) and is_visit(visit) for id, visit in record.threads.items())
            yield from value_faults(what, threads=visits and len(record.threads) <= _MARGIN * MAX_VISITED_THREADS)
        case records.ReportedComments():
            what = f"what {shown(record.name)} reported"
            yield from value_faults(
                what, name=validation.is_member_key(record.name), comments=all(map(parse_comment, record.comments))
            )


def is_comment_number(number: int) -> bool:
    return 0 < number <= _MARGIN * MAX_COMMENTS


def _comment_faults(record: records.Comment) -> Iterator[str]:
    what, parent = f"comment {record.article}.{record.number}", record.fields.get("parent", "")
    yield from value_faults(what, article=is_id(record.article), number=is_comment_number(record.number))
    yield from hash_faults(what, record.fields, COMMENT, ("parent", "votes", "base", "time", "state", "author"))
    if _is_number(parent) and int(parent) >= record.number:
        yield f"{what} has the parent {int(parent)}, which is not before it"
    voters = all(0 < voter < VOTER_FACTOR for voter in record.voters or ())
    reports = all(validation.is_member_key(name) and is_report(report) for name, report in record.reports.items())
    yield from value_faults(what, voters=voters, voters_until=is_expiry(record.voters_until), reports=reports)


def _is_number(text: str) -> bool:
    return len(text) < 10 and text.isascii() and text.isdigit()


def is_thread_field(name: str, value: str) -> bool:
    """Tell whether a field of a whole conversation is one of its own, or of a comment in it."""
    match = _FIELD_OF_COMMENT.fullmatch(name)
    if match is None:
        return name not in THREAD or THREAD[name](value)
    node = split_node(value) if not match[1] else {match[1].removesuffix(":"): value}
    return node is not None and all(COMMENT[part](text) for part, text in node.items())


def is_visit(text: str) -> bool:
    return bool(_VISIT.fullmatch(text))


def _are_entries(entries: Sequence[str]) -> bool:
    return len(entries) <= _MARGIN * INBOX_SIZE and all(map(is_inbox_entry, entries))


def is_inbox_entry(text: str) -> bool:
    parts = text.split(" ")
    if len(parts) != 3 or parts[0] not in set(NoticeKind):
        return False
    kind, what, time = parts
    if kind in (NoticeKind.REMOVED, NoticeKind.REPORT):
        is_known = what.startswith("log-") and is_id_text(what.removeprefix("log-"))
    else:
        is_known = parse_comment(what) is not None
    return is_known and is_time(time)


THREAD: dict[str, Check] = {
    "last": _is_number,
    "rev": is_id_text,
    "closes": is_id_text,
    "closed": is_time,
    "close-reason": is_note,
    "quiet": one_of(["1"]),
}
COMMENT: dict[str, Check] = {
    "parent": _is_number,
    "votes": is_count,
    "base": is_count,
    "time": is_time,
    "state": lambda state: _STATE.fullmatch(state) is not None,
    "author": is_author,
    "reason": is_note,
    "removed-by": is_id_text,
    "text": text_of(MAX_COMMENT_LENGTH),
}
