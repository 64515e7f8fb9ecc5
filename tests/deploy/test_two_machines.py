"""Two machines of one site: voteweb at 127.0.0.2 and 127.0.0.3, folders of their own, one Redis, a proxy in front."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import count, permutations, zip_longest
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests import factories
from tests.deploy.proxies import HOST, Caddy, Nginx, Proxy, proxy_before
from tests.helpers import free_ports, needs, until
from tests.site_process import SECRET, SiteProcess, StartSite
from tests.status_counter import counted_statuses
from tests.visitor import PASSWORD, Visitor
from tests.web.dom import parse
from voteweb.core import passwords
from voteweb.store import Store
from voteweb.store.doctor import Doctor

pytestmark = pytest.mark.heavy

FIRST, SECOND, THIRD = "127.0.0.2", "127.0.0.3", "127.0.0.4"
JSON = "application/json"
_SEARCHERS = count()

StartMachine = Callable[..., SiteProcess]


@pytest.fixture
def start_machine(start_site: StartSite, store: Store, server_url: str, tmp_path: Path) -> StartMachine:
    """A function that starts the site on the machine at an address, or starts it again."""
    needs(sys.platform == "linux", "Linux, where all of 127.0.0.0/8 is this machine")

    def start(address: str, port: int = 0, **env: str) -> SiteProcess:
        folder = {"VOTEWEB_DATA_DIR": str(tmp_path / address)}
        proxy = {"VOTEWEB_SITE_URL": f"http://{HOST}", "VOTEWEB_TRUSTED_PROXIES": "1"}
        site = {"VOTEWEB_REDIS_URL": server_url} | SECRET
        return start_site("--host", address, "--port", str(port), **(folder | proxy | site | env))

    return start


def visitor_of(machine: SiteProcess) -> Visitor:
    return Visitor(machine.address, host=HOST)


def is_logged_in(machine: SiteProcess, cookie: str) -> bool:
    return bool(parse(visitor_of(machine).get("/about", Cookie=cookie).body).all("a", href="/account"))


def finds(machine: SiteProcess, word: str) -> bool:
    address = f"198.51.100.{next(_SEARCHERS) % 256}"  # one of many visitors: searches are limited
    return f"The {word}" in visitor_of(machine).get(f"/search?q={word}", VisitorAddress=address).body


def clock_reasons(machine: SiteProcess) -> list[str]:
    return [text for text in machine.get("/healthz").body.split('"') if "clock" in text]


def test_two_machines_are_one_site(start_machine: StartMachine, store: Store) -> None:
    first, second = (start_machine(address, VOTEWEB_SEARCH="1") for address in (FIRST, SECOND))
    ann = visitor_of(first)
    assert ann.sign_up("ann").status == 303
    there = ann.at(second.address)
    assert there.submit("/submit", {"title": "The aardvark", "text": "x"}).status == 303
    assert "The aardvark" in ann.get("/new").body, "what a member did is in their lists at once"
    assert "The aardvark" in there.get("/new").body
    until(lambda: finds(first, "aardvark") and finds(second, "aardvark"))

    # A session ends everywhere at once.
    ends: Sequence[Callable[[Visitor], object]] = (
        lambda browser: browser.request("POST", "/logout", urlencode(browser.log_out_form())),
        lambda _: store.users.set_password("ann", passwords.hash_password(PASSWORD)),
        lambda _: factories.ban(store, "ann"),
    )
    for end in ends:
        browser = visitor_of(second)
        browser.log_in("ann")
        cookie = browser.cookie
        assert is_logged_in(first, cookie)
        end(browser)
        assert not is_logged_in(first, cookie)


def votes_and_pages(proxy: Proxy, name: str) -> Callable[[], list[tuple[str, int]]]:
    """Return what the member *name* does again and again: vote, take the vote back, and read pages, as a reader does.

    It returns what was asked for, with the status of the answer.
    """
    member, reader = proxy.visitor(), proxy.visitor()
    member.log_in(name)
    token = member.log_out_form()["csrf_token"]

    def act() -> list[tuple[str, int]]:
        statuses = []
        for act in ("vote", "unvote"):
            answer = member.request("POST", f"/a/1/{act}", Accept=JSON, X_CSRFToken=token)
            statuses += [(act, answer.status), ("/new", member.get("/new").status), ("/", reader.get("/").status)]
        return statuses

    return act


def test_restarts_one_by_one_fail_no_request(start_machine: StartMachine, store: Store) -> None:
    (port,) = free_ports(1)
    env = {"VOTEWEB_SITE_URL": f"https://{HOST}", "VOTEWEB_LIMITS": "0"}
    machines = {address: start_machine(address, port, **env) for address in (FIRST, SECOND)}
    ann, bob = factories.users(store, 2)
    for member in (ann, bob):
        store.users.set_password(member.name, passwords.hash_password(PASSWORD))
    article = factories.article(store)
    with ExitStack() as stack:
        # As deployed: Caddy takes a machine at random, and one of the two may be down.
        both = {"second_site": port, "addresses": (FIRST, SECOND), "retry_seconds": 5}
        nginx, caddy = (stack.enter_context(proxy_before(kind, port, **both)) for kind in (Nginx, Caddy))
        behind_nginx = stack.enter_context(counted_statuses(votes_and_pages(nginx, ann.name)))
        behind_caddy = stack.enter_context(counted_statuses(votes_and_pages(caddy, bob.name)))
        for address, machine in machines.items():
            behind_nginx.wait_for_more()
            behind_caddy.wait_for_more()
            assert machine.stop().status == 0
            behind_nginx.wait_for_more()
            behind_caddy.wait_for_more()
            start_machine(address, port, **env)
        behind_nginx.wait_for_more()
        behind_caddy.wait_for_more()
    assert {status for _, status in behind_nginx.statuses} == {200}
    # Caddy does not send a form again whose connection was closed.
    refused = {what for what, status in behind_caddy.statuses if status != 200}
    assert refused <= {"vote", "unvote"}
    assert store.articles.get(article.id).votes == 1 or refused
    assert list(Doctor(store.context).examine()) == []


@pytest.fixture(scope="session")
def wrong_clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that makes a program's clock wrong."""
    needs(shutil.which("gcc"), "gcc")
    library = tmp_path_factory.mktemp("clock") / "wrong_clock.so"
    source = Path(__file__).with_name("wrong_clock.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def test_machines_with_a_wrong_clock_serve_the_same_site(
    start_machine: StartMachine, store: Store, wrong_clock: Path
) -> None:
    shifts = {FIRST: 0, SECOND: 3_600, THIRD: -3_600}
    machines = [
        start_machine(address, LD_PRELOAD=str(wrong_clock), CLOCK_SHIFT=str(shift), VOTEWEB_LIMITS="0")
        for address, shift in shifts.items()
    ]
    bob = visitor_of(machines[1])
    assert bob.sign_up("bob").status == 303
    for number, (one, other) in enumerate(permutations(machines, 2), start=1):
        here = visitor_of(one)
        assert here.sign_up(f"writer{number}").status == 303
        there = here.at(other.address)
        assert is_logged_in(other, here.cookie)
        assert here.submit("/submit", {"title": f"The article {number}", "text": "x"}).status == 303
        assert "just now" in there.get(f"/a/{number}").body
        assert there.get(f"/a/{number}/edit").status == 200, "the time to edit has neither passed nor begun anew"
        assert bob.at(other.address).press(f"/a/{number}", f"/a/{number}/vote").status == 303
        assert store.articles.get(number).votes == 2
    assert list(Doctor(store.context).examine()) == []
    for machine, side in zip_longest(machines, ["", "ahead of", "behind"]):
        assert [side in reason for reason in clock_reasons(machine)] == ([True] if side else [])
