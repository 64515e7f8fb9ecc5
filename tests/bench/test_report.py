"""The tables, the chart and the files of a run; `make bench-smoke` shows that the benchmark runs."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.budgets import Budget
from bench.report.bar_chart import render_chart
from bench.report.files import find_problems, write_files
from bench.report.tables import Bar, Table, format_cell, render_text


@pytest.mark.parametrize(
    ("cell", "text"), [(None, "–"), ("a", "a"), (1234, "1,234"), (1234.5, "1,234"), (12.34, "12.3"), (0.305, "0.30")]
)
def test_number_is_formatted_with_its_significant_digits(cell: str | float | None, text: str) -> None:
    assert format_cell(cell) == text


def test_text_shows_the_first_rows_and_json_all() -> None:
    table = Table("key", "Title", ("what", "ms"), [("one", 1.0), ("two", 2.0)], max_rows=1)
    assert "one" in render_text(table)
    assert "two" not in render_text(table)
    assert table.as_json()["rows"] == [{"what": "one", "ms": 1.0}, {"what": "two", "ms": 2.0}]


def test_chart_has_a_bar_for_each_row_and_marks_for_budgets() -> None:
    bars = [Bar("front", "a page", 0.5), Bar("vote", "a <vote>", None)]
    tree = ElementTree.fromstring(render_chart("Title", bars, [Budget("front", "a page", 0.7, 0.9, is_minimum=True)]))
    assert {"a page", "0.50", "a <vote>", "not valid"} <= {element.text for element in tree.iter()}
    assert [name for element in tree.iter() if (name := element.get("class")) in ("must", "aim")] == ["must", "aim"]


def test_rows_with_errors_and_missing_rows_are_problems(tmp_path: Path) -> None:
    files = (tmp_path / "result.json", tmp_path / "result.svg")
    table = Table("key", "Title", ("what",), [("a page",)], bars=(Bar("front", "a page", 0.5),))
    write_files({}, [table], *files)
    assert find_problems([table], *files) == []
    other = Table("key", "Title", ("what",), [("a page",), ("more",)], invalid=("more",), bars=(Bar("", "more", None),))
    assert len(find_problems([other], *files)) == 3
