"""Files of an index are replaced while they are searched, and whatever happens to one, search says so and goes on."""

import gc
import resource
import sqlite3
import threading
import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.search.conftest import Machine, article
from voteweb.search import engine
from voteweb.search.connections import Connections
from voteweb.search.files import IndexFolder
from voteweb.search.models import AlreadyIndexing, IndexDamaged, IndexNotWritable, NotReady, SearchError


def rebuild(machine: Machine, *titles: str) -> None:
    """Build a second index, which has articles of these *titles*."""
    machine.writer.close()
    machine.writer = machine.folder.start_rebuild("epoch")
    machine.writer.apply([article(id, title) for id, title in enumerate(titles, 1)])
    machine.folder.set_percent(62)


def test_readers_go_on_until_the_next_file_is_published(machine: Machine) -> None:
    machine.writer.apply([article(1, "old")])
    for title in ("never published", "new"):
        rebuild(machine, title)
    files = list(machine.folder.path.glob("*.db"))
    assert (machine.find("old"), machine.folder.percent(), len(files)) == ([1], 62, 2)
    with machine.folder.locked(), pytest.raises(AlreadyIndexing), IndexFolder(machine.folder.path).locked():
        pass
    machine.folder.publish(machine.writer)
    assert (machine.find("old"), machine.find("new")) == ([], [1])
    machine.writer.apply([article(2, "new")], position="5-1")
    assert machine.find("new") == [2, 1]
    assert machine.index.state() == machine.writer.state()
    assert len(list(machine.folder.path.glob("*.db"))) == 1


def test_a_file_deleted_before_it_is_opened_is_not_missed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.writer.apply([article(1, "word")])
    told = iter([machine.folder.path / "deleted.db"])
    current = IndexFolder.current
    monkeypatch.setattr(IndexFolder, "current", lambda folder: next(told, None) or current(folder))
    assert machine.find("word") == [1]


def test_the_files_are_for_the_user_of_the_site_only(machine: Machine) -> None:
    assert machine.folder.path.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o077 for file in machine.folder.path.glob("*.db*")} == {0}


def execute(statement: str) -> Callable[[Path], None]:
    """Return a damage that *statement* does."""

    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(statement)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"no database" * 1_000),
        lambda file: file.write_bytes(file.read_bytes()[:4096] + b"\xff" * 100_000),
        execute("DELETE FROM articles"),
        execute("DELETE FROM state"),
        execute("DELETE FROM shards"),
    ],
    ids=["empty", "garbage", "torn", "without articles", "without state", "without shards"],
)
def test_a_damaged_file_is_given_up(machine: Machine, damage: Callable[[Path], None]) -> None:
    machine.writer.apply([article(id, "word") for id in range(100)])
    machine.writer.close()
    damage(machine.writer.file)
    with pytest.raises(IndexDamaged):
        assert machine.find("word") == machine.index.state()
    with pytest.raises(NotReady):
        machine.find("word")
    assert machine.folder.open() is None


def test_a_file_that_is_given_up_leaves_the_next_alone(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = machine.writer.file
    rebuild(machine, "new")
    unlink = Path.unlink

    def publish_and_unlink(file: Path) -> None:
        monkeypatch.undo()
        machine.folder.publish(machine.writer)
        unlink(file)

    monkeypatch.setattr(Path, "unlink", publish_and_unlink)
    machine.folder.discard(damaged)
    assert machine.find("new") == [1]


def test_a_check_finds_a_document_that_is_only_half_there(machine: Machine) -> None:
    machine.writer.apply([article(1, "word"), article(2, "other")])
    assert machine.writer.check()
    machine.writer.close()
    execute("DELETE FROM articles_0_docsize WHERE id = 20")(machine.writer.file)
    writer = machine.folder.open()
    assert writer
    assert not writer.check()
    writer.close()


def test_a_full_disk_stops_writing_and_not_searching(machine: Machine) -> None:
    machine.writer.apply([article(1, "word")], position="1-1")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(IndexNotWritable):
            machine.writer.apply([article(id, f"word{id} " * 20) for id in range(1, 2_000)], position="2-1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert machine.find("word") == [1]
    assert machine.writer.state().position == "1-1"
    machine.writer.apply([article(2, "word")])
    assert machine.find("word") == [2, 1]


def test_a_connection_ends_with_its_thread(machine: Machine) -> None:
    connections, ended = Connections(machine.folder), []

    def search() -> None:
        with connections.connection() as connection:
            ended.append(weakref.ref(connection))

    thread = threading.Thread(target=search)
    gc.disable()
    try:
        thread.start()
        thread.join()
        assert ended[0]() is None
    finally:
        gc.enable()


def test_a_snapshot_that_sqlite_has_ended_is_no_error(machine: Machine) -> None:
    with Connections(machine.folder).connection() as connection, connection.snapshot(60):
        connection.rows(("ROLLBACK", {}))


@pytest.mark.parametrize(
    ("code", "expected"),
    [(sqlite3.SQLITE_IOERR_READ, SearchError), (sqlite3.SQLITE_IOERR_WRITE, IndexNotWritable)],
)
def test_a_disk_that_cannot_be_read_is_not_called_unwritable(code: int, expected: type[SearchError]) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    with pytest.raises(SearchError) as raised, engine.translated_errors():
        raise error
    assert raised.type is expected
