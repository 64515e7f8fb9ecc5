"""The site behind nginx and behind Caddy, with the files of deploy/: what visitors get, and what the site believes."""

import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlencode

import pytest

from tests.deploy.conftest import Serve
from tests.deploy.proxies import Caddy, Nginx, Proxy
from tests.deploy.visitor import HOST, Visitor
from tests.helpers import until
from tests.machines import free_ports
from tests.running import Running
from tests.web.dom import fields_of, parse
from voteweb.cli.run import THREADS_PER_WORKER
from voteweb.core.rate_limits import SIGNUP

PASSWORD = "correct horse battery"


def sign_up(visitor: Visitor, name: str, **claims: str) -> int:
    """Return the status of a sign-up under *name*."""
    return visitor.fill_in("/signup", {"username": name, "password": PASSWORD}, **claims).status


def test_pages_come_by_https_only(proxy: Proxy) -> None:
    page = proxy.visitor().get("/signup")
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"]
    assert "; Secure" in page.headers["Set-Cookie"]
    moved = Visitor(proxy.http, None).get("/new?page=2")
    assert moved.status in (301, 308)
    assert moved.headers["Location"].removesuffix("/new?page=2") in (
        f"https://{HOST}", f"https://{HOST}:{proxy.https}",
    )  # fmt: skip


def test_a_member_signs_up_posts_and_votes(proxy: Proxy) -> None:
    ann, bob = proxy.visitor(), proxy.visitor()
    assert sign_up(ann, "ann") == sign_up(bob, "bob") == 303
    text = "语" * 20_000  # the longest there may be, which is nine times as long in a form
    posted = ann.fill_in("/submit", {"title": "Behind a proxy", "text": text})
    assert (posted.status, posted.headers["Location"].partition("?")[0]) == (303, "/a/1")
    assert bob.press("/a/1", "/a/1/vote").status == 303


