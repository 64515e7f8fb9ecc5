"""The tests of the store run twice: on the embedded Valkey and on the system's Redis, where it is there."""

import shutil
from collections.abc import Iterator

import pytest

from tests.conftest import private_server
from tests.helpers import needs


@pytest.fixture(scope="session", params=["valkey", "redis"], ids=["embedded-valkey", "system-redis"])
def server_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a private server of each kind."""
    if request.param == "redis":
        needs(shutil.which("redis-server"), "a redis-server on PATH")
    with private_server(request.param) as url:
        yield url
