"""``voteweb config`` and the commands that list and show: in columns, with --json an object on each line."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import Result

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, output
from voteweb.core.config import COMMAND_LINE, MEMBER_PAGE_SIZE
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.core.settings import Settings, env_name, variables
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


@pytest.mark.parametrize(
    ("name", "value", "refusal"),
    [
        ("VOTEWEB_HOST", "localhost:8000", "VOTEWEB_HOST must be an address or a name without a port, "),
        ("VOTEWEB_BRAND_DIR", "/etc/passwd", "VOTEWEB_BRAND_DIR is a file, /etc/passwd, and must be a folder."),
    ],
)
def test_a_value_of_another_kind_is_refused(invoke_alone: Invoke, name: str, value: str, refusal: str) -> None:
    assert error_line(invoke_alone("config", **{name: value})).startswith(refusal)
    assert refusal in invoke_alone("config", "--check", **{name: value}).output


@pytest.fixture
def checked(tmp_path: Path, settings: Settings) -> dict[str, str]:
    """The variables of a site that can start."""
    return {"VOTEWEB_DATA_DIR": str(tmp_path / "data"), "VOTEWEB_REDIS_URL": settings.redis_url, "VOTEWEB_PORT": "0"}


def test_a_check_tries_all_and_makes_nothing(
    invoke: Invoke, invoke_alone: Invoke, checked: dict[str, str], tmp_path: Path
) -> None:
    report = "folders: ok\naddress: ok\nmail: none\ndatabase: ok\n"
    assert output(invoke("config", "--check", **checked)) == report
    assert "makes it at the first start" in output(invoke_alone("config", "--check", **{**checked, **EMBEDDED}))
    assert list(tmp_path.iterdir()) == []


EMBEDDED = {"VOTEWEB_REDIS_URL": ""}
CLOSED = "127.0.0.1:1"
MAIL = {"VOTEWEB_MAIL_URL": f"smtp://{CLOSED}", "VOTEWEB_MAIL_FROM": "news@x.example", "VOTEWEB_SITE_URL": "http://x"}


@pytest.mark.parametrize(
    ("changes", "check", "reason"),
    [
        ({"VOTEWEB_DATA_DIR": "/etc/passwd/data"}, "folders", "VOTEWEB_DATA_DIR: /etc/passwd is no folder that this "),
        ({"VOTEWEB_PAGES_DIR": "/nowhere"}, "folders", "VOTEWEB_PAGES_DIR is not a folder that can be read"),
        ({"VOTEWEB_HOST": "203.0.113.9"}, "address", "Cannot listen at 203.0.113.9 port 0: "),
        (MAIL, "mail", "[Errno 111] Connection refused"),
        (
            {"VOTEWEB_REDIS_URL": f"redis://{CLOSED}", "VOTEWEB_REDIS_DEADLINE": "0.1"},
            "database",
            f"Cannot reach the database at redis://{CLOSED}: ",
        ),
    ],
)
def test_a_check_names_what_does_not_work(
    invoke: Invoke, checked: dict[str, str], changes: dict[str, str], check: str, reason: str
) -> None:
    result = invoke("config", "--check", **(checked | changes))
    assert error_line(result) == f"The site cannot start with these settings: {check}"
    lines = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    assert lines[check].startswith(reason)
    assert {name for name, said in lines.items() if said not in ("ok", "none")} == {check}


def test_the_port_of_the_running_site_is_no_fault(invoke: Invoke, checked: dict[str, str]) -> None:
    class Site(BaseHTTPRequestHandler):
        body = b'{"status": "ok"}'

        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + self.body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        port = {"VOTEWEB_PORT": str(server.server_address[1])}
        assert "address: ok, the site runs\n" in output(invoke("config", "--check", **(checked | port)))
        Site.body = b"another program"
        assert "Address already in use" in invoke("config", "--check", **(checked | port)).stdout
        server.shutdown()


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
