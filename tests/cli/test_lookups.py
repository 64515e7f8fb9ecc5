"""``voteweb config`` and the commands that list and show: in columns, with --json an object on each line."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, output
from voteweb.core.config import COMMAND_LINE, MEMBER_PAGE_SIZE
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.core.settings import env_name, variables
from voteweb.store import Store


def printed_settings(invoke: Invoke, **env: str) -> dict[str, str]:
    """Return the lines of ``voteweb config`` by the names of the settings."""
    return {line.split()[0]: line for line in output(invoke("config", **env)).splitlines()}


def test_every_setting_has_its_value_unit_source_and_description(
    invoke_alone: Invoke, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = printed_settings(invoke_alone, VOTEWEB_PORT="8123")
    for setting in variables():
        line = lines[env_name(setting.name)]
        assert f" {setting.metadata['unit']} " in line
        assert line.endswith(f"  {setting.metadata['description']}")
    for name, columns in {
        "VOTEWEB_PORT": "8123 port environment",
        "VOTEWEB_HOST": "127.0.0.1 address default",
        "VOTEWEB_VOTE_SCORE": "432.0 seconds worked out",
        "VOTEWEB_SECRET_KEY": "made at the first start text data directory",
    }.items():
        assert " ".join(lines[name].split()).startswith(f"{name} {columns} ")


def test_json_has_an_object_for_each_setting_without_secrets(invoke_alone: Invoke) -> None:
    url = "rediss://me:hunter2@db.example:6380/0?password=hunter3&x=1"
    env = {"VOTEWEB_SECRET_KEY": "hunter1", "VOTEWEB_REDIS_URL": url, "VOTEWEB_NEWS": "x"}
    result = invoke_alone("config", "--json", VOTEWEB_PORT="8123", **env)
    assert "hunter" not in result.output
    rows = {row["name"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert list(rows) == [env_name(setting.name) for setting in variables()]
    assert (rows["VOTEWEB_PORT"]["value"], rows["VOTEWEB_PORT"]["source"]) == ("8123", "environment")
    assert rows["VOTEWEB_SECRET_KEY"]["value"] == "*** (fingerprint 7be28066)"
    assert rows["VOTEWEB_REDIS_URL"]["value"] == "rediss://me:***@db.example:6380/0?password=***&x=1"
    assert "VOTEWEB_NEWS" in result.stderr


def test_a_missing_key_is_shown_as_missing(invoke_alone: Invoke) -> None:
    lines = printed_settings(invoke_alone, VOTEWEB_REDIS_URL="redis://db.example", VOTEWEB_REDIS_DEADLINE="0.1")
    assert lines["VOTEWEB_SECRET_KEY"].split()[1] == "missing"


def objects(result: Result) -> list[dict[str, Any]]:
    """Return the JSON objects that a command printed."""
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def names(result: Result) -> list[str]:
    return [row["name"] for row in objects(result)]


@pytest.fixture
def members(store: Store) -> Store:
    """A site whose newest member is zoe, after two pages of others; mod is a moderator, bob is banned."""
    for at in range(2 * MEMBER_PAGE_SIZE):
        factories.user(store, f"m{at:03}")
    mod = factories.user(store, "Mod")
    store.users.set_role(mod.name, Role.MODERATOR, LogEntry(LogAction.ROLE, COMMAND_LINE, about="Mod"))
    factories.user(store, "bob")
    store.bans.ban("bob", LogEntry(LogAction.BAN, COMMAND_LINE, about="bob", why="spam"))
    factories.article(store, factories.user(store, "zoe"), text="Hello")
    return store


def test_members_are_listed_in_pages(invoke: Invoke, members: Store) -> None:
    first = invoke("user", "list", "--json", "--limit", 60)
    assert names(first)[:4] == ["zoe", "bob", "Mod", "m099"]
    assert first.stderr == "There are more: --skip 60\n"
    rest = invoke("user", "list", "--json", "--limit", 60, "--skip", 60)
    assert rest.stderr == ""
    assert len({*names(first), *names(rest)}) == len(names(first)) + len(names(rest)) == 2 * MEMBER_PAGE_SIZE + 3
    assert names(invoke("user", "list", "--moderators", "--json")) == ["Mod"]
    assert names(invoke("user", "list", "--banned", "--json")) == ["bob"]
    assert names(invoke("user", "list", "--starting-with", "M00", "--limit", 2, "--json")) == ["m000", "m001"]


def test_a_member_is_shown(invoke: Invoke, members: Store) -> None:
    (bob,) = objects(invoke("user", "show", "BOB", "--json"))
    assert (bob["name"], bob["role"], bob["state"], bob["reason"], bob["can_log_in"]) == (
        "bob", "member", "banned", "spam", False,
    )  # fmt: skip
    assert "articles: 1\n" in invoke("user", "show", "zoe").stdout
    assert error_line(invoke("user", "show", "nobody2")) == "There is no member named nobody2."


def test_an_article_is_removed_once(invoke: Invoke, members: Store) -> None:
    assert invoke("article", "remove", 1, "--reason", "spam").stdout.startswith("Removed 1, “")
    assert error_line(invoke("article", "remove", 1, "--reason", "spam"))


def test_the_log_is_listed_newest_first(invoke: Invoke, members: Store) -> None:
    assert [entry["kind"] for entry in objects(invoke("log", "--json"))] == ["ban", "role"]
    assert [entry["about"] for entry in objects(invoke("log", "--kind", "role", "--json"))] == ["Mod"]
    (ban,) = objects(invoke("log", "--kind", "ban", "--json"))
    assert (ban["votes"], ban["closed"]) == (0, 0)
    limited = invoke("log", "--limit", 1)
    assert [line.split()[-2:] for line in limited.stdout.splitlines()] == [["ARTICLE", "WHY"], ["bob", "spam"]]
    assert limited.stderr == "There are more: --skip 1\n"


def test_statistics_have_days_and_totals(invoke: Invoke, members: Store) -> None:
    *days, totals = objects(invoke("stats", "--days", 2, "--json"))
    assert [day["posts"] for day in days][-1:] == [1]
    assert len(days) == 2
    assert (totals["articles"], totals["median_wait_of_reports_in_seconds"]) == (1, None)
    assert "articles: 1\n" in invoke("stats").stdout


def test_no_control_characters_reach_the_terminal(invoke: Invoke, store: Store) -> None:
    store.groups.make("go", "a\x1b[2Jb\x9b\u202e", "")
    assert " a[2Jb " in invoke("group", "list").stdout
