"""The commands that list and show: for people in columns, with --json an object on each line."""

import json
from typing import Any

import pytest
from click.testing import Result

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from voteweb.core.config import COMMAND_LINE, MEMBER_PAGE_SIZE
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


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
    store.users.set_role(mod.name, Role.MODERATOR, NewLogEntry(LogAction.ROLE, COMMAND_LINE, about="Mod"))
    factories.user(store, "bob")
    store.bans.ban("bob", NewLogEntry(LogAction.BAN, COMMAND_LINE, about="bob", why="spam"))
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
    assert invoke("user", "list", "--banned", "--moderators").exit_code == 2


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
    assert error_line(invoke("article", "remove", 99, "--reason", "spam"))


def test_the_log_is_listed_newest_first(invoke: Invoke, members: Store) -> None:
    assert [entry["kind"] for entry in objects(invoke("log", "--json"))] == ["ban", "role"]
    assert [entry["about"] for entry in objects(invoke("log", "--kind", "role", "--json"))] == ["Mod"]
    limited = invoke("log", "--limit", 1)
    assert [line.split()[-2:] for line in limited.stdout.splitlines()] == [["ARTICLE", "WHY"], ["bob", "spam"]]
    assert limited.stderr == "There are more: --skip 1\n"
    assert invoke("log", "--about", "bob", "--kind", "ban").exit_code == 2


def test_statistics_have_days_and_totals(invoke: Invoke, members: Store) -> None:
    *days, totals = objects(invoke("stats", "--days", 2, "--json"))
    assert [day["posts"] for day in days][-1:] == [1]
    assert len(days) == 2
    assert (totals["articles"], totals["median_wait_of_reports_in_seconds"]) == (1, None)
    assert "articles: 1\n" in invoke("stats").stdout


def test_no_control_characters_reach_the_terminal(invoke: Invoke, store: Store) -> None:
    store.groups.make("go", "a\x1b[2Jb\x9b\u202e", "")
    assert " a[2Jb " in invoke("group", "list").stdout
