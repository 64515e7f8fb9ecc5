"""How every command ends: with a status, and with one line when it fails."""

import socket
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from voteweb.core.settings_in_force import mask_password
from voteweb.store.server.health import HealthChecks


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (
            "redis://me:hunter2@127.0.0.1:1/0",
            "Cannot reach the database at redis://me:***@127.0.0.1:1/0: Error 111 connecting to 127.0.0.1:1.",
        ),
        ("http://127.0.0.1/", "not the address of a database"),
        ("unix:///nowhere/at.all", "No such file"),
        ("redis+sentinel://127.0.0.1:1/other", "no primary for 'other': "),
        ("redis://no.such.host.invalid", "no.such.host.invalid"),
    ],
)
def test_a_wrong_url_is_one_line(invoke_alone: Invoke, url: str, reason: str) -> None:
    result = invoke_alone("doctor", VOTEWEB_REDIS_URL=url, VOTEWEB_REDIS_DEADLINE="0.2")
    assert reason in error_line(result)
    assert result.stdout == ""


def test_a_port_without_tls_is_unreachable_within_the_deadline(invoke_alone: Invoke) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"rediss://127.0.0.1:{silent.getsockname()[1]}"
        result = invoke_alone("doctor", VOTEWEB_REDIS_URL=url, VOTEWEB_REDIS_DEADLINE="0.2")
    assert error_line(result).startswith(f"Cannot reach the database at {url}: ")


def test_a_database_that_refuses_the_connection_is_one_line(invoke_alone: Invoke, server_url: str) -> None:
    result = invoke_alone("doctor", VOTEWEB_REDIS_URL=f"{server_url}?db=1000")
    assert error_line(result) == "The database refuses us: DB index is out of range"


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", Path(__file__).parents[2] / "voteweb" / "cli" / "sample.jsonl"],
        ["doctor"],
    ],
)
def test_a_command_makes_no_database(invoke_alone: Invoke, tmp_path: Path, arguments: list[object]) -> None:
    line = error_line(invoke_alone(*arguments, "--data", tmp_path / "typo", input="correct horse"))
    assert line.startswith(f"There is no database in {tmp_path / 'typo'}.")
    assert list(tmp_path.iterdir()) == []


def test_a_restore_without_a_named_place_makes_no_database(
    invoke_alone: Invoke, backup: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "VOTEWEB_REDIS_URL", "VOTEWEB_DATA_DIR":
        monkeypatch.delenv(name)
    result = invoke_alone("restore", backup)
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [backup])
    assert "VOTEWEB_DATA_DIR" in result.stderr


def test_a_folder_and_a_url_together_are_wrong_usage(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("doctor", "--data", tmp_path)
    assert result.exit_code == 2
    assert "VOTEWEB_REDIS_URL" in result.stderr


def test_an_unexpected_error_is_one_line_without_a_traceback(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HealthChecks, "counts", Mock(side_effect=KeyError("a\nmistake")))
    line = error_line(invoke("doctor"))
    assert "KeyError" in line
    assert "VOTEWEB_TRACEBACK" in line
    assert isinstance(invoke("doctor", VOTEWEB_TRACEBACK="1").exception, KeyError)


def test_an_interruption_prints_nothing(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HealthChecks, "counts", Mock(side_effect=KeyboardInterrupt))
    result = invoke("doctor")
    assert (result.exit_code, result.output) == (130, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["import"],
        ["user", "create", "bob"],
        ["user", "password", "bob", "--link", "--password-stdin"],
    ],
)
def test_wrong_usage_has_status_2(invoke: Invoke, arguments: list[str]) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("redis://:secret@host/0", "redis://:***@host/0"),
        ("redis://me:s/e@c#r?e:t@host/0", "redis://me:***@host/0"),
        ("redis://me@host", "redis://me@host"),
        ("unix:///a/b.sock?db=1&password=secret#x", "unix:///a/b.sock?db=1&password=***#x"),
    ],
)
def test_passwords_in_urls_are_masked(url: str, masked: str) -> None:
    assert mask_password(url) == masked
