"""``voteweb run`` with more requests than it can work on at once: they wait, and are answered."""

import asyncio
import resource
from collections.abc import Iterator

import pytest

from tests.helpers import needs
from tests.pausable_proxy import PausableProxy
from tests.site_process import SECRET, SiteProcess, StartSite
from voteweb.store import Store

#: Connections that one worker accepts, whether or not it can work on them; the system queues as many more.
MAX_CONNECTIONS = 1024


@pytest.fixture
def _many_files() -> Iterator[None]:
    """Allow this process, and the site that it starts, as many open files as they need."""
    count = 4 * MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needs(_allows(hard, count), f"{count} open files")
    if not _allows(soft, count):
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _allows(limit: int, count: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= count


async def request_from_many(site: SiteProcess, proxy: PausableProxy) -> set[bytes]:
    """Ask in more connections than can be opened, then let the database answer; return the status lines."""
    opened: list[asyncio.StreamWriter] = []

    async def request() -> bytes:
        reader, writer = await asyncio.open_connection(*site.address)
        opened.append(writer)
        writer.write(b"GET /new HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        status_line = await reader.readline()
        writer.close()
        return status_line

    tasks = [asyncio.create_task(request()) for _ in range(3 * MAX_CONNECTIONS)]
    assert await asyncio.to_thread(proxy.paused_answers.acquire, timeout=20)
    count = -1
    while len(opened) != count or count < MAX_CONNECTIONS:
        count = len(opened)
        await asyncio.sleep(1)
    assert len(opened) < len(tasks), "every connection was opened: none has to wait"
    proxy.resume()
    return set(await asyncio.wait_for(asyncio.gather(*tasks), 120))


@pytest.mark.heavy
@pytest.mark.usefixtures("_many_files")
def test_connections_beyond_the_queue_wait_and_are_answered(
    start_site: StartSite, store: Store, proxy: PausableProxy
) -> None:
    env = {"VOTEWEB_REDIS_URL": proxy.url, "VOTEWEB_REDIS_DEADLINE": "60"}
    site = start_site(**env, **SECRET)
    proxy.pause()
    assert asyncio.run(request_from_many(site, proxy)) == {b"HTTP/1.1 200 OK\r\n"}
    assert site.is_healthy()
