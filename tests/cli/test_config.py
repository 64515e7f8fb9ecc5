from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from voteweb.cli.main import voteweb
from voteweb.core.config import Settings, env_name


def shown() -> dict[str, list[str]]:
    result = CliRunner().invoke(voteweb, ["config"])
    assert (result.exit_code, result.stderr) == (0, "")
    return {line.split()[0]: line.split() for line in result.stdout.splitlines()}


def test_every_setting_has_its_line_with_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOTEWEB_PORT", "8123")
    result = CliRunner().invoke(voteweb, ["config"])
    for each in fields(Settings):
        (line,) = [line for line in result.stdout.splitlines() if line.startswith(f"{env_name(each.name)} ")]
        assert line.endswith(f"  {each.metadata['why']}")
        assert f" {each.metadata['unit']} " in line
    lines = shown()
    assert lines["VOTEWEB_PORT"][1:4] == ["8123", "port", "environment"]
    assert lines["VOTEWEB_HOST"][1:4] == ["127.0.0.1", "address", "default"]
    assert lines["VOTEWEB_VOTE_SCORE"][1:5] == ["432.0", "seconds", "worked", "out"]
    assert "made at the first start" in result.stdout


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_SECRET_KEY", "hunter1")
    monkeypatch.setenv("VOTEWEB_REDIS_URL", "rediss://me:hunter2@db.example:6380/0?password=hunter3&x=1")
    result = CliRunner().invoke(voteweb, ["config"])
    assert "hunter" not in result.output
    assert "rediss://me:***@db.example:6380/0?password=***&x=1" in result.stdout


def test_the_key_in_the_data_directory_is_told_and_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("hunter1")
    monkeypatch.setenv("VOTEWEB_DATA_DIR", str(tmp_path))
    assert shown()["VOTEWEB_SECRET_KEY"][1:5] == ["***", "text", "data", "directory"]


def test_a_missing_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_REDIS_URL", "redis://db.example")
    assert shown()["VOTEWEB_SECRET_KEY"][1] == "missing"


def test_a_slip_of_the_pen_is_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_GOOD_VOTE", "100")
    monkeypatch.delenv("VOTEWEB_TEST_NO_SKIP", raising=False)
    assert (
        CliRunner()
        .invoke(voteweb, ["config"])
        .stdout.endswith("VOTEWEB_GOOD_VOTE is set, but there is no such setting.\n")
    )


def test_a_wrong_value_fails_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_PORT", "eighty")
    result = CliRunner().invoke(voteweb, ["config"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: VOTEWEB_PORT must be a whole number, not 'eighty'.\n"
