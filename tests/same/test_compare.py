"""The judge of the comparison: each difference has a line, and each line a difference."""

from pathlib import Path

import pytest

from tests.same.compare import Allowed, differences, judge, read_allowed
from tests.same.keys import Content
from tests.same.side import Answer
from tests.same.visitor import Records


def side(body: bytes = b"same", expires: int = -1) -> Records:
    """Return what a side recorded that answered *body* and stored a key that *expires*."""
    records = Records()
    records.add("page 1 /a/1 as reader", "GET /a/{id}", Answer("200 OK", [("ETag", "x")], body))
    records.keys["acts"] = {"once:1-x": Content("string", ["1"], expires)}
    return records


def test_same_sides_have_no_difference() -> None:
    assert list(differences(side(), side())) == []


def test_difference_without_line_is_forbidden() -> None:
    found = list(differences(side(), side(b"other", 5)))
    assert [difference.subject for difference in found] == ["GET /a/{id} body", "key once:1-x expires"]
    assert judge(found, []) == (found, [])
    assert judge(found, [Allowed("GET /a/{id} body", "new words"), Allowed("key once:* expires", "a day")]) == ([], [])


def test_blanks_are_left_out_only_when_asked() -> None:
    one, other = side(b"<li>\n<p>a\n\n <b>b</b></p>"), side(b"<li><p>a <b>b</b></p>\n")
    assert [difference.subject for difference in differences(one, other)] == ["GET /a/{id} body"]
    assert list(differences(one, other, but_blanks=True)) == []
    assert list(differences(one, side(b"<li><p>a<b>b</b></p>"), but_blanks=True))


def test_line_without_difference_is_named() -> None:
    line = Allowed("GET /a/{id} header ETag", "it was weak")
    assert judge([], [line]) == ([], [line])


def test_line_needs_reason(tmp_path: Path) -> None:
    file = tmp_path / "allowed.txt"
    file.write_text("# a comment\nGET / body · new words\n", "utf-8")
    assert read_allowed(file) == [Allowed("GET / body", "new words")]
    file.write_text("GET / body\n", "utf-8")
    with pytest.raises(ValueError, match="has no reason"):
        read_allowed(file)
