"""The values of a backup's records: all that a site can store passes, all else is a fault."""

from dataclasses import replace
from typing import Any

import pytest

from tests.store.backup.copying import back_up
from tests.store.schema import version0
from voteweb.store import Store
from voteweb.store.backup import References, field_faults, records
from voteweb.store.backup.records import BackupRecord

REPORT = '{"by":"Ann","reason":"spam","note":"","time":1700000000.5}'
ARTICLE = records.Article(7, {"title": "\u3164", "time": "1700000000.25"}, [1, "user:7"], None, {}, False, None)
MEMBER = records.Member("adm1n", {"id": "1", "name": "Adm1n", "role": "admin", "since": "1700000000.5"}, False)
ENTRY = records.LogEntry(3, {"kind": "ban", "who": "Mod", "time": "1700000000"})
INVITATION = records.Invitation("0123456789abcdef" * 2, {"by": "Ann", "until": "1700000000.5"})
NODE = {"parent": "3", "votes": "2", "base": "1", "time": "1700000000.5", "state": "qe", "author": "Ann"}
COMMENT = records.Comment(7, 4, NODE | {"text": "\u3164"}, [1], None, {})
THREAD = records.Thread(7, {"last": "4", "rev": "9", "closes": "1700000000", "closed": "1700000000.5", "quiet": "1"})
INBOX = records.Inbox("ann", ["mention 7.4 1700000000", "report log-3 1700000000"], [], None)
VISITS = records.Visits("ann", {"7": "3 4 1700000000.5", "8": "0 4 1700000000.5 1,4"}, None)
HIDES = records.OwnList("ann", "hides", {"a7": "1700000000.5", "mann": "1700000000"})
SWITCH = records.SiteSwitch("read-only", '{"value":"on","words":"","by":"ann","time":1}')
KEY = records.Key("time:", "zset", ["article:1", "1700000000.5"], None)


def test_a_backup_of_a_busy_site_has_no_faults(site: Store) -> None:
    assert [fault for record in back_up(site) for fault in field_faults(record)] == []


def test_a_copy_of_every_key_of_layout_0_has_no_faults(store: Store) -> None:
    version0.load_keys(store)
    assert [fault for record in store.backup.key_records() for fault in field_faults(record)] == []


def test_a_backup_of_the_first_format_has_no_faults() -> None:
    assert [fault for record in version0.backup() for fault in field_faults(record)] == []


@pytest.mark.parametrize(
    "record",
    [ARTICLE, MEMBER, ENTRY, INVITATION, KEY, COMMENT, THREAD, INBOX, VISITS, HIDES],
    ids=lambda record: record.kind,
)
def test_values_of_dubious_taste_are_no_faults(record: BackupRecord) -> None:
    assert list(field_faults(record)) == []


@pytest.mark.parametrize(
    ("record", "name", "value"),
    [
        *((ARTICLE, "time", value) for value in ("nan", "inf", "-1", "soon", "1e300", "")),
        *((ARTICLE, "votes", value) for value in ("many", "1.5", "9" * 5_000, "9" * 13)),
        (ARTICLE, "gone", "somehow"),
        (ARTICLE, "title", "x" * 20_000),
        (ARTICLE, "text", "x" * 300_000),
        (ARTICLE, "x" * 200, "1"),
        *((MEMBER, "role", value) for value in ("root", "", "Admin")),
        *((MEMBER, "id", value) for value in ("0", "-1", "x", "²", "9" * 30)),
        (MEMBER, "banned", "nan"),
        (MEMBER, "recovery", "12345678 code"),
        (MEMBER, "leaving", "maybe"),
        (MEMBER, "my", "soon"),
        (MEMBER, "front", "page"),
        (MEMBER, "name", "Another"),
        (ENTRY, "kind", "sorcery"),
        (ENTRY, "who", ""),
        (ENTRY, "undoes", "x"),
        (INVITATION, "until", "nan"),
        *((COMMENT, "parent", value) for value in ("4", "5", "-1", "x", "9" * 5_000)),
        *((COMMENT, "state", value) for value in ("", "x", "q q", "Rrdqee")),
        (COMMENT, "time", "nan"),
        (COMMENT, "votes", "9" * 13),
        (COMMENT, "base", "1.5"),
        (COMMENT, "author", "x" * 41),
        (COMMENT, "text", "x" * 10_001),
        (THREAD, "last", "-1"),
        (THREAD, "last", "9" * 10),
        (THREAD, "closes", "inf"),
    ],
)
def test_a_value_that_no_site_stores_is_a_fault(record: Any, name: str, value: str) -> None:
    (fault,) = field_faults(replace(record, fields=record.fields | {name: value}))
    assert name[:100] in fault


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (COMMENT, "parent"),
        (COMMENT, "author"),
        (ARTICLE, "title"),
        (ARTICLE, "time"),
        (MEMBER, "id"),
        (MEMBER, "role"),
        (ENTRY, "kind"),
        (INVITATION, "by"),
    ],
)
def test_a_missing_value_is_a_fault(record: Any, name: str) -> None:
    fields = {other: value for other, value in record.fields.items() if other != name}
    assert [fault.endswith(f"has no {name}") for fault in field_faults(replace(record, fields=fields))] == [True]


