"""The records of a backup by themselves: their shape, what they name, and how their ids are remembered."""

import json
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from voteweb.core.errors import Invalid
from voteweb.store.backup import References, read, records
from voteweb.store.backup.bitmap import CHUNK_SIZE, Bitmap
from voteweb.store.backup.dump_articles import MAX_VOTERS_PER_READ, _portions, _voter
from voteweb.store.backup.records import BackupRecord

#: One record of each kind, of which together nothing leads nowhere.
WHOLE: tuple[BackupRecord, ...] = (
    records.Form(1, "token-0001", 7, 1_700_000_000_000),
    records.Imported(["a", "b"]),
    records.Invitation("open", {"by": "Ann", "until": "1700000000.5", "used": "ann"}),
    records.Reset("digest", "ann", None),
    records.Reported("ann", {"article:7": "{}"}),
    records.Article(7, {"title": "编程 \x00", "groups": "go"}, [1, "user:7"], None, {"ann": "{}"}, False, None),
    records.Group("go", {}),
    records.Member("ann", {"id": "1", "name": "Ann"}, False),
    records.LogEntry(1, {"kind": "ban"}),
    records.Counters(7, 1, 1),
)


def test_there_is_one_of_each_kind() -> None:
    assert [each.kind for each in WHOLE] == list(records.KINDS)


@pytest.mark.parametrize("record", WHOLE, ids=lambda each: each.kind)
def test_a_record_comes_back_as_it_was_told(record: BackupRecord) -> None:
    assert read(json.loads(json.dumps(record.told(), ensure_ascii=False))) == record


@pytest.mark.parametrize("record", WHOLE, ids=lambda each: each.kind)
def test_a_record_with_a_field_too_many_or_too_few_is_none(record: BackupRecord) -> None:
    told = record.told()
    with pytest.raises(Invalid, match="has other fields"):
        read(told | {"more": 1})
    for name in set(told) - {"kind"}:
        with pytest.raises(Invalid, match="has other fields"):
            read({other: value for other, value in told.items() if other != name})


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("form", "member", "1"),
        ("form", "member", True),
        ("form", "member", -1),
        ("form", "token", None),
        ("form", "until", 1.5),
        ("imported", "digests", "abc"),
        ("imported", "digests", [1]),
        ("invitation", "fields", []),
        ("invitation", "fields", {"by": 1}),
        ("reset", "name", ["ann"]),
        ("reported", "articles", {"article:1": None}),
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
    (told,) = (each.told() for each in WHOLE if each.kind == kind)
    with pytest.raises(Invalid, match=f"wrong {name} for a record of the kind {kind}"):
        read(told | {name: value})


@pytest.mark.parametrize("told", [{}, {"kind": "comment"}, {"kind": None}, {"kind": ["article"]}])
def test_a_record_of_another_kind_is_none(told: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="unknown kind"):
        read(told)


def faults(*found: BackupRecord) -> list[str]:
    references = References()
    for each in found:
        references.take(each)
    return list(references.faults())


def without(kind: str) -> list[BackupRecord]:
    return [each for each in WHOLE if each.kind != kind]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("article", ["a form of member 1 names the article 7, which is not there"]),
        ("group", ["article 7 names the group go, which is not there"]),
        (
            "member",
            [
                "the invitation open names the member ann, which is not there",
                "a voter has the id 1, which is no member's",
            ],
        ),
        ("counters", ["the last ids are missing"]),
        *[(kind, []) for kind in ("form", "imported", "invitation", "reset", "reported", "entry")],
    ],
)
def test_what_is_named_and_missing_is_told_once(kind: str, says: list[str]) -> None:
    assert faults(*without(kind)) == says


@pytest.mark.parametrize(
    ("counters", "kind"),
    [
        (records.Counters(6, 1, 1), "article"),
        (records.Counters(7, 0, 1), "member"),
        (records.Counters(7, 1, 0), "entry"),
    ],
)
def test_a_counter_behind_the_ids_is_told(counters: records.Counters, kind: str) -> None:
    (fault,) = faults(*without("counters"), counters)
    assert f"the last id of kind {kind} is" in fault


@pytest.mark.parametrize(
    ("stored", "voter"),
    [
        ("7", 7),
        ("0", 0),
        ("10000000000000000000000", 10**22),
        ("007", "007"),
        ("-7", "-7"),
        ("+7", "+7"),
        ("", ""),
        ("user:7", "user:7"),
        ("²", "²"),
        ("٧", "٧"),
        ("1.0", "1.0"),
    ],
)
def test_a_voter_is_a_number_only_where_it_reads_back_the_same(stored: str, voter: int | str) -> None:
    assert _voter(stored) == voter
    assert str(_voter(stored)) == stored


@pytest.mark.parametrize(
    ("voters", "portions"),
    [
        ([0, 0, 0], [[0, 1, 2]]),
        ([MAX_VOTERS_PER_READ, 0, 1], [[0, 1], [2]]),
        ([MAX_VOTERS_PER_READ + 1, MAX_VOTERS_PER_READ + 1], [[0], [1]]),
        ([1, MAX_VOTERS_PER_READ, 1], [[0], [1], [2]]),
        ([7], [[0]]),
    ],
)
def test_articles_of_many_voters_are_read_a_few_at_a_time(voters: list[int], portions: list[list[int]]) -> None:
    assert list(_portions(range(len(voters)), voters)) == portions


@given(st.lists(st.integers(0, 3 * CHUNK_SIZE) | st.integers(10**12, 10**12 + 9)))
def test_ids_are_a_set(numbers: list[int]) -> None:
    ids, known = Bitmap(), set()
    for number in numbers:
        assert (number in ids) == (number in known)
        assert ids.add(number) == (number not in known)
        known.add(number)
    assert list(ids) == sorted(known)
