"""The rows of files to import: stories, or the reason why a row is none."""

import io
import json
from functools import partial
from typing import Any, NamedTuple

import pytest

from voteweb.cli.imports import parse_story, read_rows
from voteweb.core.errors import ConfigError, VotewebError
from voteweb.store.comments.imports import Story

HEADER = "title,link,text,poster,time,votes,groups"


class Row(NamedTuple):
    """The number of a row's first line, and its story or its error message."""

    line: int
    story: Story | None
    error: str = ""


def read(source: str, suffix: str = ".csv") -> list[Row]:
    rows = read_rows(io.StringIO(source, newline=""), suffix, partial(parse_story, max_groups=5))
    return [
        Row(line, None, str(result)) if isinstance(result, VotewebError) else Row(line, result) for line, result in rows
    ]


def read_json(**fields: Any) -> Row:
    """Return the only row of a file of JSON Lines, of a valid story with other *fields*."""
    (row,) = read(json.dumps({"title": "A title", "poster": "ann", "time": 1441518960} | fields), ".jsonl")
    return row


def story(**fields: Any) -> Story:
    row = read_json(**fields)
    assert row.story, row.error
    return row.story


def test_equal_rows_of_csv_and_json_are_one_story() -> None:
    (row,) = read(f'{HEADER}\n" A,  title ",,,ann,1441518960.5,3,b A b\n')
    assert row.story == story(title="A, title", time=1441518960.5, votes=3, groups=["b", "a"])
    assert row.story == story(title="A, title", time="1441518960.5", votes="3", groups="b a", link=None)


@pytest.mark.parametrize(
    "header",
    ["", "title,poster", "title,poster,time,vote", "title,poster,time,time", '"' + "x" * 200_000],
)
def test_an_unknown_header_is_refused(header: str) -> None:
    with pytest.raises(ConfigError, match="header"):
        read(f"{header}\nA title,ann,7\n")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"title": ""}, "title needs"),
        ({"title": 7}, "title must be a text"),
        ({"link": "javascript:alert(1)"}, "http"),
        ({"poster": "no blanks"}, "user name"),
        ({"time": None}, "unix seconds"),
        ({"time": "1_000"}, "unix seconds"),
        ({"time": True}, "unix seconds"),
        ({"time": float("nan")}, "unix seconds"),
        ({"time": 1441518960000}, "unix seconds"),
        ({"time": 10**400}, "unix seconds"),
        ({"votes": True}, "votes"),
        ({"votes": 10**10}, "votes"),
        ({"groups": "a/b"}, "group"),
        ({"groups": [1]}, "list of names"),
        ({"groups": "a b c d e f"}, "5 groups"),
        ({"colour": "red"}, "unknown field: 'colour'"),
    ],
)
def test_an_invalid_field_is_named(fields: dict[str, Any], error: str) -> None:
    row = read_json(**fields)
    assert row.story is None
    assert error in row.error


@pytest.mark.parametrize(
    "row", ["too,few", "one,too,many,here", "caf\udce9 crème,ann,7", "x" * 200_000 + ",ann,7", "A title,ann,\0", ",,"]
)
def test_the_row_after_an_invalid_row_of_csv_is_read(row: str) -> None:
    first, *_, last = read(f"title,poster,time\n{row}\nA title,ann,7\n")
    assert (first.line, first.story, last.line) == (2, None, 3)
    assert last.story


@pytest.mark.parametrize("source", ["[]", "{", "[" * 100_000, "9" * 5000, '{"title": "a\udcffb"}', "\udcff"])
def test_the_line_after_an_invalid_line_of_json_is_read(source: str) -> None:
    valid = json.dumps({"title": "A title", "poster": "ann", "time": 7})
    first, second = read(f"{source}\n{valid}\n", ".jsonl")
    assert (first.line, first.story, second.line) == (1, None, 2)
    assert second.story


def test_a_row_has_the_number_of_its_first_line() -> None:
    first, second = read('title,poster,time\n\n"A title\nin two lines",ann,7\nA title,ann,x\n')
    assert (first.line, second.line) == (3, 5)
    assert first.story
    assert first.story.draft.title == "A title in two lines"


@pytest.mark.parametrize(
    "change", [{"title": "Another"}, {"link": "https://a.example/"}, {"poster": "bob"}, {"time": 1441518961}]
)
def test_only_link_title_poster_and_time_identify_a_story(change: dict[str, Any]) -> None:
    assert story(**change).digest != story().digest
    others = {"votes": 9, "groups": "a", "text": "x"}
    assert story(**change, **others).digest == story(**change).digest