@pytest.mark.parametrize(
    "record",
    [
        replace(ARTICLE, id=0),
        replace(SWITCH, name="other"),
        replace(SWITCH, switch="[" * 9_000),
        replace(ARTICLE, id=2**60),
        replace(ARTICLE, voters=[0]),
        replace(ARTICLE, voters=["x" * 200]),
        replace(ARTICLE, voters_until=10**18),
        replace(ARTICLE, reports={"ann": "{}"}),
        replace(ARTICLE, reports={"ann": "[" * 9_000}),
        replace(ARTICLE, reports={"ann": REPORT.replace("spam", "taste")}),
        replace(ARTICLE, fields={str(i): "" for i in range(2_000)}),
        replace(COMMENT, article=0),
        replace(COMMENT, number=10**6),
        replace(COMMENT, voters=[0]),
        replace(COMMENT, voters=[2**32]),
        replace(COMMENT, voters_until=10**18),
        replace(COMMENT, reports={"ann": "{}"}),
        replace(THREAD, article=0),
        replace(INBOX, name=""),
        replace(INBOX, entries=["reply 7.4 1700000000"] * 3_000),
        replace(INBOX, entries=["reply 7.4"]),
        replace(INBOX, unread=["gossip 7.4 1700000000"]),
        replace(INBOX, unread=["reply log-3 1700000000"]),
        replace(INBOX, unread=["removed 7.4 1700000000"]),
        replace(VISITS, threads={"x": "3 4 1700000000.5"}),
        replace(VISITS, threads={"7": "3 4"}),
        replace(VISITS, threads={str(id): "3 4 1700000000.5" for id in range(1, 3_000)}),
        replace(HIDES, noun="votes"),
        replace(HIDES, noun="saved"),
        replace(HIDES, entries={"a7": "nan"}),
        replace(HIDES, entries={f"a{id}": "1" for id in range(1, 502)}),
        records.ReportedComments("ann", ["7.0"]),
        records.Form(1, "token", 7, None, 10**6),
        replace(KEY, type="bits", items=["0g"]),
        replace(MEMBER, name="Adm1n"),
        replace(MEMBER, name="adm1n:", fields=MEMBER.fields | {"name": "adm1n:"}),
        records.Form(1, "a:b", 7, None),
        records.Fingerprints([2**76]),
        records.Reset("digest", "", None),
        records.Reported("ann", {"user:1": ""}),
        records.Reported("ann", [0]),
        records.Group("a b", {}),
        records.Counters(2**60, 0, 0),
        replace(KEY, items=["article:1"]),
        replace(KEY, items=["article:1", "nan"]),
        replace(KEY, name="another"),
        replace(KEY, type="stream"),
    ],
    ids=str,
)
def test_a_record_out_of_range_is_a_fault(record: BackupRecord) -> None:
    assert len(list(field_faults(record))) == 1


def test_reports_that_a_site_stores_are_no_faults() -> None:
    assert list(field_faults(replace(ARTICLE, reports={"ann": REPORT}))) == []


def test_members_who_share_an_id_are_a_fault() -> None:
    references = References()
    for record in (MEMBER, replace(MEMBER, name="bob"), records.Counters(7, 7, 7)):
        references.add(record)
    assert list(references.faults()) == ["the member bob has the id 1, which is another's"]
