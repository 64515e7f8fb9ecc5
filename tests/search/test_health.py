"""/healthz tells operators what is wrong with the index of a machine."""

import sqlite3
import time
from unittest.mock import Mock

import pytest

from tests.search.conftest import Machine
from voteweb.search import health


def warnings(machine: Machine) -> str:
    return "\n".join(health.warnings(machine.index))


def test_a_current_index_needs_no_operator_and_another_says_why(machine: Machine) -> None:
    machine.writer.set_checked(time.time() - 5)
    assert warnings(machine) == ""
    machine.writer.set_checked(time.time() - 4_000.1)
    assert warnings(machine).startswith("Search is 4,000 s behind: do the background jobs")


def test_an_index_that_is_made_says_how_far_it_is(machine: Machine) -> None:
    machine.writer.file.write_bytes(b"no database" * 1_000)
    assert warnings(machine) == "The index of search is damaged, and is made anew"
    assert warnings(machine).startswith(
        "Search is being prepared (0 %); if that does not change: do the background jobs"
    )
    with machine.folder.locked():
        machine.folder.start_rebuild("epoch").close()
        machine.folder.set_percent(62)
    assert warnings(machine) == "Search is being prepared (62 %)"


def test_missing_full_text_search_is_reported_unless_search_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert health.start_warnings(is_on=True) == []
    monkeypatch.setattr(sqlite3, "connect", Mock(side_effect=sqlite3.OperationalError("no such module: fts5")))
    assert [len(health.start_warnings(is_on=is_on)) for is_on in (True, False)] == [1, 0]
