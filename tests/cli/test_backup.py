"""``voteweb backup``: one file that is complete or absent."""

import re
import time
from pathlib import Path
from typing import NoReturn
from unittest.mock import Mock

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, output, read_backup
from tests.site_process import start_voteweb
from tests.store.examination import run
from voteweb.core.errors import ConfigError, StorageFull
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.backup import Backup
from voteweb.store.schema.keys import Keys
from voteweb.store.server.health import HealthChecks


def test_a_backup_has_what_it_reports_for_its_owner_only(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    file = tmp_path / "x"
    counts = "1 article, 0 comments, 2 members, 1 group, 0 log entries"
    assert output(invoke("backup", file)) == f"Wrote {counts} to {file} (0.0 MB).\n"
    assert file.stat().st_mode & 0o777 == 0o600
    first, *lines, end = read_backup(file)
    keys = {Keys().split(line["key"])[0] for line in lines}
    assert keys == {"once", "article", "voted", "group-info", "site", "user"}, "others are computed from these"
    assert (first["file"], first["format"]) == ("voteweb backup", 7)
    assert first["engine"] == small_site.health.engine().program
    assert end["end"] == {"lines": 9, "articles": 1, "groups": 1, "members": 2}
    assert len(end["sha256"]) == 64


def test_a_failed_backup_leaves_the_previous_one(invoke: Invoke, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = backup.read_bytes()

    def fail(self: Backup, skipped: list[str]) -> NoReturn:
        raise ConfigError("The database was restarted.")
        yield

    monkeypatch.setattr(Backup, "lines", fail)
    assert error_line(invoke("backup", backup)) == "The database was restarted."
    assert backup.read_bytes() == before
    assert list(backup.parent.iterdir()) == [backup]


def test_a_file_that_cannot_be_made_is_named_as_typed(invoke: Invoke, small_site: Store) -> None:
    assert error_line(invoke("backup", "/proc/x")) == "No such file or directory: /proc/x"
    assert "there is no folder /nowhere" in invoke("backup", "/nowhere/x").stderr


def test_a_damaged_key_is_named_and_all_else_is_restored(
    invoke: Invoke, small_site: Store, tmp_path: Path, folder: Path
) -> None:
    factories.article(small_site, link="")
    for key in ("article:", "article:2", "user:zoe"):
        run(small_site, "DEL", key)
        run(small_site, "SET", key, "x")
    file = tmp_path / "x"
    result = invoke("backup", file)
    assert (result.exit_code, result.stderr.splitlines()) == (
        1,
        [
            "article:2  cannot be read: left out",
            "user:zoe  cannot be read: left out",
            "article:  cannot be read: left out",
            f"Error: {file} is partial: 3 keys could not be read and are not in it (voteweb doctor tells more)",
        ],
    )
    assert small_site.health.backup_warnings() == []
    restored = invoke("restore", file, "--data", folder, VOTEWEB_REDIS_URL="")
    assert restored.exit_code == 0
    assert "is partial: the backup could not read 3 keys." in restored.stdout
    assert "Restored 1 article" in restored.stdout
    assert restored.stdout.endswith("Run voteweb doctor --repair now.\n")
    repaired = invoke("doctor", "--repair", "--data", folder, VOTEWEB_REDIS_URL="")
    assert repaired.exit_code == 0, repaired.output


def test_the_site_knows_when_its_last_good_backup_was_made(
    invoke: Invoke, small_site: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small_site.health.last_backup() is None
    assert invoke("backup", tmp_path / "x").exit_code == 0
    made = small_site.health.last_backup()
    assert made
    assert abs(made.time - time.time()) < 60
    assert made.size == (tmp_path / "x").stat().st_size
    assert small_site.health.backup_warnings() == []
    small_site.health.record_backup(made._replace(time=time.time() - 4 * 86_400))
    (warning,) = small_site.health.backup_warnings()
    assert warning.startswith("The last good backup was made 4 days ago")
    assert small_site.health.health() == ("degraded", [warning])
    monkeypatch.setattr(HealthChecks, "record_backup", Mock(side_effect=StorageFull))
    result = invoke("backup", tmp_path / "x")
    assert (result.exit_code, "the site cannot note" in result.stderr) == (0, True)


def test_a_backup_goes_through_a_pipe(invoke: Invoke, small_site: Store) -> None:
    result = invoke("backup", "-")
    assert (result.exit_code, result.stderr.startswith("Wrote 1 article, ")) == (0, True)
    made = small_site.health.last_backup()
    assert made
    assert made.size == len(result.stdout_bytes)
    checked = invoke("restore", "--dry-run", "-", input=result.stdout_bytes)
    assert checked.output.startswith("- is complete: 1 article"), checked.output


def test_a_backup_that_does_not_get_through_is_not_noted(small_site: Store, settings: Settings) -> None:
    env = {"VOTEWEB_REDIS_URL": settings.redis_url, "PYTHONUNBUFFERED": ""}  # as an operator's shell has it
    with open("/dev/full", "wb") as full:
        process = start_voteweb("backup", "-", env=env, stdout=full)
        assert process.wait(60) != 0
    assert small_site.health.last_backup() is None


def test_a_terminal_gets_no_backup(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
    result = invoke("backup", "-")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "standard output is a terminal" in result.stderr


def test_a_folder_gets_a_file_named_after_site_and_time(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    assert invoke("backup", f"{tmp_path}/", VOTEWEB_SITE="cooking").exit_code == 0
    (file,) = tmp_path.iterdir()
    assert re.fullmatch(r"voteweb-cooking-[0-9]{8}T[0-9]{6}Z\.gz", file.name)
    assert invoke("restore", "--dry-run", file).exit_code == 0
