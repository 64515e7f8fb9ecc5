"""What the benchmark reckons, reads and draws; that it measures at all, `make bench-smoke` shows."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import budgets, chart, figures, inside, report, slow, slowlog, stories, wrk
from bench.bars import Bar
from bench.budgets import Budget
from bench.load import Expect, Sample, Shot
from bench.slowlog import Command
from bench.tables import Figure, Table, shown, text

TELLS = '{"requests": 1200, "microseconds": 2000000, "p50": 250, "p99": 9000, "errors": 3}'
COUNTED = Budget("front", "pages", 0.7, 0.9, is_most=False)
TIMED = Budget("blocked", "block", 5.0, 1.0, "ms")


def sample(requests: int, p50: float = 1.0, errors: int = 0) -> Sample:
    return Sample(requests, 2.0, p50, 2 * p50, errors)


@pytest.mark.parametrize(("percent", "value"), [(0, 10), (1, 10), (50, 20), (51, 30), (75, 30), (99, 40), (100, 40)])
def test_a_percentile_is_the_value_that_so_many_do_not_exceed(percent: float, value: float) -> None:
    assert figures.percentile([10, 20, 30, 40], percent) == value


def test_ratios_are_taken_within_a_round() -> None:
    assert figures.ratios([sample(50), sample(10)], [sample(100), sample(20)]) == [0.5, 0.5]


def test_processor_time_is_compared_the_other_way_round() -> None:
    (found,) = figures.costs([Sample(100, 2.0, 1.0, 1.0, busy=2.0)], [Sample(400, 2.0, 1.0, 1.0, busy=2.0)])
    assert found == 0.25


def test_errors_of_a_single_round_stay() -> None:
    middle = figures.middle([sample(10), sample(30, p50=5.0), sample(20, errors=1)])
    assert (middle.requests, middle.p50, middle.errors) == (20, 1.0, 1)


@pytest.mark.parametrize(
    ("budget", "value", "word"),
    [
        (COUNTED, 0.9, budgets.MET_AIM),
        (COUNTED, 0.89, budgets.MET_MUST),
        (COUNTED, 0.7, budgets.MET_MUST),
        (COUNTED, 0.69, budgets.MISSED),
        (TIMED, 1.0, budgets.MET_AIM),
        (TIMED, 5.0, budgets.MET_MUST),
        (TIMED, 5.1, budgets.MISSED),
        (TIMED, None, budgets.UNKNOWN),
    ],
)
def test_a_budget_is_met_missed_or_unknown(budget: Budget, value: float | None, word: str) -> None:
    (verdict,) = budgets.judge({budget.key: Figure(value)}, [budget])
    assert verdict.word == word


def test_a_budget_that_nothing_was_measured_for_is_not_met() -> None:
    assert {each.word for each in budgets.judge({})} == {budgets.UNKNOWN}


def test_what_wrk_tells_is_found_among_its_own_words() -> None:
    found = wrk.read(f"ready\nRunning 2s test @ http://127.0.0.1\n  1200 requests in 2.00s\n{TELLS}\n")
    assert found == Sample(requests=1200, seconds=2.0, p50=0.25, p99=9.0, errors=3)
    assert found.rate == 600


def test_a_wrk_that_tells_nothing_is_a_failure() -> None:
    with pytest.raises(ValueError, match="unable to connect"):
        wrk.read("unable to connect to 127.0.0.1:1 Connection refused\n")


def test_requests_are_packed_as_the_script_of_wrk_reads_them() -> None:
    shot = Shot("/a/1/vote", "POST", {"Cookie": "a=b"}, b"next=%2F")
    head = "POST /a/1/vote HTTP/1.1\r\nHost: here:1\r\nUser-Agent: bench\r\nCookie: a=b\r\nContent-Length: 8\r\n\r\n"
    assert wrk.packed([shot, shot], "here:1") == f"{len(head) + 8}\n{head}next=%2F".encode() * 2


@pytest.mark.parametrize(
    ("status", "location", "good"),
    [(303, "/new#a1", True), (303, "/login?next=/new", False), (200, "", False), (409, "", False)],
)
def test_a_redirect_to_log_in_is_no_good_answer(status: int, location: str, good: bool) -> None:
    assert Expect(303, away="/login").holds(status, location) is good


def test_what_a_script_ran_is_not_counted_beside_the_script() -> None:
    run = [Command(words, 0.001) for words in ("HGET a", "ZCARD b", "ZADD b", "EVALSHA c", "ZCARD b")]
    assert slowlog.asked_for(run, ["HGET", "EVALSHA", "ZCARD"]) == [run[0], run[3], run[4]]


def test_the_names_of_commands_are_read_from_the_wire() -> None:
    packed = b"*2\r\n$4\r\nhget\r\n$6\r\na\r\nb:c\r\n*1\r\n$4\r\nPING\r\n"
    assert list(inside.names(packed)) == ["HGET", "PING"]


def test_a_step_is_judged_by_what_is_slow_every_time() -> None:
    usual = [Command("SORT time: LIMIT 0 25", 0.002), Command("HGET article:1", 0.001)]
    disturbed = [Command("SORT time: LIMIT 0 26", 0.002), Command("HGET article:2", 0.9)]
    assert slow.longest([usual, disturbed, usual]) == Command("SORT time: LIMIT # #", 0.002)


def test_a_small_site_is_the_newest_part_of_a_large_one(tmp_path: Path) -> None:
    for count in (3, 30):
        stories.generate(tmp_path / f"{count}.csv", count, 1_800_000_000)
    small, large = ((tmp_path / f"{count}.csv").read_text().splitlines() for count in (3, 30))
    assert small[1:] == large[-3:]
    assert stories.survey(tmp_path / "30.csv").articles == 30


@pytest.mark.parametrize(
    ("cell", "words"), [(None, "–"), ("a", "a"), (1234, "1,234"), (1234.5, "1,234"), (12.34, "12.3"), (0.305, "0.30")]
)
def test_a_figure_is_shown_with_the_digits_that_count(cell: str | float | None, words: str) -> None:
    assert shown(cell) == words


def test_people_see_the_first_rows_and_machines_all() -> None:
    table = Table("key", "Title", ("what", "ms"), [("one", 1.0), ("two", 2.0)], most=1)
    assert "one" in text(table)
    assert "two" not in text(table)
    assert [row["what"] for row in table.as_json()["rows"]] == ["one", "two"]


def test_the_picture_has_a_bar_for_each_and_marks_for_the_judged() -> None:
    bars = [Bar("front", "a page", 0.5), Bar("vote", "a <vote>", None)]
    tree = ElementTree.fromstring(chart.draw("Title", bars, [COUNTED]))
    words = {each.text for each in tree.iter()}
    assert {"a page", "0.50", "a <vote>", "not valid"} <= words
    assert [each.get("class") for each in tree.iter() if each.get("class") in ("must", "aim")] == ["must", "aim"]


def test_a_row_with_errors_and_a_row_that_was_not_written_are_problems(tmp_path: Path) -> None:
    files = (tmp_path / "result.json", tmp_path / "result.svg")
    table = Table("key", "Title", ("what",), [("a page",)], bars=(Bar("front", "a page", 0.5),))
    report.write({}, [table], *files)
    assert report.problems([table], *files) == []
    wrong = Table("key", "Title", ("what",), [("a page",), ("more",)], invalid=("more",), bars=(Bar("", "more", None),))
    assert len(report.problems([wrong], *files)) == 3
