"""Check the values of a backup's records: what the site that wrote them could not have stored is a fault.

Taste is left out: a title or a name that would be refused in a new post is restored. Sizes are several times those that
any version has accepted, since a program after the book checks none.
"""

import re
from collections.abc import Iterator

from voteweb.core import mail
from voteweb.core.config import MAX_NOTES
from voteweb.core.models import ArticleStatus, LogAction, Role
from voteweb.core.names import name_key
from voteweb.core.recovery_codes import is_stored
from voteweb.store import fingerprints
from voteweb.store.backup import records
from voteweb.store.backup.comment_checks import comment_faults, is_comment_number
from voteweb.store.backup.records import BackupRecord
from voteweb.store.backup.value_checks import (
    MAX_ID,
    MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
    MAX_VALUE_LENGTH,
    Check,
    hash_faults,
    is_count,
    is_expiry,
    is_id,
    is_id_text,
    is_name,
    is_report,
    is_time,
    one_of,
    shown,
    value_faults,
)
from voteweb.store.digests import is_digest
from voteweb.store.domain_rules import parse_rule
from voteweb.store.keys import is_article
from voteweb.store.my_site import BOUNDS, is_entry
from voteweb.store.scanner import finite_number
from voteweb.store.site_switches import is_switch

#: Groups of one article: VOTEWEB_MAX_GROUPS may be high, and each group takes 300 bytes.
MAX_ARTICLE_GROUPS = 100
_HEX = re.compile(r"([0-9a-f]{2})*")


def field_faults(record: BackupRecord) -> Iterator[str]:
    """Yield what is wrong with the values of *record*, which have the right types."""
    match record:
        case records.Form():
            yield from value_faults("a form", id=is_id(record.member), token=is_name(record.token))
            yield from value_faults("a form", article=is_id(record.article), until=is_expiry(record.until))
            yield from value_faults("a form", comment=not record.comment or is_comment_number(record.comment))
        case records.Imported():
            yield from value_faults("a record of imported rows", digests=all(map(is_name, record.digests)))
        case records.Fingerprints():
            known = fingerprints.BUCKETS << 64
            yield from value_faults("a record of imported rows", rows=all(row < known for row in record.rows))
        case records.Invitation():
            what = f"the invitation {shown(record.digest)}"
            yield from value_faults(what, digest=is_digest(record.digest))
            yield from hash_faults(what, record.fields, _INVITATION, ("by", "until"))
        case records.Reset():
            what = "a one-time link"
            yield from value_faults(what, digest=is_name(record.digest), name=is_name(record.name))
            yield from value_faults(what, until=is_expiry(record.until), state=len(record.state) <= MAX_NAME_LENGTH)
        case records.Reported():
            articles = _are_reported(record.articles)
            yield from value_faults(f"what {shown(record.name)} reported", name=is_name(record.name), articles=articles)
        case records.DomainRule():
            is_rule = parse_rule(record.domain, record.rule) is not None and len(record.rule) <= MAX_VALUE_LENGTH
            yield from value_faults("a domain rule", domain=is_name(record.domain), rule=is_rule)
        case records.SiteSwitch():
            fits = len(record.switch) <= MAX_VALUE_LENGTH and is_switch(record.name, record.switch)
            yield from value_faults(f"the switch {shown(record.name)}", switch=fits)
        case records.Notes():
            what, sizes = f"the notes on {shown(record.name)}", [len(text) for text in record.notes.values()]
            notes = len(sizes) <= 2 * MAX_NOTES and all(size <= MAX_VALUE_LENGTH for size in sizes)
            yield from value_faults(what, name=is_name(record.name), notes=notes)
        case records.Article():
            yield from _article_faults(record)
        case records.Thread() | records.Comment() | records.Inbox() | records.Visits() | records.ReportedComments():
            yield from comment_faults(record)
        case records.OwnList():
            what = f"what {shown(record.name)} keeps in a list"
            is_known, entries = record.noun in BOUNDS, record.entries
            yield from value_faults(what, name=is_name(record.name), noun=is_known)
            if is_known:
                are_entries = all(is_entry(record.noun, entry) and is_time(time) for entry, time in entries.items())
                yield from value_faults(what, entries=len(entries) <= BOUNDS[record.noun] and are_entries)
        case records.Group():
            what = f"the group {shown(record.name)}"
            yield from value_faults(what, name=is_name(record.name) and not any(map(str.isspace, record.name)))
            alias = record.alias
            yield from value_faults(what, alias=not alias or (is_name(alias) and not any(map(str.isspace, alias))))
            yield from hash_faults(what, record.fields, {})
        case records.Member():
            what, spelled = f"the member {shown(record.name)}", record.fields.get("name", "")
            yield from value_faults(
                what, name=is_name(record.name) and record.name == name_key(record.name) == name_key(spelled)
            )
            yield from hash_faults(what, record.fields, _MEMBER, ("id", "role", "since"))
        case records.LogEntry():
            yield from value_faults(f"log entry {record.id}", id=is_id(record.id))
            yield from hash_faults(f"log entry {record.id}", record.fields, _LOG_ENTRY, ("kind", "who", "time"))
        case records.Counters():
            ids = {"articles": record.articles, "members": record.members, "entries": record.entries}
            yield from value_faults("the record of last ids", **{name: id <= MAX_ID for name, id in ids.items()})
        case records.Key():
            yield from _key_faults(record)


