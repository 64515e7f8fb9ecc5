"""Servers that are started with the files of deploy/redis/."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import choose_kind
from tests.deploy.files import DEPLOY
from tests.helpers import free_ports
from tests.machines import DIFFERENCES, RedisProcess
from voteweb.core.settings import Settings
from voteweb.embedded.engines import choose_engine
from voteweb.store import open_store


@pytest.fixture(params=["redis", "valkey"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisProcess]:
    """A server that is not started yet."""
    choose_kind(tmp_path, request.param)
    server = RedisProcess(tmp_path / "server", free_ports(1)[0], program=str(choose_engine(tmp_path).path))
    yield server
    server.kill()


def test_a_server_with_our_file_gets_no_warnings(server: RedisProcess) -> None:
    server.start(str(DEPLOY / "redis" / "redis.conf"))
    store = open_store(Settings(redis_url=f"redis://127.0.0.1:{server.port}/0"))
    assert store.health.warnings() == []
    store.connection.close()


def test_the_files_of_one_server_and_of_three_agree(server: RedisProcess) -> None:
    lines = (DEPLOY / "redis" / "redis.conf").read_text().splitlines()
    wanted = dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
    server.start(str(DEPLOY / "redis" / "replicated.conf"), *DIFFERENCES)
    actual = {name: server.client.config_get(name)[name] for name in wanted}
    assert actual == {name: value.strip('"') for name, value in wanted.items()}
