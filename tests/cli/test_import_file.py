import io
import json
from functools import partial
from typing import Any

import pytest

from voteweb.cli import import_file
from voteweb.core.errors import ConfigError, VotewebError
from voteweb.store.imports import Story


def read(source: str, suffix: str = ".csv", max_groups: int = 5) -> list[tuple[int, Story | str]]:
    found = import_file.read_rows(io.StringIO(source, newline=""), suffix, partial(import_file.parse_story, max_groups=max_groups))
    return [(line, str(each) if isinstance(each, VotewebError) else each) for line, each in found]


def one(**fields: Any) -> Story | str:
    record = {"title": "A title", "poster": "ann", "time": 1441518960} | fields
    ((_, found),) = read(json.dumps(record), ".jsonl")
    return found


def story(**fields: Any) -> Story:
    found = one(**fields)
    assert isinstance(found, Story), found
    return found


def test_csv_row_becomes_a_story() -> None:
    source = "title,link,text,poster,time,votes,groups\n Two  words ,https://a.example/,Hi,Ann,1441518960,12,b A b\n"
    ((line, found),) = read(source)
    assert line == 2
    assert isinstance(found, Story)
    assert (found.draft.title, found.draft.link, found.draft.text) == ("Two words", "https://a.example/", "Hi")
    assert (found.poster, found.time, found.votes, found.draft.groups) == ("Ann", 1441518960.0, 12, ("b", "a"))


def test_csv_and_json_rows_tell_the_same_story() -> None:
    header = "title,link,text,poster,time,votes,groups"
    ((_, by_csv),) = read(f'{header}\n"A, title",,,ann,1441518960.5,3,b a\n')
    assert by_csv == one(title="A, title", time=1441518960.5, votes=3, groups=["b", "a"])
    assert by_csv == one(title="A, title", time="1441518960.5", votes="3", groups="b a", link=None)


def test_only_title_poster_and_time_are_needed_in_any_order() -> None:
    ((_, found),) = read("Time, POSTER ,title\n7,ann,A title\n")
    assert isinstance(found, Story)
    assert (found.time, found.votes, found.draft.link, found.draft.groups) == (7.0, 1, "", ())


@pytest.mark.parametrize("title", ["27", "C#", "书"])
def test_a_story_may_have_neither_link_nor_text_and_a_very_short_title(title: str) -> None:
    assert story(title=title).draft.title == title


@pytest.mark.parametrize(
    "header",
    ["", "title,poster", "title,poster,time,vote", "title,poster,time,time", "a;b;c", '"' + "x" * 200_000, "\x00"],
)
def test_an_unknown_header_is_refused(header: str) -> None:
    with pytest.raises(ConfigError, match="header"):
        read(f"{header}\nA title,ann,7\n")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"title": ""}, "title needs"),
        ({"title": "?!"}, "title needs"),
        ({"title": "x" * 201}, "201"),
        ({"title": 7}, "title is no text"),
        ({"link": "javascript:alert(1)"}, "http"),
        ({"link": "https://u:p@a.example/"}, "password"),
        ({"link": "https://a.example/" + "x" * 5000}, "2000"),
        ({"text": "x" * 20_001}, "20001"),
        ({"poster": ""}, "user name"),
        ({"poster": "no blanks"}, "user name"),
        ({"time": None}, "unix seconds"),
        ({"time": ""}, "unix seconds"),
        ({"time": "yesterday"}, "unix seconds"),
        ({"time": -1}, "unix seconds"),
        ({"time": "1_000"}, "unix seconds"),
        ({"time": "1e3"}, "unix seconds"),
        ({"time": True}, "unix seconds"),
        ({"time": float("nan")}, "unix seconds"),
        ({"time": float("inf")}, "unix seconds"),
        ({"time": 1441518960000}, "unix seconds"),
        ({"time": 10**400}, "unix seconds"),
        ({"votes": -1}, "votes"),
        ({"votes": "-1"}, "votes"),
        ({"votes": 1.5}, "votes"),
        ({"votes": True}, "votes"),
        ({"votes": "many"}, "votes"),
        ({"votes": 10**10}, "votes"),
        ({"groups": "a/b"}, "group"),
        ({"groups": ["x" * 31]}, "group"),
        ({"groups": [1]}, "list of names"),
        ({"groups": {"a": 1}}, "list of names"),
        ({"groups": "a b c d e f"}, "5 groups"),
        ({"colour": "red"}, "unknown field: 'colour'"),
    ],
)
def test_a_bad_field_is_named(fields: dict[str, Any], reason: str) -> None:
    found = one(**fields)
    assert isinstance(found, str)
    assert reason in found


def test_as_many_groups_as_the_site_allows() -> None:
    assert read("title,poster,time,groups\nA title,ann,7,a b\n", max_groups=1)[0][1] == (
        "An article can be in 1 groups at most."
    )


@pytest.mark.parametrize(
    "source", ["[]", "7", "null", "{", "[" * 100_000, '"x"', "9" * 5000, '{"title": "a\udcffb"}', "\udcff"]
)
def test_a_bad_line_of_json_does_not_stop_the_next(source: str) -> None:
    good = json.dumps({"title": "A title", "poster": "ann", "time": 7})
    (first, reason), (second, found) = read(f"{source}\n{good}\n", ".jsonl")
    assert (first, second) == (1, 2)
    assert isinstance(reason, str)
    assert isinstance(found, Story)


@pytest.mark.parametrize(
    "row",
    ["too,few", "one,too,many,here", "caf\udce9 crème,ann,7", "x" * 200_000 + ",ann,7", "A title,ann,\0", ",,"],
    ids=["few", "many", "latin-1", "endless", "nul", "empty"],
)
def test_a_bad_row_of_csv_does_not_stop_the_next(row: str) -> None:
    *_, (line, found) = found_all = read(f"title,poster,time\n{row}\nA title,ann,7\n")
    assert isinstance(found_all[0][1], str)
    assert found_all[0][0] == 2
    assert line == 3
    assert isinstance(found, Story)


def test_rows_are_named_by_their_first_line() -> None:
    found = read('title,poster,time\n\n"A title\nin two lines",ann,7\nA title,ann,x\n')
    assert [line for line, _ in found] == [3, 5]
    assert isinstance(found[0][1], Story)
    assert found[0][1].draft.title == "A title in two lines"


@pytest.mark.parametrize(
    "other", [{"title": "Another"}, {"link": "https://a.example/"}, {"poster": "bob"}, {"time": 1441518961}]
)
def test_link_title_poster_and_time_tell_stories_apart(other: dict[str, Any]) -> None:
    assert story(**other).digest != story().digest


@pytest.mark.parametrize(
    "same", [{"votes": 9}, {"groups": "a"}, {"text": "x"}, {"title": " A  title "}, {"poster": "Ann"}]
)
def test_nothing_else_tells_stories_apart(same: dict[str, Any]) -> None:
    assert story(**same).digest == story().digest


def test_fields_do_not_run_into_one_another() -> None:
    assert import_file.digest("ab", "c", "d", 7) != import_file.digest("a", "bc", "d", 7)
