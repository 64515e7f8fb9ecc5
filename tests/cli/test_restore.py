"""``voteweb restore``: a site comes back from its file, and an unfinished restore is not served."""

import os
import signal
from pathlib import Path

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, output, read_backup, write_backup
from tests.helpers import until
from tests.site_process import start_voteweb
from tests.store.backup.copying import lasting
from tests.store.examination import broken, run
from tests.store.test_programs import give_token
from voteweb.app import create_app
from voteweb.core.config import OLDEST_BACKUP
from voteweb.core.errors import ConfigError
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.core.settings import Settings
from voteweb.store import Store


def test_an_older_layout_with_the_same_primary_keys_is_restored(
    invoke: Invoke, small_site: Store, backup: Path
) -> None:
    before, lines = lasting(small_site), read_backup(backup)
    write_backup(backup, [lines[0] | {"layout": OLDEST_BACKUP}, *lines[1:]])
    run(small_site, "FLUSHDB")
    counts = "1 article, 0 comments, 2 members, 1 group, 0 log entries"
    assert output(invoke("restore", backup)).startswith(f"Restored {counts}, as of 20")
    assert lasting(small_site) == before


def test_a_dry_run_needs_no_database(backup: Path, invoke_alone: Invoke) -> None:
    printed = output(invoke_alone("restore", "--dry-run", backup, VOTEWEB_REDIS_URL="redis://127.0.0.1:1/0"))
    assert printed.startswith(f"{backup} is complete: 1 article, ")


def test_a_group_that_only_articles_name_is_restored(invoke: Invoke, small_site: Store, backup: Path) -> None:
    lines = [line for line in read_backup(backup) if not line.get("key", "").startswith("group-info:")]
    write_backup(backup, [*lines[:-1], {"end": {"lines": len(lines) - 2, "articles": 1, "members": 2}}])
    run(small_site, "FLUSHDB")
    assert invoke("restore", backup).exit_code == 0
    assert invoke("doctor").output.startswith("The data are consistent: 1 article, 2 members, 1 group")


def test_the_log_of_a_site_without_articles_is_restored(invoke: Invoke, store: Store, tmp_path: Path) -> None:
    store.users.set_role(factories.user(store).name, Role.MODERATOR, LogEntry(LogAction.ROLE, "root", about="ann"))
    assert invoke("backup", tmp_path / "site.gz").exit_code == 0
    run(store, "FLUSHDB")
    run(store, "SCRIPT", "FLUSH")
    assert invoke("restore", tmp_path / "site.gz").exit_code == 0
    assert run(store, "LRANGE", "log:", 0, -1) == ["1"]
    assert broken(store) == []


def test_a_restore_says_what_the_doctor_then_names(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    factories.comment(small_site, 1)
    run(small_site, "DEL", "words:1")
    assert invoke("backup", tmp_path / "site.gz").exit_code == 0
    run(small_site, "FLUSHDB")
    result = invoke("restore", tmp_path / "site.gz")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (3, ["words:1  lacks the words of comment 1.1"])


def test_tokens_of_programs_come_back_unless_they_are_ended(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    ann = small_site.users.get("ann")
    tokens = [give_token(small_site, ann, name=name) for name in ("one", "another")]
    assert invoke("backup", tmp_path / "site.gz").exit_code == 0
    for ends in ([], ["--end-programs"]):
        run(small_site, "FLUSHDB")
        printed = output(invoke("restore", tmp_path / "site.gz", *ends))
        assert ("2 tokens of programs came back" in printed) is (not ends)
        known = [small_site.read(small_site.programs.queue_find_voter, token) for token in tokens]
        assert [voter is not None for voter in known] == [not ends] * 2
        assert run(small_site, "KEYS", "programs:*") == ([] if ends else ["programs:ann"])
        assert broken(small_site) == []


def test_a_database_in_use_is_not_changed(invoke: Invoke, small_site: Store, backup: Path) -> None:
    before = lasting(small_site)
    assert "is not empty" in error_line(invoke("restore", backup))
    assert lasting(small_site) == before
    run(small_site, "FLUSHDB")
    run(small_site, "HSET", "jobs:", "mail", "1")
    run(small_site, "HSET", "site:", "settings-since", "1")
    assert "a voteweb serves it or has served it" in error_line(invoke("restore", backup))


@pytest.fixture
def killed_restore(invoke: Invoke, small_site: Store, backup: Path, server_url: str) -> Path:
    """A backup whose restore was killed in the middle."""
    small_site.imports.add([factories.story(title=f"Story {i}") for i in range(3_000)])
    assert invoke("backup", backup).exit_code == 0
    run(small_site, "FLUSHDB")
    client = small_site.connection.client
    # The restore waits in its middle for free memory.
    client.config_set("maxmemory", client.info("memory")["used_memory"] + 1_500_000)
    restore = start_voteweb("restore", backup, env={"VOTEWEB_REDIS_URL": server_url})
    try:
        until(lambda: run(small_site, "DBSIZE") > 100)
    finally:
        os.kill(restore.pid, signal.SIGKILL)
        restore.wait()
        client.config_set("maxmemory", 0)
    return backup


@pytest.mark.heavy
def test_a_killed_restore_is_refused_until_it_is_repeated(
    invoke: Invoke, small_site: Store, killed_restore: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOTEWEB_SECRET_KEY", settings.secret_key)
    for arguments in (
        ["doctor"],
        ["rescore"],
        ["user", "create", "x1"],
        ["backup", killed_restore],
        ["restore", killed_restore],
        ["run", "--port", 0],
    ):
        line = error_line(invoke(*arguments))
        assert line.startswith("A restore into this database did not finish"), arguments
        assert "Run `voteweb restore --again FILE`" in line
    with pytest.raises(ConfigError, match="did not finish"):
        create_app(settings)
    assert small_site.health.health() == ("down", ["A restore did not finish"])
    assert invoke("restore", "--again", killed_restore).exit_code == 0
    assert invoke("doctor").exit_code == 0
    create_app(settings)
