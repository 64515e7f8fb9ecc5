"""Round trips to Redis, counted as packets sent: what a page costs whatever it shows."""

from typing import Any

import pytest
from redis.connection import AbstractConnection

from tests import factories
from tests.views.browser import JSON, PASSWORD, Browser
from voteweb import passwords
from voteweb.app import create_app
from voteweb.config import Settings
from voteweb.models import Role
from voteweb.store import Store

LISTS = ["/", "/?page=2", "/new", "/new?page=2", "/good", "/g/python", "/g/python/new", "/g/python?page=2"]
LISTS += ["/g/python+redis", "/g/python+redis/new", "/g/python+redis?page=2", "/u/ann", "/u/ann?page=2", "/a/1"]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was sent to Redis since the list was last cleared, by round trip."""
    packets: list[Any] = []
    send = AbstractConnection.send_packed_command

    def count(self: AbstractConnection, command: Any, check_health: bool = True) -> Any:
        packets.append(command)
        return send(self, command, check_health)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", count)
    return packets


@pytest.fixture
def full_site(settings: Settings, store: Store) -> Store:
    """A site with more than a page of everything, on a real server."""
    for name, role in (("ann", Role.MEMBER), ("bob", Role.MEMBER), ("mod", Role.MODERATOR)):
        factories.user(store, name, role, passwords.hash_password(PASSWORD))
    for i in range(30):
        factories.article(store, title=f"Article {i}", groups=("python", "redis"))
    for i in range(60):
        factories.imported(store, title=f"Good {i}", votes=200 + i, time=1_456_000_000 + i)
    store.connection.load_scripts()
    return store


def trips(sent: list[Any], browser: Browser, address: str) -> int:
    """Open *address* and return the round trips it took."""
    sent.clear()
    assert browser.open(address).status == 200
    return len(sent)


@pytest.mark.parametrize("address", LISTS)
def test_a_list_takes_a_reader_one_round_trip_and_a_member_two(
    address: str, settings: Settings, full_site: Store, sent: list[Any]
) -> None:
    app = create_app(settings, full_site)
    assert trips(sent, Browser(app), address) == 1
    for name in ("ann", "bob", "mod"):
        assert 1 <= trips(sent, Browser(app).log_in(name), address) <= 2, name


def test_other_pages_take_no_more(settings: Settings, full_site: Store, sent: list[Any]) -> None:
    app = create_app(settings, full_site)
    reader, mod = Browser(app), Browser(app).log_in("mod")
    for address, for_reader, for_moderator in (
        ("/groups", 2, 2),
        ("/about", 0, 1),
        ("/healthz", 1, 1),
        ("/login", 0, 0),
        ("/signup", 0, 0),
        ("/static/site.css", 0, 0),
    ):
        assert trips(sent, reader, address) == for_reader, address
        if address not in ("/login", "/signup"):
            assert trips(sent, mod, address) <= for_moderator, address
    for address in ("/submit", "/groups/new", "/g/python/edit"):
        assert trips(sent, mod, address) == 1, address


@pytest.mark.parametrize("headers", [{}, JSON], ids=["form", "script"])
def test_a_vote_takes_two(headers: dict[str, str], settings: Settings, full_site: Store, sent: list[Any]) -> None:
    bob = Browser(create_app(settings, full_site)).log_in("bob")
    token = bob.token()
    for act in ("vote", "vote", "unvote", "unvote"):
        sent.clear()
        bob.post(f"/a/1/{act}", {"csrf_token": token, "next": "/"}, headers=headers)
        assert bob.status in (200, 303, 409)
        assert len(sent) <= 2


def test_a_readers_vote_takes_none(settings: Settings, full_site: Store, sent: list[Any]) -> None:
    reader = Browser(create_app(settings, full_site)).open("/a/1")
    sent.clear()
    assert reader.press("/a/1/vote").status == 303
    assert sent == []


def test_posting_and_sorting_take_a_few(settings: Settings, full_site: Store, sent: list[Any]) -> None:
    mod = Browser(create_app(settings, full_site)).log_in("mod")
    mod.open("/submit")
    sent.clear()
    mod.submit("/submit", title="One more", link="https://example.com/", groups=["python"])
    assert (mod.location, len(sent)) == ("/a/91", 3)
    mod.open("/new")
    sent.clear()
    mod.submit("/a/91/groups", add="redis")
    assert (mod.location, len(sent)) == ("/new#a91", 2)
