"""The values of a backup's records: all that a site can store passes, all else is a fault."""

from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.store.backup.copying import back_up, restore
from tests.store.examination import broken, run
from tests.store.schema import layout3
from voteweb.core import links, validation
from voteweb.core.models import DomainAction, LogAction, Role
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.store import Store
from voteweb.store.backup import References, field_faults, records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.moderation_log import NewLogEntry

REPORT = '{"by":"Ann","reason":"spam","note":"","time":1700000000.5}'
ARTICLE = records.Article(
    7,
    {"title": "\u3164", "time": "1700000000.25", "base": "1", "poster": "user:7", "link": "https://me@a.example/"},
    [1, "user:7"], None, {}, False, None,
)  # fmt: skip
#: An article of a program after the book: its title is as somebody typed it, and its link may be none for us.
THEIRS = replace(ARTICLE, fields={"title": "\u200fשלום\n", "time": "1700000000", "link": "a.example/b:c"})
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
RULE = records.DomainRule("spam.example", '{"action":"hold","why":"spam","by":"Mod","time":"1700000000.5"}')
NOTES = records.Notes("ann", {"1": '{"by":"Mod","time":"1700000000.5","text":"Asked to stop."}'})
GROUP = records.Group("go", {"title": "Go", "description": ""})
RESET = records.Reset("0123456789abcdef" * 2, "ann", None, "0123456789abcdef")
KEY = records.Key("time:", "zset", ["article:1", "1700000000.5"], None)


#: Whole keys with one value that no form takes.
FAULTY_HASHES = {
    "article:1": ["base", "0", "link", "javascript:alert(1)"],
    "article:2": ["link", "javascript:alert(1)"],
    "user:ann": ["role", "root"],
    "invite:open": ["by", "<b>"],
    "group-info:go": ["title", "a\u202eb"],
    "log-entry:1": ["kind", "sorcery"],
    "thread:1": ["5", "0 1 1 1700000000 - <b>"],
    "thread:2": ["reason:5", "a\u202eb"],
    "words:1": ["5", "a\x1b"],
    "notes:ann": ["1", "{"],
    "report:1": ["ann", "{"],
    "domain-rules:": ["a b", RULE.rule],
    "site:": ["announcement", '{"value":"javascript:alert(1)","words":"x","by":"ann","time":1}'],
    "group-aliases:": ["golang", "a+b"],
}


def test_a_backup_of_a_busy_site_has_no_faults(site: Store) -> None:
    copies = [*back_up(site), *site.backup.key_records()]
    assert [fault for record in copies for fault in field_faults(record)] == []


def test_a_domain_that_begins_with_www_is_kept(store: Store) -> None:
    factories.article(store, link="http://www.www.example.com/x")
    hidden = Hidden(HiddenKind.DOMAIN, links.domain_of_address("www.www.example.com"))
    store.my_sites.hide(hidden, factories.user(store, "ann"))
    mod, domains = factories.user(store, "Mod", Role.MODERATOR), ("www.www.example.com", "http://[::ffff:1.2.3.4]/")
    for domain in map(validation.rule_domain, domains):
        entry = NewLogEntry(LogAction.DOMAIN, mod.name, title=domain, why="spam")
        store.domain_rules.set(domain, DomainAction.HOLD, entry, actor=mod)
    assert broken(store) == []
    backup = back_up(store)
    copies = [*backup, *store.backup.key_records()]
    assert [fault for record in copies for fault in field_faults(record)] == []
    restore(store, backup)
    assert run(store, "ZRANGE", "hides:ann", 0, -1) == ["dwww.example.com"]


def test_a_copy_of_every_key_of_layout_3_has_no_faults(store: Store) -> None:
    layout3.load_keys(store)
    assert [fault for record in store.backup.key_records() for fault in field_faults(record)] == []


@pytest.mark.parametrize(
    "record",
    [
        ARTICLE,
        THEIRS,
        MEMBER,
        ENTRY,
        INVITATION,
        KEY,
        COMMENT,
        THREAD,
        INBOX,
        VISITS,
        HIDES,
        SWITCH,
        RULE,
        NOTES,
        GROUP,
        RESET,
    ],
    ids=lambda record: record.kind,
)
def test_values_of_dubious_taste_are_no_faults(record: BackupRecord) -> None:
    assert list(field_faults(record)) == []


