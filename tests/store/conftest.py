"""The tests of the store run on the embedded Valkey, on the system's Redis where it is there, and under Sentinel."""

import shutil
from collections.abc import Iterator

import pytest

from tests.conftest import private_server
from tests.helpers import needs
from tests.machines import machines

ALONE = [pytest.param("valkey", id="embedded-valkey"), pytest.param("redis", id="system-redis")]
ENGINES = [*ALONE, pytest.param("sentinel", id="under-sentinel", marks=pytest.mark.heavy)]
#: For tests that mean nothing under Sentinel.
alone = pytest.mark.parametrize("server_url", ALONE, indirect=True)


@pytest.fixture(scope="session", params=ENGINES)
def server_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a private server of each kind; the last is a primary with two replicas and three Sentinels."""
    if request.param == "sentinel":
        with machines(down_after=60) as three:
            yield three.url
        return
    if request.param == "redis":
        needs(shutil.which("redis-server"), "a redis-server on PATH")
    with private_server(request.param) as url:
        yield url
