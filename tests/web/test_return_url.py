"""Where forms lead back to: to paths of this site and nowhere else."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core.errors import Unavailable
from voteweb.store import Store
from voteweb.store.connection.connection import Connection

ELSEWHERE = [
    "//evil.example",
    "///evil.example",
    "////evil.example/x",
    "/\\evil.example",
    "\\/evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/\x00/evil.example",
    "/new\r\nSet-Cookie: a=b",
    "/a b",
    "https://evil.example/",
    "HTTPS:/evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "@evil.example",
    "?page=2",
    "#main",
    "",
    "/" + "x" * 2_000,
    "http://localhost/new",
]
HERE = ["/new", "/?page=2", "/g/c++", "/g/编程/new", "/a/1#why", "/new?page=2#a7", "/u/ann?x=//evil.example", "/.//x"]


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """An article of ann's."""
    factories.article(fake_store)


def sent(target: str) -> str:
    """Return how *target* is spelled in a Location."""
    return target.replace("编程", "%E7%BC%96%E7%A8%8B")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_log_in_leads_nowhere_else(target: str, reader: Browser, bob: Browser) -> None:
    assert reader.log_in("bob", back=target).location == "/"
    assert bob.open("/login", query_string={"next": target}).location == "/"


@pytest.mark.parametrize("target", HERE)
def test_log_in_leads_back(target: str, reader: Browser, bob: Browser) -> None:
    assert reader.log_in("bob", back=target).location == sent(target)
    assert bob.open("/login", query_string={"next": target}).location == sent(target)


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_changed_form_leads_nowhere_else_either(target: str, reader: Browser, bob: Browser) -> None:
    reader.open("/login?next=/new").submit("/login", username="bob", password=PASSWORD, next=target or "//evil.example")
    assert reader.location == "/"


@pytest.mark.parametrize("target", ELSEWHERE)
def test_joining_leads_nowhere_else(target: str, reader: Browser) -> None:
    reader.open("/signup", query_string={"next": target}).submit("/signup", username="carl", password=PASSWORD)
    assert (reader.status, reader.location) == (303, "/")


@pytest.mark.parametrize("target", HERE)
def test_joining_leads_back(target: str, reader: Browser) -> None:
    reader.open("/signup", query_string={"next": target}).submit("/signup", username="carl", password=PASSWORD)
    assert (reader.status, reader.location) == (303, sent(target))


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_vote_from_elsewhere_leads_to_the_article(target: str, bob: Browser) -> None:
    bob.post("/a/1/vote", {"csrf_token": bob.token(), "next": target})
    assert (bob.status, bob.location) == (303, "/a/1#a1")


@pytest.mark.parametrize("target", HERE)
def test_a_vote_leads_back_to_its_list_at_its_article(target: str, bob: Browser) -> None:
    bob.post("/a/1/vote", {"csrf_token": bob.token(), "next": target})
    assert (bob.status, bob.location) == (303, sent(target.partition("#")[0]) + "#a1")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_readers_vote_from_elsewhere_leads_to_log_in_and_the_article(target: str, reader: Browser) -> None:
    reader.post("/a/1/vote", {"next": target})
    assert (reader.status, reader.location) == (303, "/login?next=/a/1%23a1")


def test_a_vote_that_does_not_say_where_it_was_pressed_leads_to_the_article(bob: Browser) -> None:
    bob.post("/a/1/vote", {"csrf_token": bob.token()})
    assert bob.location == "/a/1#a1"


@pytest.mark.parametrize("address", ["/a/1/vote", "/a/1/unvote", "/a/1/groups"])
def test_a_page_that_answers_a_button_never_leads_back_to_the_buttons_address(address: str, mod: Browser) -> None:
    """Such an address takes no GET: whatever is pressed or followed next must not end there."""
    token = mod.token()
    for button in (address, address.replace("/1/", "/99/")):
        mod.post(button, {"csrf_token": token, "add": "!", "next": "/new"})
        if mod.status != 303:
            led = [each["value"] for each in mod.page.all("input", name="next")]
            led += [each["href"] for each in mod.page.all("a")]
            assert not [each for each in led if each.endswith(button)]


def test_when_redis_goes_away_under_a_button_the_way_to_log_in_leads_to_a_page(
    bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise Unavailable

    token = bob.token()
    monkeypatch.setattr(Connection, "insist", away)
    bob.post("/a/1/vote", {"csrf_token": token})
    assert bob.status == 503
    assert bob.page.one("a", href="/login?next=/a/1")