def test_who_asks_is_what_the_proxy_says_and_not_what_the_visitor_claims(proxy: Proxy) -> None:
    first, second = proxy.visitor(2), proxy.visitor(3)
    for number in range(SIGNUP.burst):
        claims = {"X_Forwarded_For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
        assert sign_up(proxy.visitor(2), f"member{number}", **claims) == 303
    assert sign_up(first, "too-many", X_Forwarded_For="203.0.113.99") == 429
    assert sign_up(second, "somebody-else", X_Forwarded_For="127.0.0.2") == 303


def test_a_scheme_that_a_visitor_claims_is_not_believed(proxy: Proxy) -> None:
    """Only who comes by https must say where from; were the claim believed, ann would be logged out."""
    ann = proxy.visitor()
    assert sign_up(ann, "ann") == 303
    form = parse(ann.get("/about").body).one("form", action="/logout")
    sent = urlencode(fields_of(form))
    assert ann.ask("POST", "/logout", sent, X_Forwarded_Proto="http", Referer="").status == 400
    assert parse(ann.get("/about").body).all("form", action="/logout"), "still logged in"
    assert ann.ask("POST", "/logout", sent).status == 303


@pytest.mark.parametrize("path", ["/metrics", "/healthz"])
def test_what_is_for_the_operator_is_not_there(proxy: Proxy, path: str) -> None:
    assert "X-Request-Id" in proxy.visitor().get("/nowhere").headers, "the site says 404 as well, and names the request"
    answer = proxy.visitor().get(path)
    assert answer.status == 404
    assert "X-Request-Id" not in answer.headers


def test_a_body_that_is_too_large_is_refused(proxy: Proxy) -> None:
    assert proxy.visitor().ask("POST", "/login", Content_Length="400000").status == 413


def test_of_a_body_that_does_not_say_how_long_it_is_no_more_is_read(proxy: Proxy) -> None:
    """nginx says so; Caddy passes on what it has read, which is no form. Then both hang up."""
    small = proxy.visitor().ask("POST", "/login", iter([b"x"]))
    assert small.headers["Connection"] != "close"
    large = proxy.visitor().ask("POST", "/login", (b"x" * 40_000 for _ in range(10)))
    assert large.status in (413, 422)
    assert large.headers["Connection"] == "close"


def test_another_host_is_not_answered_for(proxy: Proxy) -> None:
    answer = proxy.visitor().get("/", Host="evil.example")
    assert (answer.status, answer.body) == (200, "") or answer.status == 421
    assert "Set-Cookie" not in answer.headers


def test_half_sent_forms_leave_the_site_free(proxy: Proxy) -> None:
    head = f"POST /login HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 1000\r\n\r\nusername=".encode()
    with ExitStack() as open_lines:
        for _ in range(4 * THREADS_PER_WORKER):
            open_lines.enter_context(proxy.visitor().connect()).sendall(head)
        for _ in range(4 * THREADS_PER_WORKER):
            assert proxy.visitor().get("/about").status == 200


def test_while_the_site_is_away_this_is_said_and_then_it_is_there_again(
    proxy: Proxy, site: Running, serve: Serve
) -> None:
    assert site.stop(signal.SIGTERM)[0] == 0
    for _ in range(2):
        answer = proxy.visitor().get("/")
        assert (answer.status, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (503, "5", "no-store")
        assert "back in a moment" in answer.body
    serve()
    assert proxy.visitor().get("/").status == 200


def test_nobody_waits_for_ever_while_the_site_hangs(proxy: Proxy, site: Running) -> None:
    proxy.stop()
    proxy.patience = 1
    proxy.start()
    (worker,) = site.workers()
    os.kill(worker, signal.SIGSTOP)
    answer = proxy.visitor().get("/")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    os.kill(worker, signal.SIGCONT)
    until(lambda: proxy.visitor().get("/").status == 200)


@pytest.mark.parametrize("proxy", [Nginx], ids=["nginx"], indirect=True)
def test_the_log_of_nginx_names_a_request_as_the_site_does(proxy: Proxy) -> None:
    answer = proxy.visitor(7).get("/about?token=secret")
    proxy.stop()
    (line,) = (proxy.folder / "voteweb.log").read_text().splitlines()
    assert line.startswith("127.0.0.7 [")
    assert '"GET /about" 200 ' in line
    assert line.endswith(f" {answer.headers['X-Request-Id']}")


@pytest.mark.parametrize("proxy", [Nginx], ids=["nginx"], indirect=True)
def test_two_sites_restarted_one_after_the_other_answer_every_visitor(
    proxy: Proxy, site: Running, serve: Serve, port: int
) -> None:
    proxy.stop()
    (proxy.second,) = free_ports(1)
    other = serve(proxy.second)
    proxy.start()
    statuses, over = Counter[int](), threading.Event()

    def ask() -> None:
        while not over.is_set():
            statuses[proxy.visitor().get("/about").status] += 1

    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(ask) for _ in range(2)]
        try:
            for each, at in ((site, port), (other, proxy.second)):
                assert each.stop(signal.SIGTERM)[0] == 0
                serve(at)
                asked = statuses.total()
                until(lambda asked=asked: statuses.total() > asked + 20)  # type: ignore[misc]
        finally:
            over.set()
        for thread in asking:
            thread.result()
    assert set(statuses) == {200}


@pytest.mark.parametrize("proxy", [Nginx], ids=["nginx"], indirect=True)
def test_where_two_sites_hang_a_visitor_does_not_wait_for_both(proxy: Proxy, site: Running, serve: Serve) -> None:
    proxy.stop()
    (proxy.second,) = free_ports(1)
    proxy.patience = 3
    hung = [each.workers()[0] for each in (site, serve(proxy.second))]
    proxy.start()
    for worker in hung:
        os.kill(worker, signal.SIGSTOP)
    begun = time.monotonic()
    answer = proxy.visitor().get("/")
    waited = time.monotonic() - begun
    for worker in hung:
        os.kill(worker, signal.SIGCONT)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert waited < 2 * proxy.patience


@pytest.mark.parametrize("proxy", [Caddy], ids=["caddy"], indirect=True)
def test_a_visitor_of_caddy_waits_while_the_site_is_restarted(proxy: Proxy, site: Running, serve: Serve) -> None:
    proxy.stop()
    proxy.wait = 60
    proxy.start()
    assert site.stop(signal.SIGTERM)[0] == 0
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(proxy.visitor().get, "/")
        serve()
        assert asked.result().status == 200
