"""/healthz and the start tell operators what is wrong with search."""

import sqlite3
import time
from typing import Any

import pytest

from tests.search.conftest import Machine
from voteweb.search import health


def warnings(machine: Machine) -> str:
    return "\n".join(health.warnings(machine.index))


def test_an_index_that_is_current_needs_no_operator(machine: Machine) -> None:
    machine.writer.set_checked(time.time() - 5)
    assert warnings(machine) == ""


def test_an_index_that_is_behind_says_by_how_much_and_at_last_why(machine: Machine) -> None:
    machine.writer.set_checked(time.time() - 20.1)
    assert warnings(machine) == "Search is 20 s behind"
    machine.writer.set_checked(time.time() - 4_000.1)
    assert warnings(machine).startswith("Search is 4,000 s behind: do the background jobs")


def test_an_index_that_is_made_says_how_far_it_is(machine: Machine) -> None:
    file = machine.folder.current()
    assert file
    machine.folder.discard(file)
    assert warnings(machine).startswith(
        "Search is being prepared (0 %); if that does not change: do the background jobs"
    )
    with machine.folder.locked():
        machine.folder.start_rebuild("epoch").set_percent(62)
    assert warnings(machine) == "Search is being prepared (62 %)"


def test_a_damaged_index_is_told_of(machine: Machine) -> None:
    machine.writer.close()
    file = machine.folder.current()
    assert file
    file.write_bytes(b"no database" * 1_000)
    assert warnings(machine) == "The index of search is damaged, and is made anew"


def test_a_python_without_full_text_search_is_told_of_unless_search_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: Any) -> Any:
        raise sqlite3.OperationalError("no such module: fts5")

    assert health.start_warnings(is_on=True) == []
    monkeypatch.setattr(sqlite3, "connect", connect)
    (warning,) = health.start_warnings(is_on=True)
    assert warning.startswith("This Python has no full-text search")
    assert health.start_warnings(is_on=False) == []
