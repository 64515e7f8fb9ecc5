"""Fixtures of all tests: a real database server of our own, a flushed store on it, and a fake one."""

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import fakeredis
import hypothesis
import pytest

from tests.running import Running, Start
from voteweb.core.config import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store, build_store, open_store
from voteweb.store.connection.connection import Connection

MakeStore = Callable[..., Store]

# A busy machine is no failing test.
hypothesis.settings.register_profile("voteweb", deadline=None)
hypothesis.settings.load_profile("voteweb")


@contextmanager
def private_server(engine: str) -> Iterator[str]:
    """Yield the address of a server of this *engine* ("valkey" or "redis") in a folder of its own.

    The folder says that *engine* wrote its data, which is how the embedded database chooses among those it finds.
    """
    folder = Path(tempfile.mkdtemp(prefix="vw-", dir="/tmp"))
    try:
        (folder / "engine.json").write_text(json.dumps({"engine": engine, "version": "7.0.0"}))
        with open_database(Settings(data_dir=str(folder))) as found:
            yield found.redis_url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The address of a private Valkey; tests/store runs on the system's Redis besides."""
    with private_server("valkey") as url:
        yield url


@pytest.fixture
def settings(server_url: str) -> Settings:
    """The settings of a site at the test server, but nothing kept, no limits (tests hammer), and no requests logged."""
    key = "for tests only, and long enough"
    return Settings(redis_url=server_url, secret_key=key, redis_deadline=10.0, page_seconds=0, limits=0, log="off")


@pytest.fixture
def make_store(settings: Settings) -> Iterator[MakeStore]:
    """A maker of stores on the flushed test server; its arguments are settings that differ."""
    opened: list[Store] = []

    def make(**over: Any) -> Store:
        opened.append(open_store(replace(settings, **over)))
        return opened[-1]

    first = make()
    first.connection.client.flushall()
    yield make
    for each in opened:
        each.connection.client.close()


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store on the flushed test server."""
    return make_store()


@pytest.fixture
def fake_store(settings: Settings) -> Iterator[Store]:
    """A store on a fake Redis of its own: no process, no socket, no INFO."""
    with fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True, protocol=3) as client:
        yield build_store(Connection(client, deadline=2.0), settings)


@pytest.fixture
def start() -> Iterator[Start]:
    """A starter of sites in processes of their own, which end with the test."""
    started: list[Running] = []

    def make(*words: str, **env: str) -> Running:
        started.append(Running(*words, **env))
        return started[-1]

    yield make
    for each in started:
        with suppress(ProcessLookupError):
            os.killpg(each.process.pid, signal.SIGKILL)
        each.process.communicate()
