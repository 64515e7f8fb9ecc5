"""How every command ends: with a status, and one line when it fails."""

import re
from pathlib import Path
from typing import NoReturn

import click
import pytest
from click.testing import CliRunner

from tests.cli.conftest import Invoke, Spawn
from voteweb.cli.main import voteweb
from voteweb.cli.site import mask_password
from voteweb.store.server_info import ServerInfo

NOWHERE = "redis://me:hunter2@127.0.0.1:1/0"


def test_no_database_is_one_line_without_the_password(spawn: Spawn) -> None:
    done = spawn("doctor", VOTEWEB_REDIS_URL=NOWHERE, VOTEWEB_REDIS_DEADLINE="0.2")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"Error: Cannot reach the database at redis://me:\*\*\*@127.0.0.1:1/0: .*refused.\n", done.stderr
    )


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1/", "no address of a database"),
        ("redis://127.0.0.1:port", "no address of a database"),
        ("unix:///nowhere/at.all", "No such file"),
        ("redis://no.such.host.invalid", "no.such.host.invalid"),
    ],
)
def test_wrong_addresses_are_one_line(monkeypatch: pytest.MonkeyPatch, url: str, reason: str) -> None:
    monkeypatch.setenv("VOTEWEB_REDIS_URL", url)
    monkeypatch.setenv("VOTEWEB_REDIS_DEADLINE", "0.2")
    result = CliRunner().invoke(voteweb, ["doctor"])
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert reason in result.stderr


def test_a_database_that_refuses_us_is_one_line(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, server_url: str
) -> None:
    monkeypatch.setenv("VOTEWEB_REDIS_URL", f"{server_url}?db=1000")
    result = invoke("doctor")
    assert result.exit_code == 1
    assert result.stderr == "Error: The database refuses us: DB index is out of range\n"


def test_a_folder_without_a_database_is_not_made(tmp_path: Path) -> None:
    result = CliRunner().invoke(voteweb, ["doctor", "--data", str(tmp_path / "typo")])
    assert result.exit_code == 1
    assert result.stderr == f"Error: There is no database in {tmp_path / 'typo'}.\n"
    assert not (tmp_path / "typo").exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(voteweb, ["user", "create", "bob", "--data", str(tmp_path / "file" / "in-it")])
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "Not a directory" in result.stderr


def test_a_folder_beside_an_address_is_wrong_usage(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("doctor", "--data", tmp_path)
    assert result.exit_code == 2
    assert "VOTEWEB_REDIS_URL" in result.stderr


def test_an_odd_name_of_the_folder_is_no_trouble(folder: Path) -> None:
    odd = folder / "a b?c%20#d"
    words = ["user", "create", "bob", "--password-stdin", "--data", str(odd)]
    assert CliRunner().invoke(voteweb, words, input="correct horse").output == "Made bob (member).\n"
    assert CliRunner().invoke(voteweb, ["doctor", "--data", str(odd)]).exit_code == 0


def test_the_unforeseen_is_one_line_too(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: ServerInfo) -> NoReturn:
        raise KeyError("a\nslip")

    monkeypatch.setattr(ServerInfo, "counts", fail)
    result = invoke("doctor")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "KeyError" in result.stderr
    assert "VOTEWEB_TRACEBACK" in result.stderr
    monkeypatch.setenv("VOTEWEB_TRACEBACK", "1")
    assert isinstance(invoke("doctor").exception, KeyError)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, click.Abort])
def test_a_stop_is_quiet(invoke: Invoke, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]) -> None:
    def interrupted(self: ServerInfo) -> NoReturn:
        raise stop

    monkeypatch.setattr(ServerInfo, "counts", interrupted)
    result = invoke("doctor")
    assert (result.exit_code, result.output) == (130, "")


@pytest.mark.parametrize("words", [["nonsense"], ["doctor", "--nonsense"], ["import"], ["run", "--port", "70000"], []])
def test_wrong_usage_is_status_2(words: list[str]) -> None:
    result = CliRunner().invoke(voteweb, words)
    assert (result.exit_code, result.stdout) == (2, "")


def test_the_version(spawn: Spawn) -> None:
    done = spawn("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"voteweb \d+\.\d+\.\d+\S*\n", done.stdout)


@pytest.mark.parametrize("command", ["run", "import", "user", "doctor", "rescore", "backup", "restore", "config"])
def test_every_command_says_what_it_does(command: str) -> None:
    result = CliRunner().invoke(voteweb, [command, "--help"])
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", ""),
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("redis://:secret@host/0", "redis://:***@host/0"),
        ("rediss://me:se:cr%2Fet@host", "rediss://me:***@host"),
        ("redis://me@host", "redis://me@host"),
        ("unix:///a/b.sock?db=1&password=secret#x", "unix:///a/b.sock?db=1&password=***#x"),
    ],
)
def test_passwords_in_addresses_are_masked(url: str, shown: str) -> None:
    assert mask_password(url) == shown
