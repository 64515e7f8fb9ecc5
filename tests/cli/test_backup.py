"""``voteweb backup``: one file that is complete or absent."""

import gzip
from pathlib import Path
from typing import NoReturn

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, read_backup
from voteweb.cli import backup_file
from voteweb.core.errors import ConfigError
from voteweb.store import Store
from voteweb.store.backup import Backup


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
    assert (first["file"], first["format"]) == ("voteweb backup", 4)
    assert first["engine"] == small_site.server_info.engine().program
    assert end["end"] == {"form": 1, "article": 1, "group": 1, "member": 2, "counters": 1}
    assert len(end["sha256"]) == 64


def test_computed_data_are_not_in_a_backup(backup: Path) -> None:
    kinds = {record.get("kind") for record in read_backup(backup)[1:-1]}
    assert kinds == {"form", "article", "group", "member", "counters"}
    assert b"score" not in gzip.decompress(backup.read_bytes())


def test_a_second_backup_replaces_the_first(invoke: Invoke, small_site: Store, backup: Path) -> None:
    factories.article(small_site, link="")
    assert invoke("backup", backup).exit_code == 0
    assert "2 articles" in invoke("restore", "--dry-run", backup).stdout
    assert list(backup.parent.iterdir()) == [backup]


def test_a_failed_backup_leaves_the_previous_one(invoke: Invoke, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = backup.read_bytes()

    def fail(self: Backup) -> NoReturn:
        raise ConfigError("The database was restarted.")
        yield

    monkeypatch.setattr(Backup, "records", fail)
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
