"""Backups on the command line: one file that is whole or not there, and one line when something is wrong."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.test_importing import HN
from tests.conftest import private_server
from tests.helpers import needs, until
from tests.store.examination import broken, run, snapshot
from voteweb.app import create_app
from voteweb.cli import backup_file
from voteweb.cli.main import voteweb
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store import Store, open_store
from voteweb.store.backup import Backup

Lines = list[dict[str, Any]]


@pytest.fixture
def site(store: Store) -> Store:
    """A site with an article of ann's in "go", for which bob has voted."""
    id = factories.article(store, groups=("go",)).id
    store.votes.cast(id, factories.user(store, "bob"))
    return store


@pytest.fixture
def file(invoke: Invoke, site: Store, tmp_path: Path) -> Path:
    """A backup of that site."""
    path = tmp_path / "site.backup"
    assert invoke("backup", path).exit_code == 0
    return path


def lines(file: Path) -> Lines:
    """Return what the lines of a backup hold."""
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def rewrite(file: Path, told: Lines) -> None:
    """Write a backup of these lines, with a last one that fits."""
    *rest, end = told
    texts = [json.dumps(each, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for each in rest]
    end = end | {"sha256": sha256(b"".join(texts)).hexdigest()}
    file.write_bytes(gzip.compress(b"".join([*texts, json.dumps(end).encode() + b"\n"])))


def only_line(result: Result) -> str:
    """Return the one line with which a command failed."""
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    return line.removeprefix("Error: ")


def test_a_site_comes_back_from_its_file(invoke: Invoke, site: Store, file: Path) -> None:
    before = snapshot(site)
    run(site, "FLUSHDB")
    result = invoke("restore", file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Restored 1 article, 2 members, 1 group, 0 log entries, as of 20")
    assert snapshot(site) == before


def test_a_backup_says_what_it_holds(invoke: Invoke, site: Store, tmp_path: Path) -> None:
    result = invoke("backup", tmp_path / "x")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"1 article, 2 members, 1 group, 0 log entries are in {tmp_path / 'x'} (0.0 MB).\n"


def test_a_file_is_for_its_owner_only_and_says_what_it_is(file: Path, site: Store) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    first, *_, end = lines(file)
    assert (first["file"], first["format"]) == ("voteweb backup", 1)
    assert first["engine"] == site.server.engine().program
    assert end["end"] == {"form": 1, "article": 1, "group": 1, "member": 2, "counters": 1}
    assert len(end["sha256"]) == 64


def test_what_is_worked_out_is_not_in_the_file(file: Path) -> None:
    assert {each.get("kind") for each in lines(file)[1:-1]} == {"form", "article", "group", "member", "counters"}
    assert b"score" not in gzip.decompress(file.read_bytes())


def test_a_dry_run_needs_no_database(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOTEWEB_REDIS_URL", "redis://127.0.0.1:1/0")
    result = CliRunner().invoke(voteweb, ["restore", "--dry-run", str(file)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{file} is whole: 1 article, 2 members, 1 group, 0 log entries, as of ")


def test_a_second_backup_takes_the_place_of_the_first(invoke: Invoke, site: Store, file: Path) -> None:
    factories.article(site, link="")
    assert invoke("backup", file).exit_code == 0
    assert "2 articles" in invoke("restore", "--dry-run", file).stdout
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_backup_that_fails_leaves_the_one_before(invoke: Invoke, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()

    def fail(self: Backup) -> NoReturn:
        raise ConfigError("The database was restarted.")
        yield

    monkeypatch.setattr(Backup, "records", fail)
    assert only_line(invoke("backup", file)) == "The database was restarted."
    assert file.read_bytes() == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_folder_that_is_not_there_is_wrong_usage(invoke: Invoke, site: Store, tmp_path: Path) -> None:
    result = invoke("backup", tmp_path / "nowhere" / "x")
    assert (result.exit_code, "there is no folder" in result.stderr) == (2, True)


def test_no_file_is_wrong_usage(invoke: Invoke, tmp_path: Path) -> None:
    assert invoke("restore", tmp_path / "nothing").exit_code == 2
    assert invoke("restore", tmp_path).exit_code == 2


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


#: What can become of a file, and the words of the one line about it.
DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "is no backup of voteweb"),
    "a text": (lambda data: b"title,link\n", "is no backup of voteweb"),
    "another gzip": (lambda data: gzip.compress(b"hello\n"), "is no backup of voteweb"),
    "another gzip of JSON": (lambda data: gzip.compress(b"[1]\n"), "is no backup of voteweb"),
    "a long line": (lambda data: gzip.compress(b"x" * 100_000), "is no backup of voteweb"),
    "cut in the first block": (lambda data: data[:20], "is damaged: it is cut off"),
    "cut in the middle": (lambda data: data[: len(data) // 2], "is damaged: it is cut off"),
    "cut before the end": (lambda data: data[:-1], "is damaged: it is cut off"),
    "one byte in the middle": (lambda data: flipped(data, len(data) // 2), "is damaged: "),
    "one byte of the checksum": (lambda data: flipped(data, len(data) - 6), "is damaged: "),
    "unpacked and cut": (
        lambda data: gzip.compress(b"".join(gzip.decompress(data).splitlines(keepends=True)[:-1])),
        "is damaged: it is cut off",
    ),
    "a line left out": (
        lambda data: gzip.compress(b"".join(each for at, each in enumerate(whole(data)) if at != 2)),
        "counts other records than there are",
    ),
    "two lines exchanged": (
        lambda data: gzip.compress(b"".join([whole(data)[at] for at in (0, 2, 1)] + whole(data)[3:])),
        "has another checksum than the records",
    ),
    "another word": (
        lambda data: gzip.compress(gzip.decompress(data).replace(b"Redis in Action", b"Redis in Faction")),
        "has another checksum than the records",
    ),
    "more after the end": (lambda data: gzip.compress(gzip.decompress(data) + b"{}\n"), "is not the last one"),
    "no JSON": (lambda data: gzip.compress(b"".join([*whole(data)[:2], b"{\n"])), "line 3 cannot be read"),
    "no UTF-8": (lambda data: gzip.compress(b"".join([*whole(data)[:2], b'{"\xff":1}\n'])), "line 3 cannot be read"),
    "no record": (lambda data: gzip.compress(b"".join([*whole(data)[:2], b"[]\n"])), "line 3 is no record"),
    "an unknown kind": (
        lambda data: gzip.compress(b"".join([*whole(data)[:2], b'{"kind":"comment"}\n'])),
        "line 3 is of an unknown kind: comment",
    ),
    "a newer format": (
        lambda data: gzip.compress(gzip.decompress(data).replace(b'"format":1', b'"format":2')),
        "was written by a newer voteweb (format 2, this one reads up to 1)",
    ),
}


def whole(data: bytes) -> list[bytes]:
    return gzip.decompress(data).splitlines(keepends=True)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_not_whole_is_one_line_and_nothing_is_written(
    invoke: Invoke, site: Store, file: Path, damage: str
) -> None:
    change, says = DAMAGES[damage]
    file.write_bytes(change(file.read_bytes()))
    run(site, "FLUSHDB")
    for words in (["restore", "--dry-run", file], ["restore", file]):
        line = only_line(invoke(*words))
        assert line.startswith(str(file))
        assert says in line
    assert snapshot(site) == {}


def test_what_leads_nowhere_is_told_and_restored_all_the_same(invoke: Invoke, site: Store, file: Path) -> None:
    told = [each for each in lines(file) if each.get("kind") != "group"]
    told[-1]["end"].pop("group")
    rewrite(file, told)
    fault = "article 1 names the group go, which is not there\n"
    dry = invoke("restore", "--dry-run", file)
    assert (dry.exit_code, dry.stdout) == (1, fault)
    assert dry.stderr == f"Error: {file} is whole, but holds 1 name of what is not there\n"
    run(site, "FLUSHDB")
    result = invoke("restore", file)
    assert (result.exit_code, result.stdout.startswith(fault)) == (0, True)
    assert invoke("doctor").exit_code == 1
    assert invoke("doctor", "--repair").exit_code == 0


def test_a_database_in_use_is_left_alone(invoke: Invoke, site: Store, file: Path) -> None:
    before = snapshot(site)
    assert "is not empty" in only_line(invoke("restore", file))
    assert snapshot(site) == before


@pytest.fixture
def unfinished(invoke: Invoke, site: Store, file: Path) -> Path:
    """A backup whose restore was killed in the middle."""
    site.imports.add([factories.story(title=f"Story {i}") for i in range(3_000)])
    assert invoke("backup", file).exit_code == 0
    run(site, "FLUSHDB")
    client = site.connection.client
    # A full memory holds the restore in its middle until it is killed there.
    client.config_set("maxmemory", client.info("memory")["used_memory"] + 1_500_000)
    restoring = subprocess.Popen([sys.executable, "-m", "voteweb.cli", "restore", str(file)], stdout=subprocess.DEVNULL)
    try:
        until(lambda: run(site, "DBSIZE") > 100, patience=60)
    finally:
        os.kill(restoring.pid, signal.SIGKILL)
        restoring.wait()
        client.config_set("maxmemory", 0)
    return file


def test_a_restore_that_was_killed_is_refused_by_all_and_can_be_made_again(
    invoke: Invoke, site: Store, unfinished: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["doctor"], ["rescore"], ["user", "create", "x1"], ["backup", unfinished], ["restore", unfinished]):
        line = only_line(invoke(*words))
        assert line.startswith("A restore into this database did not finish"), words
        assert "run `voteweb restore` again" in line
    with pytest.raises(ConfigError, match="did not finish"):
        create_app(settings)
    assert site.checks.health() == ("down", ["A restore did not finish"])
    monkeypatch.setenv("VOTEWEB_SECRET_KEY", settings.secret_key)
    assert "did not finish" in only_line(invoke("run", "--port", 0))
    run(site, "FLUSHDB")
    assert invoke("restore", unfinished).exit_code == 0
    assert invoke("doctor").exit_code == 0
    create_app(settings)


def test_a_site_moves_between_engines(invoke: Invoke, site: Store, file: Path) -> None:
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    before = snapshot(site)
    with private_server("redis") as url:
        result = CliRunner().invoke(voteweb, ["restore", str(file)], env={"VOTEWEB_REDIS_URL": url})
        assert result.exit_code == 0
        other = open_store(Settings(redis_url=url))
        assert snapshot(other) == before
        assert broken(other) == []
        other.connection.client.close()


def test_a_site_moves_into_an_embedded_database(folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOTEWEB_REDIS_URL")
    result = CliRunner().invoke(voteweb, ["restore", str(file), "--data", str(folder)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert CliRunner().invoke(voteweb, ["doctor", "--data", str(folder)]).output.startswith("All is well: 1 article,")


def test_the_real_stories_come_back_key_by_key(invoke: Invoke, store: Store, tmp_path: Path) -> None:
    if not HN.exists():
        pytest.skip("the real stories are not beside this checkout")
    assert invoke("import", HN, "--shift-to-now").exit_code == 0
    for voter in factories.users(store, 3):
        for id in (18_054, 18_055, 18_056):
            store.votes.cast(id, voter)
    before = snapshot(store)
    assert invoke("backup", tmp_path / "hn").exit_code == 0
    run(store, "FLUSHDB")
    assert invoke("restore", tmp_path / "hn").stdout.startswith("Restored 18,056 articles, ")
    assert snapshot(store) == before


def test_a_file_that_cannot_be_written_is_one_line(
    invoke: Invoke, site: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_file.os, "fsync", full)
    assert only_line(invoke("backup", tmp_path / "x")) == "No space left on device"
    assert list(tmp_path.iterdir()) == []
