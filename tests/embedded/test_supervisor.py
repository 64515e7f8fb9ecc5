"""The embedded database kept up: whatever ends it, it is started again, once, and tells so."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.embedded.databases import folder_of, is_up, leave, other, server_number, told
from tests.helpers import until
from voteweb.core.config import Settings
from voteweb.embedded.database import open_database


@pytest.fixture(params=["valkey", "redis"])
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A data directory of either engine."""
    with folder_of(request.param) as path:
        yield path


@contextmanager
def kept_up(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Keep a database up; yield its address and what is told."""
    said: list[str] = []
    with open_database(Settings(data_dir=str(folder)), keep_up=said.append) as found:
        yield found.redis_url, said


def test_a_database_that_is_kept_up_is_started_again_with_its_data_as_often_as_it_ends(folder: Path) -> None:
    with kept_up(folder) as (url, said):
        for times in (1, 2):
            with redis.Redis.from_url(url) as client:
                client.incr("count")
                before = server_number(url)
                os.kill(before, signal.SIGKILL)
            until(lambda times=times: len(said) == times)
            assert server_number(url) != before
            with redis.Redis.from_url(url) as client:
                assert client.get("count") == str(times).encode()
        assert set(said) == {"The database had ended; it has been started again."}
    assert not is_up(folder)


def test_whoever_stops_it_by_hand_only_restarts_it(folder: Path) -> None:
    with kept_up(folder) as (url, said):
        with redis.Redis.from_url(url) as client:
            client.shutdown()
        until(lambda: said)
        assert is_up(folder)


def test_several_who_keep_it_up_start_one(folder: Path) -> None:
    with kept_up(folder) as (url, first), kept_up(folder) as (_, second), other(folder) as third:
        told(third)
        os.kill(server_number(url), signal.SIGKILL)
        until(lambda: first and second)
        leave(third)
        assert is_up(folder)
    assert not is_up(folder)


def test_a_database_that_hangs_is_left_alone(folder: Path) -> None:
    with kept_up(folder) as (url, said):
        server = server_number(url)
        os.kill(server, signal.SIGSTOP)
        try:
            client = redis.Redis.from_url(url, socket_timeout=0.3, retry=Retry(NoBackoff(), 0))
            with client, pytest.raises(redis.TimeoutError):
                client.ping()
        finally:
            os.kill(server, signal.SIGCONT)
        assert (server_number(url), said) == (server, [])


def test_what_keeps_it_from_starting_is_told_once_and_it_starts_when_that_has_passed(folder: Path) -> None:
    with kept_up(folder) as (url, said):
        manifest = next((folder / "appendonlydir").glob("*.manifest"))
        text = manifest.read_text()
        manifest.write_text("nonsense\n")
        os.kill(server_number(url), signal.SIGKILL)
        until(lambda: said)
        assert said[0].startswith("The database is away: The embedded database did not start: ")
        tries = (folder / "server.log").read_text().count("nonsense")
        until(lambda: (folder / "server.log").read_text().count("nonsense") > tries)
        assert len(said) == 1, said
        manifest.write_text(text)
        until(lambda: len(said) == 2)
        assert is_up(folder)


def test_a_child_that_is_forked_while_it_starts_again_holds_none_of_its_locks(folder: Path) -> None:
    """As the web server's workers are: a lock that one of them kept would forbid every later start."""
    with ExitStack() as children, kept_up(folder) as (url, said):
        for times in (1, 2):
            os.kill(server_number(url), signal.SIGKILL)
            for _ in range(40):
                children.enter_context(forked())
                time.sleep(0.002)
            until(lambda times=times: len(said) == times)
    assert not is_up(folder)


@contextmanager
def forked() -> Iterator[None]:
    """Have a child of this process that does nothing."""
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
