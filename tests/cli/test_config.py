"""``voteweb config``: every setting with its value, unit, source and description."""

import json
from dataclasses import Field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from voteweb.core.config import env_name, variables


def printed_settings(invoke: Invoke, **env: str) -> dict[str, str]:
    """Return the lines of ``voteweb config`` by the names of the settings."""
    result = invoke("config", **env)
    assert (result.exit_code, result.stderr) == (0, "")
    return {line.split()[0]: line for line in result.stdout.splitlines()}


@pytest.mark.parametrize("setting", variables(), ids=lambda setting: setting.name)
def test_every_setting_has_its_unit_and_description(invoke_alone: Invoke, setting: Field[Any]) -> None:
    line = printed_settings(invoke_alone)[env_name(setting.name)]
    assert f" {setting.metadata['unit']} " in line
    assert line.endswith(f"  {setting.metadata['description']}")


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("VOTEWEB_PORT", "8123 port environment"),
        ("VOTEWEB_HOST", "127.0.0.1 address default"),
        ("VOTEWEB_VOTE_SCORE", "432.0 seconds worked out"),
        ("VOTEWEB_SECRET_KEY", "made at the first start text data directory"),
    ],
)
def test_a_setting_has_its_value_and_its_source(
    invoke_alone: Invoke, name: str, columns: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    line = printed_settings(invoke_alone, VOTEWEB_PORT="8123")[name]
    assert " ".join(line.split()).startswith(f"{name} {columns} ")


def test_secrets_are_masked(invoke_alone: Invoke) -> None:
    url = "rediss://me:hunter2@db.example:6380/0?password=hunter3&x=1"
    lines = printed_settings(invoke_alone, VOTEWEB_SECRET_KEY="hunter1", VOTEWEB_REDIS_URL=url)
    assert "hunter" not in "".join(lines.values())
    assert "rediss://me:***@db.example:6380/0?password=***&x=1" in lines["VOTEWEB_REDIS_URL"]


def test_json_has_an_object_for_each_setting(invoke_alone: Invoke) -> None:
    result = invoke_alone("config", "--json", VOTEWEB_PORT="8123", VOTEWEB_SECRET_KEY="hunter1", VOTEWEB_NEWS="x")
    rows = {row["name"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert list(rows) == [env_name(setting.name) for setting in variables()]
    assert (rows["VOTEWEB_PORT"]["value"], rows["VOTEWEB_PORT"]["source"]) == ("8123", "environment")
    assert rows["VOTEWEB_SECRET_KEY"]["value"] == "*** (fingerprint 7be28066)"
    assert "VOTEWEB_NEWS" in result.stderr


def test_the_key_in_the_data_directory_is_masked(invoke_alone: Invoke, tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("hunter1")
    line = printed_settings(invoke_alone, VOTEWEB_DATA_DIR=str(tmp_path))["VOTEWEB_SECRET_KEY"]
    assert line.split()[1:5] == ["***", "text", "data", "directory"]


def test_a_missing_key_is_shown_as_missing(invoke_alone: Invoke) -> None:
    lines = printed_settings(invoke_alone, VOTEWEB_REDIS_URL="redis://db.example")
    assert lines["VOTEWEB_SECRET_KEY"].split()[1] == "missing"


def test_an_unknown_setting_is_reported(invoke_alone: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOTEWEB_TEST_NO_SKIP", raising=False)
    result = invoke_alone("config", VOTEWEB_BAD_VOTES_OF_THE_DAY="100")
    assert result.stdout.endswith("VOTEWEB_BAD_VOTES_OF_THE_DAY is set, but there is no such setting.\n")


def test_an_invalid_value_fails_in_one_line(invoke_alone: Invoke) -> None:
    result = invoke_alone("config", VOTEWEB_PORT="eighty")
    assert error_line(result) == "VOTEWEB_PORT must be a whole number, not 'eighty'."
    assert result.stdout == ""
