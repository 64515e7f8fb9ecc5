"""Records of a backup: their types, what they name, and the bitmap of their ids."""

import json
import re
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from voteweb.core.config import MAX_COMMENT_LEVEL
from voteweb.core.errors import Invalid
from voteweb.store.backup import BackupRecord, References, parse_record, records
from voteweb.store.bitmap import CHUNK_SIZE, Bitmap

#: One record of each kind, which together have everything that they name.
RECORDS: tuple[BackupRecord, ...] = (
    records.Form(1, "token-0001", 7, 1_700_000_000_000),
    records.Fingerprints([0, 2**76 - 1]),
    records.Invitation("open", {"by": "Ann", "until": "1700000000.5", "used": "ann"}),
    records.Reset("digest", "ann", None, "state"),
    records.Reported("ann", [7]),
    records.ReportedComments("ann", ["7.1"]),
    records.Inbox("ann", ["reply 7.2 1700000000"], [], None),
    records.Visits("ann", {"7": "1 2 1700000000.5 2"}, None),
    records.OwnList("ann", "follows", {"go": "1700000000"}),
    records.Notes("ann", {"1": "{}"}),
    records.DomainRule("spam.example", "{}"),
    records.SiteSwitch("signup", "{}"),
    records.Thread(7, {"last": "2"}),
    records.Comment(7, 1, {"parent": "0", "text": "编程"}, [1], 1_700_000_000_000, {"ann": "{}"}),
    records.Comment(7, 2, {"parent": "1"}, None, None, {}),
    records.Article(7, {"title": "编程 \x00", "groups": "go"}, [1, "user:7"], None, {"ann": "{}"}, False, None),
    records.Group("go", {}),
    records.Member("ann", {"id": "1", "name": "Ann"}, False),
    records.LogEntry(1, {"kind": "ban"}),
    records.Counters(7, 1, 1),
)


def test_there_is_one_record_of_each_kind() -> None:
    kinds = dict.fromkeys(record.kind for record in RECORDS)
    assert list(kinds) == [kind for kind in records.KINDS if kind != "key"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.kind)
def test_a_record_reads_back_the_same(record: BackupRecord) -> None:
    assert parse_record(json.loads(json.dumps(record.as_json(), ensure_ascii=False))) == record


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.kind)
def test_records_with_missing_or_unknown_fields_are_invalid(record: BackupRecord) -> None:
    fields = record.as_json()
    with pytest.raises(Invalid, match="has other fields"):
        parse_record(fields | {"more": 1})
    for name in set(fields) - {"kind"}:
        with pytest.raises(Invalid, match="has other fields"):
            parse_record({other: value for other, value in fields.items() if other != name})


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("form", "member", "1"),
        ("form", "member", True),
        ("form", "member", -1),
        ("form", "token", None),
        ("form", "until", 1.5),
        ("fingerprints", "rows", ["1"]),
        ("fingerprints", "rows", [-1]),
        ("invitation", "fields", []),
        ("invitation", "fields", {"by": 1}),
        ("reset", "name", ["ann"]),
        ("reported", "articles", {"article:1": "{}"}),
        ("reported-comments", "comments", [1]),
        ("inbox", "entries", {}),
        ("visits", "threads", {"7": 1}),
        ("thread", "article", "7"),
        ("comment", "number", 1.0),
        ("comment", "fields", {"parent": 0}),
        ("comment", "voters", ["1"]),
        ("comment", "voters_until", "never"),
        ("article", "id", 1.0),
        ("article", "fields", None),
        ("article", "voters", {}),
        ("article", "voters", [1, None]),
        ("article", "voters", [[1]]),
        ("article", "reports", "none"),
        ("article", "linked", 1),
        ("article", "linked_until", "never"),
        ("group", "name", 7),
        ("member", "leaving", None),
        ("entry", "id", "1"),
        ("counters", "articles", None),
    ],
)
def test_a_field_of_another_type_is_named(kind: str, name: str, value: Any) -> None:
    fields = next(record.as_json() for record in RECORDS if record.kind == kind)
    with pytest.raises(Invalid, match=f"wrong {name} for a record of the kind {kind}"):
        parse_record(fields | {name: value})


@pytest.mark.parametrize("fields", [{}, {"kind": "poll"}, {"kind": None}, {"kind": ["article"]}])
def test_a_record_of_an_unknown_kind_is_invalid(fields: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="unknown kind"):
        parse_record(fields)


@pytest.mark.parametrize("name", ["{baking}:user:root", "{baking}:x", "restoring:", "migrating:"])
def test_a_key_that_is_of_no_copy_is_invalid(name: str) -> None:
    with pytest.raises(Invalid, match=f"has the key '{re.escape(name)}'"):
        parse_record(records.Key(name, "string", ["1"], None).as_json())


