"""Check the values of a backup's records: what the site that wrote them could not have stored is a fault."""

from collections.abc import Iterator

from voteweb.core import validation
from voteweb.core.config import MAX_NOTES
from voteweb.core.models import ArticleStatus
from voteweb.core.names import name_key
from voteweb.store import fingerprints
from voteweb.store.backup import hash_checks, records
from voteweb.store.backup.comment_checks import comment_faults, is_comment_number
from voteweb.store.backup.json_checks import is_domain_rule, is_member_note, is_report, is_switch
from voteweb.store.backup.key_checks import key_faults
from voteweb.store.backup.records import BackupRecord
from voteweb.store.backup.value_checks import (
    MAX_ID,
    hash_faults,
    is_expiry,
    is_foreign_name,
    is_group_name,
    is_id,
    is_reset,
    is_time,
    shown,
    value_faults,
)
from voteweb.store.digests import is_digest
from voteweb.store.my_site import BOUNDS, is_entry


def field_faults(record: BackupRecord) -> Iterator[str]:
    """Yield what is wrong with the values of *record*, which have the right types."""
    match record:
        case records.Form():
            token = validation.is_submission_token(record.token)
            yield from value_faults("a form", member=is_id(record.member), token=token)
            yield from value_faults("a form", article=is_id(record.article), until=is_expiry(record.until))
            yield from value_faults("a form", comment=not record.comment or is_comment_number(record.comment))
        case records.Fingerprints():
            known = fingerprints.BUCKETS << 64
            yield from value_faults("a record of imported rows", rows=all(row < known for row in record.rows))
        case records.Invitation():
            what = f"the invitation {shown(record.digest)}"
            yield from value_faults(what, digest=is_digest(record.digest))
            yield from hash_faults(what, record.fields, hash_checks.INVITATION, ("by", "until"))
        case records.Reset():
            yield from value_faults("a one-time link", digest=is_digest(record.digest), until=is_expiry(record.until))
            yield from value_faults("a one-time link", link=is_reset(f"{record.name} {record.state}".rstrip()))
        case records.Reported():
            what, name = f"what {shown(record.name)} reported", validation.is_member_key(record.name)
            yield from value_faults(what, name=name, articles=all(map(is_id, record.articles)))
        case records.DomainRule():
            yield from value_faults(
                f"the domain {shown(record.domain)}", rule=is_domain_rule(record.domain, record.rule)
            )
        case records.SiteSwitch():
            yield from value_faults(f"the switch {shown(record.name)}", switch=is_switch(record.name, record.switch))
        case records.Notes():
            what, name = f"the notes on {shown(record.name)}", validation.is_member_key(record.name)
            notes = len(record.notes) <= 2 * MAX_NOTES and all(is_member_note(*note) for note in record.notes.items())
            yield from value_faults(what, name=name, notes=notes)
        case records.Article():
            yield from _article_faults(record)
        case records.Thread() | records.Comment() | records.Inbox() | records.Visits() | records.ReportedComments():
            yield from comment_faults(record)
        case records.OwnList():
            what, name = f"what {shown(record.name)} keeps in a list", validation.is_member_key(record.name)
            is_known, entries = record.noun in BOUNDS, record.entries
            yield from value_faults(what, name=name, noun=is_known)
            if is_known:
                are_entries = all(is_entry(record.noun, entry) and is_time(time) for entry, time in entries.items())
                yield from value_faults(what, entries=len(entries) <= BOUNDS[record.noun] and are_entries)
        case records.Group():
            what, alias = f"the group {shown(record.name)}", not record.alias or is_group_name(record.alias)
            yield from value_faults(what, name=is_group_name(record.name), alias=alias)
            yield from hash_faults(what, record.fields, hash_checks.GROUP)
        case records.Member():
            what, spelled = f"the member {shown(record.name)}", record.fields.get("name", "")
            yield from value_faults(what, name=record.name == name_key(spelled))
            yield from hash_faults(what, record.fields, hash_checks.MEMBER, ("id", "name", "role", "since"))
        case records.LogEntry():
            yield from value_faults(f"log entry {record.id}", id=is_id(record.id))
            yield from hash_faults(
                f"log entry {record.id}", record.fields, hash_checks.LOG_ENTRY, ("kind", "who", "time")
            )
        case records.Counters():
            ids = {"articles": record.articles, "members": record.members, "entries": record.entries}
            yield from value_faults("the record of last ids", **{name: id <= MAX_ID for name, id in ids.items()})
        case records.Key():
            yield from key_faults(record)


def _article_faults(record: records.Article) -> Iterator[str]:
    what, fields = f"article {record.id}", record.fields
    voters = all(is_id(voter) if isinstance(voter, int) else is_foreign_name(voter) for voter in record.voters)
    yield from value_faults(what, id=is_id(record.id), voters=voters, voters_until=is_expiry(record.voters_until))
    reports = all(validation.is_member_key(name) and is_report(report) for name, report in record.reports.items())
    yield from value_faults(what, reports=reports, linked_until=is_expiry(record.linked_until))
    yield from hash_faults(what, fields, hash_checks.article_checks(fields), ("title", "time"))
    if "base" in fields and fields.get("title") == "" and fields.get("gone") != ArticleStatus.DELETED:
        yield f"{what} has an empty title"
