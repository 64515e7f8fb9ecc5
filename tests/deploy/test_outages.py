"""A site behind nginx and Caddy that is away, hangs or is restarted: visitors are answered in time."""

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.deploy.conftest import Serve
from tests.deploy.proxies import Caddy, Nginx, Proxy
from tests.helpers import free_ports, until
from tests.site_process import SiteProcess
from tests.web.addresses.table import ROUTES

pytestmark = pytest.mark.heavy


@contextmanager
def hanging(*sites: SiteProcess) -> Iterator[None]:
    """Suspend the worker of each of *sites*."""
    workers = [site.worker_pids()[0] for site in sites]
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)


def test_an_absent_site_is_answered_for_until_it_is_back(proxy: Proxy, site: SiteProcess, serve: Serve) -> None:
    assert site.stop().status == 0
    answer = proxy.visitor().get("/")
    assert (answer.status, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (503, "5", "no-store")
    assert "back in a moment" in answer.body
    serve()
    assert proxy.visitor().get("/").status == 200


def test_visitors_of_a_hanging_site_are_answered_in_time(proxy: Proxy, site: SiteProcess) -> None:
    proxy.stop()
    proxy.answer_timeout = 1
    proxy.start()
    with hanging(site):
        answer = proxy.visitor().get("/")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    until(lambda: proxy.visitor().get("/").status == 200)


def test_no_log_has_the_secret_of_an_address(proxy: Proxy, site: SiteProcess, serve: Serve) -> None:
    secret = {address.url(token="a-secret") for address in ROUTES if "token" in address.part_names}
    others = {
        "//Invitations/a-secret",
        "/reset/a-secret?page=2",
        "/search?q=a-secret&page=2",
        "/search.atom?q=https://a-secret.example/a-secret",
        "/signup?invite=a-secret",
        "/api/v1/vw_YW5u.a-secret",
        "/api/v1/x%0Avw%5FYW5u%2Ea-secret/x",
        *("/%72eset/a-secret", "/RESE%54/a-secret", "/reset%2Fa-secret", "/inbox%2ffeed%2fa-secret.atom"),
    }
    assert site.stop().status == 0
    with ThreadPoolExecutor(len(secret | others)) as pool:  # Caddy tries for a second to reach the site, for each
        assert set(pool.map(lambda path: proxy.visitor().get(path).status, secret | others)) == {503}
    site = serve(VOTEWEB_LOG="text")
    assert {proxy.visitor().get(path).status for path in secret | others} <= {200, 303, 404, 405, 410}
    proxy.stop()
    files = (file for file in proxy.folder.iterdir() if file.name in ("log", "voteweb.log", "output"))
    for log in ("".join(file.read_text() for file in files), site.stop().stderr):
        assert "-secret" not in log
        assert [path for path in secret if f"{path.partition('a-secret')[0]}***" not in log] == []
        assert "/search" in log


@pytest.mark.parametrize("proxy", [Caddy], ids=["caddy"], indirect=True)
def test_the_log_of_caddy_has_no_headers(proxy: Proxy) -> None:
    proxy.visitor().get("/about", User_Agent="a browser")
    proxy.stop()
    lines = map(json.loads, (proxy.folder / "output").read_text().splitlines())
    (line,) = (line for line in lines if line["msg"] == "handled request")
    assert (line["request"]["uri"], line["status"]) == ("/about", 200)
    assert {"headers", "tls"}.isdisjoint(line["request"])
    assert "resp_headers" not in line


@pytest.mark.parametrize("proxy", [Nginx], ids=["nginx"], indirect=True)
def test_a_visitor_does_not_wait_for_two_hanging_sites(proxy: Proxy, site: SiteProcess, serve: Serve) -> None:
    proxy.stop()
    (proxy.second_site,) = free_ports(1)
    proxy.answer_timeout = 3
    second = serve(proxy.second_site)
    proxy.start()
    with hanging(site, second):
        start = time.monotonic()
        answer = proxy.visitor().get("/")
        seconds = time.monotonic() - start
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert seconds < 2 * proxy.answer_timeout


@pytest.mark.parametrize("proxy", [Caddy], ids=["caddy"], indirect=True)
def test_visitors_of_caddy_wait_while_the_site_is_restarted(proxy: Proxy, site: SiteProcess, serve: Serve) -> None:
    proxy.stop()
    proxy.retry_seconds = 60
    proxy.start()
    assert site.stop().status == 0
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(proxy.visitor().get, "/")
        serve()
        assert answer.result().status == 200