def faults(*backup: BackupRecord) -> list[str]:
    references = References()
    for record in backup:
        references.add(record)
    return list(references.faults())


def test_a_comment_answers_one_that_came_before() -> None:
    answer = records.Comment(7, 3, {"parent": "9"}, None, None, {})
    assert faults(*RECORDS[:-4], answer, *RECORDS[-4:]) == ["comment 7.3 names the comment 7.9, which is not there"]


def test_a_form_that_became_a_comment_names_it() -> None:
    form = records.Form(1, "token-0002", 7, None, 3)
    assert faults(form, *RECORDS) == ["a form of member 1 names the comment 7.3, which is not there"]


def test_a_form_of_an_older_file_became_an_article() -> None:
    fields = records.Form(1, "token-0002", 7, None).as_json()
    del fields["comment"]
    assert parse_record(fields, older=True) == records.Form(1, "token-0002", 7, None, 0)


def test_a_voter_with_an_id_above_all_members_is_of_another_program() -> None:
    article = records.Article(7, {"title": "Theirs", "groups": "go"}, [1, 9_000_001], None, {}, False, None)
    assert faults(*(article if record.kind == "article" else record for record in RECORDS)) == []


def without(kind: str) -> list[BackupRecord]:
    return [record for record in RECORDS if record.kind != kind]


@pytest.mark.parametrize(
    ("kind", "messages"),
    [
        ("article", ["a form of member 1 names the article 7, which is not there"]),
        (
            "comment",
            [
                "what ann reported names the comment 7.1, which is not there",
                "the inbox of ann names the comment 7.2, which is not there",
            ],
        ),
        ("group", ["article 7 names the group go, which is not there"]),
        (
            "member",
            [
                "the invitation open names the member ann, which is not there",
                "a voter has the id 1, which is no member's",
            ],
        ),
        ("counters", ["the last ids are missing"]),
        *[(kind, []) for kind in ("form", "fingerprints", "invitation", "reset", "reported", "entry")],
    ],
)
def test_everything_missing_is_reported_once(kind: str, messages: list[str]) -> None:
    assert faults(*without(kind)) == messages


@pytest.mark.parametrize(
    ("counters", "kind"),
    [
        (records.Counters(6, 1, 1), "article"),
        (records.Counters(7, 0, 1), "member"),
        (records.Counters(7, 1, 0), "entry"),
    ],
)
def test_a_counter_behind_the_ids_is_reported(counters: records.Counters, kind: str) -> None:
    (fault,) = faults(*without("counters"), counters)
    assert f"the last id of kind {kind} is" in fault


@given(st.lists(st.integers(0, 3 * CHUNK_SIZE) | st.integers(10**12, 10**12 + 9)))
def test_a_bitmap_is_a_set(numbers: list[int]) -> None:
    ids, known = Bitmap(), set()
    for number in numbers:
        assert (number in ids) == (number in known)
        assert ids.add(number) == (number not in known)
        known.add(number)
    assert list(ids) == sorted(known)


def test_a_comment_below_the_deepest_level_is_a_fault() -> None:
    references = References()
    comments = [
        records.Comment(7, number, {"parent": str(number - 1)}, None, None, {})
        for number in range(1, MAX_COMMENT_LEVEL + 2)
    ]
    assert [references.add(comment) for comment in comments] == [
        *([[]] * MAX_COMMENT_LEVEL),
        ["comment 7.51 stands below level 50"],
    ]


@pytest.mark.parametrize("kind", ["article", "thread", "comment", "entry", "member", "group"])
def test_what_is_there_twice_is_a_fault(kind: str) -> None:
    references = References()
    assert [references.add(record) for record in RECORDS] == [[]] * len(RECORDS)
    again = next(record for record in RECORDS if record.kind == kind)
    assert [fault.endswith("is there twice") for fault in references.add(again)] == [True]


def test_keys_of_one_kind_have_one_type() -> None:
    references = References()
    keys = [records.Key(name, type, [], None) for name in ("reported:ann", "reported:bob") for type in ("set", "hash")]
    assert [bool(references.add(key)) for key in keys] == [False, True, False, True]
    texts = [records.Key("hidden:1", type, [], None) for type in ("string", "bits")]
    assert [references.add(text) for text in texts] == [[], []]


def test_a_log_of_mostly_missing_ids_is_reported() -> None:
    entries = [records.LogEntry(id, {"kind": "ban", "who": "Mod", "time": "1"}) for id in (1, 9_000_000)]
    references = References()
    for entry in entries:
        references.add(entry)
    assert [fault.endswith("most ids are missing") for fault in references.damage()] == [True]
