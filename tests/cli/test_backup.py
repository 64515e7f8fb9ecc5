"""``voteweb backup``: one file that is complete or absent."""

import gzip
import json
import os
import re
import shlex
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, read_backup
from tests.store.examination import run
from voteweb.cli import backup_file
from voteweb.cli.backup_folder import file_name, prune
from voteweb.core.errors import ConfigError
from voteweb.store import Store
from voteweb.store.backup import Backup
from voteweb.store.keys import Keys


def test_a_backup_reports_what_it_contains(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    result = invoke("backup", tmp_path / "x")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (
        result.stdout
        == f"Wrote 1 article, 0 comments, 2 members, 1 group, 0 log entries to {tmp_path / 'x'} (0.0 MB).\n"
    )


def test_only_its_owner_can_read_a_backup(backup: Path) -> None:
    assert backup.stat().st_mode & 0o777 == 0o600


def test_a_backup_has_its_format_engine_counts_and_checksum(backup: Path, small_site: Store) -> None:
    first, *_, end = read_backup(backup)
    assert (first["file"], first["format"]) == ("voteweb backup", 7)
    assert first["engine"] == small_site.server_info.engine().program
    assert end["end"] == {"lines": 9, "articles": 1, "groups": 1, "members": 2}
    assert len(end["sha256"]) == 64


def test_computed_data_are_not_in_a_backup(backup: Path) -> None:
    keys = {Keys().split(line["key"])[0] for line in read_backup(backup)[1:-1]}
    assert keys == {"once", "article", "voted", "group-info", "site", "user"}
    assert b"score:" not in gzip.decompress(backup.read_bytes())


def test_a_second_backup_replaces_the_first(invoke: Invoke, small_site: Store, backup: Path) -> None:
    factories.article(small_site, link="")
    assert invoke("backup", backup).exit_code == 0
    assert "2 articles" in invoke("restore", "--dry-run", backup).stdout
    assert list(backup.parent.iterdir()) == [backup]


def test_a_failed_backup_leaves_the_previous_one(invoke: Invoke, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = backup.read_bytes()

    def fail(self: Backup, skipped: list[str]) -> NoReturn:
        raise ConfigError("The database was restarted.")
        yield

    monkeypatch.setattr(Backup, "lines", fail)
    assert error_line(invoke("backup", backup)) == "The database was restarted."
    assert backup.read_bytes() == before
    assert list(backup.parent.iterdir()) == [backup]


def test_a_full_disk_is_one_line_and_leaves_no_file(
    invoke: Invoke, small_site: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_file.os, "fsync", fail)
    assert error_line(invoke("backup", tmp_path / "x")) == "No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_wrong_usage(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("backup", tmp_path / "nowhere" / "x")
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


def test_a_file_that_cannot_be_made_is_named_as_it_was_typed(invoke: Invoke, small_site: Store) -> None:
    assert error_line(invoke("backup", "/proc/x")) == "No such file or directory: /proc/x"


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
    assert small_site.last_backup.warnings() == []
    restored = invoke("restore", file, "--data", folder, VOTEWEB_REDIS_URL="")
    assert restored.exit_code == 0
    assert "is partial: the backup could not read 3 keys." in restored.stdout
    assert "Restored 1 article" in restored.stdout
    assert restored.stdout.endswith("Run voteweb doctor --repair now.\n")
    repaired = invoke("doctor", "--repair", "--data", folder, VOTEWEB_REDIS_URL="")
    assert repaired.exit_code == 0, repaired.output


def test_the_site_knows_when_its_last_good_backup_was_made(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    assert small_site.last_backup.get() is None
    assert invoke("backup", tmp_path / "x").exit_code == 0
    made = small_site.last_backup.get()
    assert made
    assert abs(made.time - time.time()) < 60
    assert made.size == (tmp_path / "x").stat().st_size
    assert small_site.last_backup.warnings() == []
    small_site.last_backup.record(made._replace(time=time.time() - 4 * 86_400))
    (warning,) = small_site.last_backup.warnings()
    assert warning.startswith("The last good backup was made 4 days ago")
    assert small_site.health.health() == ("degraded", [warning])


def test_a_backup_is_copied_by_a_command_without_a_shell(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    file = tmp_path / "a b; $(x).gz"
    assert invoke("backup", file, "--then", f"cp {{}} '{tmp_path}/the copy'").exit_code == 0
    assert (tmp_path / "the copy").read_bytes() == file.read_bytes()


def test_the_command_is_not_told_the_settings(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_SECRET_KEY", "a secret key")
    monkeypatch.setenv("RESTIC_REPOSITORY", "elsewhere")
    script = f"import os, json; json.dump(dict(os.environ), open({str(tmp_path / 'environment')!r}, 'w'))"
    assert invoke("backup", tmp_path / "x", "--then", shlex.join([sys.executable, "-c", script])).exit_code == 0
    environment = json.loads((tmp_path / "environment").read_text())
    assert environment["RESTIC_REPOSITORY"] == "elsewhere"
    assert [name for name in environment if name.startswith("VOTEWEB_")] == []


def test_a_failing_copy_fails_the_command_and_keeps_the_file(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    result = invoke("backup", tmp_path / "x", "--then", "false {}")
    assert error_line(result) == f"The backup is in {tmp_path / 'x'}, but false ended with status 1."
    assert invoke("restore", "--dry-run", tmp_path / "x").exit_code == 0
    assert small_site.last_backup.get() is None
    missing = invoke("backup", tmp_path / "y", "--then", "no-such-program {}")
    assert (missing.exit_code, (tmp_path / "y").exists()) == (2, False)


@pytest.mark.parametrize("option", ["--encrypt-to", "--then"])
def test_an_empty_variable_of_a_script_makes_no_plain_backup(invoke: Invoke, tmp_path: Path, option: str) -> None:
    result = invoke("backup", tmp_path / "x", option, "")
    assert result.exit_code == 2
    assert "it is empty" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_never_an_option_of_the_command(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("backup", "--then", "cp {} copy", "--", "-x").exit_code == 0
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "-x").read_bytes()


def test_the_newest_files_and_those_of_the_last_weeks_are_kept(tmp_path: Path) -> None:
    days = [datetime(2026, 11, 1, 3, 30, tzinfo=UTC) + timedelta(days=day) for day in range(20)]  # from a Sunday on
    names = [file_name(day, ".age" if day.day % 2 else "") for day in days]
    others = ["voteweb-notes.txt", "voteweb-20261101T033000Z.gz.old", "voteweb-20261399T033000Z.gz"]
    others.append(file_name(days[0], "", "cooking"))
    others.append(".voteweb-20261121T033000Z.gz.a_b2")  # is being written
    for name in [*names, *others]:
        (tmp_path / name).touch()
    for age, name in ((2, ".voteweb-20261120T033000Z.gz.age.a_b1"), (0, others[-1])):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, times=(time.time() - age * 86_400,) * 2)
    assert len(prune(tmp_path, 3, 3)) == 16
    # The 18th to the 20th; the 8th and the 15th are the last of their weeks.
    kept = {names[day - 1] for day in (8, 15, 18, 19, 20)}
    assert {file.name for file in tmp_path.iterdir()} == kept | set(others)


@pytest.mark.parametrize(("site", "beginning"), [("", "voteweb"), ("cooking", "voteweb-cooking")])
def test_a_folder_gets_a_file_named_after_the_time(
    invoke: Invoke, small_site: Store, tmp_path: Path, site: str, beginning: str
) -> None:
    old = tmp_path / f"{beginning}-20200101T000000Z.gz"
    old.touch()
    result = invoke("backup", f"{tmp_path}/", "--keep", 1, VOTEWEB_SITE=site)
    assert f"Deleted {old}." in result.stdout
    (file,) = tmp_path.iterdir()
    assert re.fullmatch(rf"{beginning}-[0-9]{{8}}T[0-9]{{6}}Z\.gz", file.name)
    assert invoke("restore", "--dry-run", file).exit_code == 0


def test_keeping_is_for_folders(invoke: Invoke, small_site: Store, tmp_path: Path) -> None:
    for arguments in ((tmp_path / "x", "--keep", 7), (tmp_path, "--keep-weekly", 2), (f"{tmp_path}/no/",)):
        assert invoke("backup", *arguments).exit_code == 2
    assert list(tmp_path.iterdir()) == []