def _are_reported(articles: list[int] | dict[str, str]) -> bool:
    """Tell whether *articles* are ids, or the reports of format 1 by article."""
    if isinstance(articles, list):
        return all(map(is_id, articles))
    return all(is_article(member) and len(text) <= MAX_VALUE_LENGTH for member, text in articles.items())


def _article_faults(record: records.Article) -> Iterator[str]:
    what = f"article {record.id}"
    voters = all(is_id(voter) if isinstance(voter, int) else len(voter) <= MAX_NAME_LENGTH for voter in record.voters)
    yield from value_faults(what, id=is_id(record.id), voters=voters, voters_until=is_expiry(record.voters_until))
    reports = all(is_name(name) and is_report(report) for name, report in record.reports.items())
    yield from value_faults(what, reports=reports, linked_until=is_expiry(record.linked_until))
    yield from hash_faults(what, record.fields, _ARTICLE, ("title", "time"))


def _key_faults(record: records.Key) -> Iterator[str]:
    """Yield what is wrong with a key of any layout: each layout has other keys, which only its conversion knows."""
    what, items = f"the key {shown(record.name)}", record.items
    has_noun = 0 < record.name.find(":") <= MAX_NAME_LENGTH and len(record.name) <= MAX_VALUE_LENGTH
    yield from value_faults(what, name=has_noun, type=record.type in ("string", "bits", "hash", "set", "zset", "list"))
    values = items[1::2] if record.type == "zset" else ()
    is_single = record.type in ("string", "bits")
    is_whole = len(items) == 1 if is_single else record.type in ("set", "list") or len(items) % 2 == 0
    is_whole = is_whole and (record.type != "bits" or _HEX.fullmatch(items[0]) is not None)
    sizes = all(len(item) <= MAX_TEXT_LENGTH for item in items)
    yield from value_faults(
        what, items=is_whole and sizes and all(finite_number(value) is not None for value in values)
    )
    yield from value_faults(what, until=is_expiry(record.until))


_ARTICLE: dict[str, Check] = {
    "time": is_time,
    "closes": is_time,
    "edited": is_time,
    "votes": is_count,
    "base": is_count,
    "revision": is_count,
    "comments": is_count,
    "removed-by": is_id_text,
    "was-held": one_of(["1"]),
    "released": one_of(["1"]),
    "gone": one_of([ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD]),
    "groups": lambda names: len(names.split()) <= MAX_ARTICLE_GROUPS,
}
_MEMBER: dict[str, Check] = {
    "id": is_id_text,
    "role": one_of(Role),
    "since": is_time,
    "banned": is_time,
    "banned-until": is_time,
    "left": is_time,
    "held": is_time,
    "signed-up": is_time,
    "leaving": one_of(["keep", "delete"]),
    "my": is_time,
    "front": one_of(["", "my"]),
    "recovery": is_stored,
    "recovered": is_time,
    **mail.FIELD_CHECKS,
}
_INVITATION: dict[str, Check] = {"by": is_name, "until": is_time, "used": is_name}
_LOG_ENTRY: dict[str, Check] = {
    "kind": one_of(LogAction),
    "who": lambda who: 0 < len(who) <= MAX_NAME_LENGTH,
    "time": is_time,
    "article": is_id_text,
    "undoes": is_id_text,
    "comment": is_id_text,
    "articles": is_id_text,
    "comments": is_id_text,
    "until": is_time,
}
