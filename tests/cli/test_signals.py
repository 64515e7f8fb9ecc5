"""``voteweb run`` while it is told to stop or to take new workers, or is asked more than it can do at once."""

import asyncio
import http.client
import os
import resource
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from tests.helpers import needs, until
from tests.pausable_proxy import PausableProxy
from tests.running import SECRET, Running, Start
from voteweb.cli.run import THREADS_PER_WORKER
from voteweb.store import Store

#: Connections that a single worker takes, whether or not it can work on them; the system keeps as many more.
ROOM = 1024


@pytest.fixture
def site(start: Start, store: Store, door: PausableProxy) -> Running:
    """A site with one worker behind the *door*, which keeps no pages."""
    return start(VOTEWEB_REDIS_URL=door.url, VOTEWEB_REDIS_DEADLINE="20", VOTEWEB_PAGE_SECONDS="0", **SECRET)


def takes_connections(site: Running) -> bool:
    """Tell whether the site still listens."""
    with suppress(OSError):
        socket.create_connection(site.address, timeout=5).close()
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_in_work_when_it_is_told_to_stop_is_answered(number: signal.Signals, site: Running, door: PausableProxy) -> None:
    door.hold()
    with closing(site.connect()) as asker:
        asker.request("GET", "/new")
        assert door.waiting.acquire(timeout=20)
        os.kill(site.process.pid, number)
        until(lambda: not takes_connections(site))
        assert site.process.poll() is None
        door.release()
        assert asker.getresponse().status == 200
    assert site.process.wait(20) == 0


def test_a_hang_up_gives_new_workers_and_drops_no_request(start: Start, store: Store, server_url: str) -> None:
    site = start(VOTEWEB_REDIS_URL=server_url, **SECRET)
    before, over = set(site.workers()), threading.Event()
    statuses: list[int] = []

    def ask() -> None:
        while not over.wait(0.02):
            statuses.append(site.get("/about")[0])

    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(ask) for _ in range(2)]
        os.kill(site.process.pid, signal.SIGHUP)
        until(lambda: len(site.workers()) == 1 and set(site.workers()) != before, patience=60)
        asked = len(statuses)
        until(lambda: len(statuses) > asked + 10)
        over.set()
        for each in asking:
            each.result()
    assert set(statuses) == {200}
    assert site.stop(signal.SIGTERM)[0] == 0


def test_more_than_it_can_do_at_once_waits_in_line_and_is_answered(site: Running, door: PausableProxy) -> None:
    door.hold()
    askers = [site.connect(timeout=60) for _ in range(100)]
    for each in askers:
        each.request("GET", "/new")
    for _ in range(THREADS_PER_WORKER):
        assert door.waiting.acquire(timeout=20)
    door.release()
    assert {_status(each) for each in askers} == {200}


def _status(asker: http.client.HTTPConnection) -> int:
    with closing(asker):
        return asker.getresponse().status


@pytest.fixture
def _many_files() -> Iterator[None]:
    """Let this process and the site open as many connections as a crowd needs."""
    wanted = 4 * ROOM
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needs(_is_enough(hard, wanted), f"{wanted} open files")
    if not _is_enough(soft, wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _is_enough(limit: int, wanted: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= wanted


@pytest.mark.usefixtures("_many_files")
def test_whoever_finds_the_line_full_waits_outside_and_is_answered(start: Start, store: Store, door: PausableProxy) -> None:
    site = start(VOTEWEB_REDIS_URL=door.url, VOTEWEB_REDIS_DEADLINE="60", **SECRET)
    door.hold()
    inside: list[asyncio.StreamWriter] = []

    async def ask() -> bytes:
        reader, writer = await asyncio.open_connection(*site.address)
        inside.append(writer)
        writer.write(b"GET /new HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        answer = await reader.readline()
        writer.close()
        return answer

    async def crowd() -> set[bytes]:
        asking = [asyncio.create_task(ask()) for _ in range(3 * ROOM)]
        assert await asyncio.to_thread(door.waiting.acquire, timeout=20)
        before = -1
        while len(inside) != before or before < ROOM:
            before = len(inside)
            await asyncio.sleep(1)
        assert len(inside) < len(asking), "nobody waits outside"
        door.release()
        return set(await asyncio.wait_for(asyncio.gather(*asking), 120))

    assert asyncio.run(crowd()) == {b"HTTP/1.1 200 OK\r\n"}
    assert site.answers()