@pytest.mark.parametrize(
    ("record", "name", "value"),
    [
        *((ARTICLE, "time", value) for value in ("nan", "inf", "-1", "soon", "1e300", "")),
        *((ARTICLE, "votes", value) for value in ("many", "1.5", "9" * 5_000, "9" * 13)),
        *((ARTICLE, "votes", value) for value in ("1_000", " 1", "\u0663", "+1")),
        (ARTICLE, "time", "1_0"),
        (ARTICLE, "closes", "1700000000.5"),
        (ARTICLE, "revision", "-1"),
        (ARTICLE, "gone", "somehow"),
        *((ARTICLE, "link", value) for value in ("javascript:alert(1)", "ftp://a.example/", "http:///x", "a.example")),
        *((ARTICLE, "link", value) for value in ("https://a.example/\n", "https://a.example/" + 2_000 * "x")),
        *((THEIRS, "link", value) for value in ("javascript:0//", "java\tscript:0", " \x01javascript:0", "data:,x")),
        *((ARTICLE, "title", value) for value in ("x" * 201, "a\u202eb", "a\nb")),
        *((ARTICLE, "text", value) for value in ("x" * 20_001, "a\x00b", "a\u2066b")),
        *((ARTICLE, "poster", value) for value in ("a\nb", "user:" + "x" * 100, "<b>")),
        *((ARTICLE, "groups", value) for value in ("go+java", "GO", "a:b", "go ../x")),
        *((ARTICLE, "reason", value) for value in ("a\u202eb", "x" * 301)),
        (ARTICLE, "answer", "a\nb"),
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
        *((MEMBER, "id", value) for value in ("007", "1" * 20)),
        (MEMBER, "password", "swordfish"),
        *((MEMBER, "session", value) for value in ("a\r\nSet-Cookie: x", "")),
        *((MEMBER, name, "\u202e") for name in ("ban-reason", "invited-by", "request", "email-language")),
        *((MEMBER, name, "a:b") for name in ("inbox-feed", "saved-feed")),
        (MEMBER, "ban-removal", "1 removing all"),
        (ENTRY, "kind", "sorcery"),
        *((ENTRY, "who", value) for value in ("", "<b>", "a\nb")),
        (ENTRY, "about", "a\nb"),
        (ENTRY, "why", "a\u202eb"),
        *((ENTRY, name, "go a+b") for name in ("added", "removed")),
        (ENTRY, "undoes", "x"),
        (INVITATION, "until", "nan"),
        *((INVITATION, name, "<b>") for name in ("by", "used")),
        *((GROUP, name, "a\u202eb") for name in ("title", "description")),
        *((COMMENT, "parent", value) for value in ("4", "5", "-1", "x", "9" * 5_000)),
        *((COMMENT, "state", value) for value in ("", "x", "q q", "Rrdqee")),
        (COMMENT, "time", "nan"),
        (COMMENT, "votes", "9" * 13),
        (COMMENT, "base", "1.5"),
        *((COMMENT, "author", value) for value in ("x" * 41, "<b>", "ann 1")),
        *((COMMENT, name, value) for name in ("votes", "base") for value in ("1_0", " 1")),
        (COMMENT, "time", "1e9"),
        *((COMMENT, name, "a\u202eb") for name in ("text", "reason")),
        (COMMENT, "text", "x" * 10_001),
        (THREAD, "last", "-1"),
        (THREAD, "last", "9" * 10),
        *((THREAD, "closes", value) for value in ("inf", "1.5")),
        (THREAD, "close-reason", "a\u202eb"),
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
        replace(SWITCH, switch=SWITCH.switch.replace("ann", "<b>")),
        replace(RULE, domain="a b"),
        replace(RULE, rule=RULE.rule.replace('"spam"', "[]")),
        replace(RULE, rule="[" * 9_000),
        replace(NOTES, name="Ann"),
        replace(NOTES, notes={"1": "{"}),
        replace(NOTES, notes={"1": NOTES.notes["1"].replace("stop", "stop\\u202e")}),
        replace(ARTICLE, fields=ARTICLE.fields | {"title": ""}),
        replace(ARTICLE, reports={"ann": REPORT.replace('"Ann"', "[]")}),
        replace(ARTICLE, reports={"ann": REPORT.replace('"note":""', '"note":{}')}),
        replace(ARTICLE, reports={"a b": REPORT}),
        replace(THREAD, fields={"5": "0 1 1 1700000000 - <b>"}),
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
        *(replace(HIDES, entries={entry: "1"}) for entry in ("d<b>", "ga b", "mA", "muser:7")),
        replace(HIDES, name="Ann"),
        replace(HIDES, entries={f"a{id}": "1" for id in range(1, 502)}),
        records.ReportedComments("ann", ["7.0"]),
        records.Form(1, "token-0001", 7, None, 10**6),
        records.Key("hidden:1", "bits", ["0g"], None),
        replace(MEMBER, name="Adm1n"),
        replace(MEMBER, name="adm1n:", fields=MEMBER.fields | {"name": "adm1n:"}),
        records.Form(1, "a:b", 7, None),
        records.Fingerprints([2**76]),
        replace(RESET, digest="a:b"),
        replace(RESET, name=""),
        replace(RESET, name="ann x"),
        replace(RESET, state="x"),
        replace(RESET, state=""),
        records.Reported("ann", [0]),
        *(replace(GROUP, name=name) for name in ("a b", "a+b", "GO", "../x", "", "a:b")),
        replace(GROUP, alias="a+b"),
        records.Counters(2**60, 0, 0),
        replace(KEY, until=1_700_000_000_000),
        records.Key("log:", "list", ["1"], None, 2**64),
        records.Key("user:", "string", ["x"], None),
        replace(KEY, items=["article:1"]),
        replace(KEY, items=["article:1", "nan"]),
        *(replace(KEY, name=name) for name in ("another", "celery:", ":", "groups:", "changes:")),
        replace(KEY, type="stream"),
        *(records.Key(name, "hash", items, None) for name, items in FAULTY_HASHES.items()),
        *(records.Key(name, "set", ["a b"], None) for name in ("groups:", "admins:", "ban-removals:")),
        records.Key("users:", "zset", ["a b", "1"], None),
        records.Key("was:1", "zset", ["{", "1"], None),
        records.Key("log-entries:", "list", ['["sorcery","Mod","1700000000"]'], None),
        records.Key("inbox:ann", "list", ["gossip"], None),
        records.Key("reset:digest", "string", ["a b"], None),
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
