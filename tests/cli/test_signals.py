"""``voteweb run`` that is told to stop or to replace its workers."""

import http.client
import os
import signal
import socket
from contextlib import closing, suppress

import pytest

from tests.helpers import until
from tests.pausable_proxy import PausableProxy
from tests.site_process import SECRET, SiteProcess, StartSite
from tests.status_counter import counted_statuses
from voteweb.store import Store

pytestmark = pytest.mark.heavy


def accepts_connections(site: SiteProcess) -> bool:
    with suppress(OSError):
        socket.create_connection(site.address, timeout=5).close()
        return True
    return False


def test_a_request_in_work_is_answered_before_the_site_stops(
    start_site: StartSite, store: Store, proxy: PausableProxy
) -> None:
    env = {"VOTEWEB_REDIS_URL": proxy.url, "VOTEWEB_REDIS_DEADLINE": "20", "VOTEWEB_PAGE_SECONDS": "0"}
    site = start_site(**env, **SECRET)
    proxy.pause()
    with closing(site.connect()) as connection:
        connection.request("GET", "/new")
        assert proxy.paused_answers.acquire(timeout=20)
        os.kill(site.process.pid, signal.SIGTERM)
        until(lambda: not accepts_connections(site))
        assert site.process.poll() is None
        proxy.resume()
        assert connection.getresponse().status == 200
    assert site.process.wait(20) == 0


def test_the_background_jobs_end_while_a_request_is_waited_for(
    start_site: StartSite, store: Store, server_url: str
) -> None:
    site = start_site(VOTEWEB_REDIS_URL=server_url, **SECRET)
    until(site.jobs_pids)
    with socket.create_connection(site.address) as half_sent:
        half_sent.settimeout(20)
        half_sent.sendall(
            b"POST /login HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        )
        assert half_sent.recv(100).startswith(b"HTTP/1.1 100 ")  # a worker waits for the form
        (worker,) = site.worker_pids()
        site.process.terminate()
        until(lambda: not site.jobs_pids())
        assert site.worker_pids() == [worker]
    assert site.process.wait(20) == 0


def test_sighup_replaces_the_workers_and_every_request_is_answered(
    start_site: StartSite, store: Store, server_url: str
) -> None:
    site = start_site(VOTEWEB_REDIS_URL=server_url, **SECRET)
    before = set(site.worker_pids())

    def request() -> list[int]:
        # A worker that ends closes a connection on which no request has arrived yet. A client opens another one
        # then, as browsers and nginx do.
        with suppress(http.client.RemoteDisconnected, ConnectionResetError):
            return [site.get("/about").status]
        return [site.get("/about").status]

    with counted_statuses(request, threads=2, pause=0.02) as requests:
        os.kill(site.process.pid, signal.SIGHUP)
        until(lambda: len(site.worker_pids()) == 1 and set(site.worker_pids()) != before, patience=60)
        requests.wait_for_more()
    assert set(requests.statuses) == {200}
    assert site.stop().status == 0
