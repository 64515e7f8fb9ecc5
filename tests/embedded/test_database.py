"""The embedded database: its lifetime, its files, its settings and the path of its socket."""

import fcntl
import os
import shutil
import signal
import socket
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from tests import factories
from tests.embedded.processes import is_up, server_pid, use, using_process
from tests.helpers import PATIENCE, until
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.embedded.database import MAX_SOCKET_PATH_BYTES, open_database, secret_key
from voteweb.store import open_store


def test_no_other_user_can_read_it(new_folder: Path) -> None:
    data = new_folder / "a" / "b"
    with use(data):
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert stat.S_IMODE((data / "database.sock").stat().st_mode) == 0o700
        assert stat.S_IMODE((data / "secret.key").stat().st_mode) == 0o600


def test_a_folder_that_others_can_read_is_closed(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with use(folder):
        pass
    (folder / "old").touch(mode=0o644)
    folder.chmod(0o755)
    with use(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert [path.name for path in folder.rglob("*") if path.stat().st_mode & 0o077] == []
    assert "Others could read" in caplog.text


def test_an_open_folder_of_something_else_is_refused(new_folder: Path) -> None:
    (new_folder / "letters").touch()
    new_folder.chmod(0o755)
    with pytest.raises(ConfigError, match="needs a folder of its own"), use(new_folder):
        pass
    assert stat.S_IMODE(new_folder.stat().st_mode) == 0o755


def test_a_folder_that_cannot_be_closed_is_refused(new_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_folder.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    with pytest.raises(ConfigError, match="cannot be closed"), use(new_folder):
        pass


def test_nothing_starts_where_a_url_is_set(new_folder: Path) -> None:
    settings = Settings(redis_url="redis://example.com", data_dir=str(new_folder / "data"))
    with open_database(settings) as opened:
        assert opened is settings
    assert list(new_folder.iterdir()) == []


def test_a_secret_key_is_generated_once_unless_one_is_set(folder: Path) -> None:
    with open_database(Settings(data_dir=str(folder), secret_key="mine")) as settings:
        assert settings.secret_key == "mine"
    with use(folder) as settings:
        key = settings.secret_key
    with use(folder) as settings:
        assert settings.secret_key == secret_key(folder) == key
    assert len(key) >= 40


def test_a_server_that_is_ending_is_started_again(folder: Path) -> None:
    def is_up_in_use() -> bool:
        with use(folder):
            return is_up(folder)

    with ThreadPoolExecutor() as threads, (folder / "server.lock").open("w") as ending:
        fcntl.flock(ending, fcntl.LOCK_EX)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder / "database.sock"))
            server.listen()
            server.settimeout(PATIENCE)
            start = threads.submit(is_up_in_use)
            server.accept()[0].close()
        ending.close()
        assert start.result()


def test_data_survive_a_kill_of_the_server_and_restarts(folder: Path) -> None:
    with use(folder) as settings, redis.Redis.from_url(settings.redis_url) as client:
        client.set("kept", "yes")
        os.kill(server_pid(settings.redis_url), signal.SIGKILL)
        until(lambda: not is_up(folder))
    for _ in range(2):
        with use(folder) as settings, redis.Redis.from_url(settings.redis_url) as client:
            assert client.get("kept") == b"yes"
        assert not is_up(folder)


def test_the_server_is_configured_for_a_site(folder: Path) -> None:
    with use(folder) as settings:
        store = open_store(settings)
        assert store.health.warnings() == []
        config = store.connection.client.config_get("*")
        store.connection.close()
    assert (config["port"], config["appendonly"], config["appendfsync"]) == ("0", "yes", "everysec")
    assert (config["maxmemory-policy"], config["aof-use-rdb-preamble"]) == ("noeviction", "no")


def test_a_leftover_at_the_socket_path_is_replaced(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(folder / "database.sock"))
    with use(folder):
        assert is_up(folder)


def test_a_folder_may_have_any_name(new_folder: Path) -> None:
    folder = new_folder / "per%41 编程 a#b?c=d quo'te\"s"
    with use(folder) as settings:
        store = open_store(settings)
        assert factories.article(store).id == 1
        store.connection.close()
    assert (folder / "appendonlydir").is_dir()


def test_all_processes_share_the_short_socket_of_a_long_path(folder: Path) -> None:
    long = folder / ("d" * 60) / ("e" * 60)
    long.mkdir(parents=True)
    shutil.copy(folder / "engine.json", long)
    with use(long) as settings:
        path = Path(settings.redis_url.removeprefix("unix://"))
        assert len(str(path)) <= MAX_SOCKET_PATH_BYTES
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with using_process(long) as other:
            assert other.server_pid() == server_pid(settings.redis_url)
            other.leave()
        assert (long / "appendonlydir").is_dir()
    shutil.rmtree(path.parent)


def test_a_symlink_at_the_short_path_is_refused(new_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = new_folder / ("d" * 60) / ("e" * 60)
    target = new_folder / "target"
    target.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(new_folder))
    with use(long) as settings:
        private = Path(settings.redis_url.removeprefix("unix://")).parent
    assert private.parent == new_folder
    shutil.rmtree(private)
    private.symlink_to(target)
    with pytest.raises(ConfigError, match="does not belong to this user"), use(long):
        pass
