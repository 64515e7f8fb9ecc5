"""Cold pages: who may ask for how many that nobody read of late, and what those who may not are told."""

from dataclasses import replace

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from tests.web.limits import assert_too_fast
from voteweb.app import create_app
from voteweb.core import cold_reads
from voteweb.core.config import ADDRESS_HEADER
from voteweb.core.models import Role
from voteweb.core.rate_limits import COLD, WIDE_LIMITS
from voteweb.core.settings import Settings
from voteweb.store import Store

ADDRESS, ANOTHER = "8.8.8.8", "9.9.9.9"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site behind a proxy, with kept pages and a budget of three cold pages; Google's network is exempt."""
    return replace(
        settings, page_seconds=1.0, limits=1, cold_reads=3, trusted_proxies=1, cold_exempt="66.249.64.0/19"
    )  # fmt: skip


@pytest.fixture
def app(settings: Settings, store: Store, clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The site with ten articles, whose budget and kept pages go by the clock."""
    for _ in range(10):
        factories.article(store)
    monkeypatch.setattr(cold_reads, "monotonic", lambda: clock[0])
    return create_app(settings, store)


def statuses(browser: Browser, *paths: str, address: str = ADDRESS) -> list[int]:
    """Return the status of each of the *paths*, as *address* asks for them."""
    return [browser.open(path, headers={ADDRESS_HEADER: address}).status for path in paths]


def use_up(browser: Browser, address: str = ADDRESS) -> None:
    assert statuses(browser, "/a/1", "/a/2", "/a/3", "/a/4", address=address) == [200, 200, 200, 429]


def test_refusal_says_why_and_until_when(reader: Browser, clock: list[float]) -> None:
    use_up(reader)
    for path in ("/a/5", "/a/6"):
        statuses(reader, path)
        assert_too_fast(reader, COLD._replace(times=360))
        assert f"{path}" not in reader.page.one("footer").text
    assert int(reader.headers["Retry-After"]) == 10
    reader.open("/a/5", headers={ADDRESS_HEADER: ADDRESS, "Accept-Language": "zh"})
    assert (reader.status, reader.headers["Content-Language"]) == (429, "zh-Hans")
    reader.open("/a/5", headers={ADDRESS_HEADER: ADDRESS, **JSON})
    assert (reader.status, reader.json["error"]["code"]) == (429, "too-fast")
    clock[0] += 10
    assert statuses(reader, "/a/5", "/a/6") == [200, 429]


def test_neighbours_share_the_budget_of_their_network(reader: Browser) -> None:
    for number in range(1, 11):
        statuses(reader, "/a/77", "/a/78", "/a/79", address=f"8.8.8.{number}")
        assert reader.status == 404
    statuses(reader, "/a/77", address="8.8.8.200")
    assert_too_fast(reader, WIDE_LIMITS[COLD.kind])
    assert statuses(reader, "/a/77", address=ANOTHER) == [404]


@pytest.mark.parametrize(
    "path", ["/search?q=word", "/search.atom?q=word", "/feed.atom?x=1", "/?x=1", "/nowhere", "/privacy?x=1"]
)
def test_what_nobody_keeps_counts_each_time(path: str, reader: Browser) -> None:
    statuses(reader, path, path, path)
    assert reader.status != 429
    assert statuses(reader, path) == [429]


def test_page_that_somebody_read_in_the_last_minute_is_free(reader: Browser, clock: list[float]) -> None:
    statuses(reader, "/", address=ANOTHER)
    use_up(reader)
    for _ in range(59):
        clock[0] += 1.01
        assert statuses(reader, "/") == [200]
        statuses(reader, *["/nowhere"] * 4)  # nothing is saved up
    clock[0] += 1
    assert statuses(reader, "/nowhere", "/")[1:] == [429], "those who have no reads left keep no page warm"


def test_who_paid_for_a_page_pays_for_it_again(reader: Browser, clock: list[float]) -> None:
    use_up(reader)
    clock[0] += 1.01
    assert statuses(reader, "/a/1") == [429]
    assert statuses(reader, "/a/1", address=ANOTHER) == [200]


def test_ways_in_are_open_whatever_neighbours_read(reader: Browser) -> None:
    use_up(reader)
    assert statuses(reader, "/login", "/signup", "/recover", "/robots.txt") == [200] * 4


def test_page_that_is_kept_no_more_is_not_free(reader: Browser, store: Store, clock: list[float]) -> None:
    statuses(reader, "/a/5", address=ANOTHER)
    use_up(reader)
    factories.user(store, "mod", Role.MODERATOR)
    factories.remove(store, 5)
    clock[0] += 1.01
    assert statuses(reader, "/a/5") == [410]
    assert statuses(reader, "/a/5") == [429]


def test_members_are_free_until_their_session_ends(reader: Browser, make_member: MakeMember, store: Store) -> None:
    bob = make_member("bob")
    use_up(reader)
    assert set(statuses(bob, *(f"/a/{number}" for number in range(1, 10)))) == {200}
    cookie = bob.session_cookie
    factories.user(store, "mod", Role.MODERATOR)
    factories.ban(store, "bob")
    answers = []
    for number in range(1, 10):
        bob.client.set_cookie("voteweb", cookie)
        answers += statuses(bob, f"/a/{number}", address=ANOTHER)
    assert answers == [200] * 4 + [429] * 5, "a process learns of it by the first page"
    forged = Browser(reader.client.application)
    forged.client.set_cookie("voteweb", f"{cookie}x")
    assert statuses(forged, "/a/9") == [429]


def test_exempt_and_private_networks_are_free(reader: Browser) -> None:
    for address in ("66.249.66.1", "10.0.0.7", "127.0.0.1", "nonsense"):
        assert set(statuses(reader, *(f"/a/{number}?x=1" for number in range(1, 10)), address=address)) == {200}


def test_what_programs_need_is_never_refused(reader: Browser) -> None:
    use_up(reader)
    static = reader.open("/about").page.all("link", rel="stylesheet")[0]["href"]
    assert statuses(reader, static, "/robots.txt", "/healthz", "/a/1") == [200] * 4


def test_refusals_keep_nothing_of_the_visitor(reader: Browser, settings: Settings) -> None:
    use_up(reader)
    visitor = Browser(reader.client.application)
    visitor.client.set_cookie("language", "zh")
    statuses(visitor, "/a/secret-of-a-visitor?x=secret")
    for browser in (visitor, reader):
        statuses(browser, "/a/5")
        assert "secret" not in browser.text
        assert "Set-Cookie" not in browser.headers
    assert (visitor.headers["Content-Language"], reader.headers["Content-Language"]) == ("zh-Hans", "en")


@pytest.mark.parametrize("changes", [{"cold_reads": 0}, {"limits": 0}])
def test_site_can_have_no_budget(changes: dict[str, int], settings: Settings, store: Store, app: Flask) -> None:
    reader = Browser(create_app(replace(settings, **changes), store))
    assert set(statuses(reader, *(f"/a/{number}" for number in range(1, 10)))) == {200}
