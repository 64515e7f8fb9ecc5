"""How often a page asks Redis: one round trip for a reader, one or two for a member, whatever is listed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store, keys
from voteweb.store.connection.connection import Connection
from voteweb.store.moderation_log import NewLogEntry

LISTS = [
    "/",
    "/new",
    "/new?page=2",
    "/good",
    "/g/python",
    "/g/python/new",
    "/g/python+redis",
    "/u/ann",
    "/a/1",
]
#: Pages that only read, but for more than a list: address, then round trips for a reader, a member, a moderator.
OTHERS = [
    ("/a/3", 1, 1, 2),  # removed: a reader is shown nothing of it
    ("/a/99", 1, 1, 1),
    ("/submit", 1, 1, 1),
    ("/log", 1, 1, 1),
    ("/log?who=mod&kind=ban&page=1", 1, 1, 1),
    ("/log.atom", 1, 1, 1),
    ("/reports", 0, 1, 2),
    ("/groups", 2, 2, 2),
    ("/about", 1, 1, 1),
    ("/login", 0, 1, 1),
    ("/nowhere", 0, 1, 1),
    ("/metrics", 0, 1, 1),
    ("/a/1/edit", 1, 1, 1),
    ("/invitations", 0, 1, 1),
]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site with limits, as all are but in tests."""
    return replace(settings, limits=1)


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """Thirty articles in two groups, some reported, one removed, and people to do it."""
    for i in range(30):
        factories.article(fake_store, title=f"Article {i}", groups=("python", "redis"))
    factories.imported(fake_store, votes=300)
    for id in range(1, 28):
        fake_store.reports.make(id, factories.user(fake_store, "zoe"), Reason.SPAM, "")
    fake_store.removals.remove(3, NewLogEntry(LogAction.REMOVE, "mod", about="ann", article=3, title="Article 2", why="Spam."))


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], int]:
    """Counts the round trips that an act makes."""
    trips = [0]
    insist = Connection.insist

    def counting(self: Connection, *arguments: Any, **more: Any) -> Any:
        trips[0] += 1
        return insist(self, *arguments, **more)

    monkeypatch.setattr(Connection, "insist", counting)

    def measure(act: Callable[[], Any]) -> int:
        act()  # once before: the scripts are loaded, and what is kept is kept
        trips[0] = 0
        act()
        return trips[0]

    return measure


Count = Callable[[Callable[[], Any]], int]


@pytest.mark.parametrize("address", LISTS)
def test_a_list_costs_a_reader_or_member_one_round_trip_and_a_moderator_two(
    address: str, reader: Browser, bob: Browser, mod: Browser, count: Count
) -> None:
    assert count(lambda: reader.open(address)) == 1
    assert count(lambda: bob.open(address)) == (2 if address == "/good" else 1)
    assert count(lambda: mod.open(address)) == 2
    assert (bob.status, mod.status) == (200, 200)


@pytest.mark.parametrize("address", LISTS)
def test_a_list_whose_rows_are_not_known_costs_a_member_two(
    address: str, bob: Browser, count: Count, fake_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a process that has just started, or where another article has just come in."""
    monkeypatch.setattr(type(fake_store.listings), "likely", lambda self, which, number: (17, 99_999))
    assert count(lambda: bob.open(address)) == (1 if address == "/a/1" else 2)


def test_the_own_votes_are_right_whatever_was_guessed(
    bob: Browser, fake_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    voted = {2, 5, 17}
    for id in voted:
        fake_store.votes.cast(id, fake_store.users.get("bob"))
    for guess in ((), (17, 99_999), (2, 5, 17), tuple(range(1, 32))):
        monkeypatch.setattr(type(fake_store.listings), "likely", lambda self, which, number, guess=guess: guess)
        pressed = [
            each["formaction"]
            for page in ("/new", "/new?page=2")
            for each in bob.open(page).page.all("button", class_="vote")
            if each["aria-pressed"] == "true"
        ]
        assert sorted(pressed) == [f"/a/{id}/unvote" for id in sorted(voted, key=str)]


@pytest.mark.parametrize(("address", "for_reader", "for_member", "for_moderator"), OTHERS)
def test_every_other_page_costs_no_more_than_it_must(
    address: str,
    for_reader: int,
    for_member: int,
    for_moderator: int,
    reader: Browser,
    bob: Browser,
    mod: Browser,
    count: Count,
) -> None:
    costs = [count(lambda each=each: each.open(address)) for each in (reader, bob, mod)]
    assert costs == [for_reader, for_member, for_moderator]


def test_a_vote_costs_one_its_limit_in_it(bob: Browser, count: Count, fake_store: Store) -> None:
    token = bob.token()
    for act in ("vote", "unvote"):
        assert count(lambda act=act: bob.post(f"/a/5/{act}", {"csrf_token": token, "next": "/new"})) == 1
        assert bob.status == 303
    assert len(fake_store.connection.client.keys(keys.limit("vote", "*"))) == 1


def test_a_vote_on_an_article_whose_groups_have_changed_costs_two(
    bob: Browser, count: Count, fake_store: Store
) -> None:
    token, groups = bob.token(), iter(["python", "redis"])

    def press() -> None:
        fake_store.connection.client.hset("article:5", "groups", next(groups))
        bob.post("/a/5/vote", {"csrf_token": token, "next": "/new"})

    assert count(press) == 2


def test_a_log_in_costs_one_and_one_more_where_it_succeeds(bob: Browser, reader: Browser, count: Count) -> None:
    """What is tried is counted with the question for the member; a success is given back."""
    for password, most in (("not this one", 1), (PASSWORD, 2)):
        token = reader.open("/login").page.one("input", name="csrf_token")["value"]
        fields = {"username": "bob", "password": password, "csrf_token": token}
        cookie = reader.client.get_cookie("voteweb")

        def send(cookie: Any = cookie, fields: dict[str, str] = fields) -> None:
            reader.client.set_cookie("voteweb", cookie.value)
            reader.post("/login", fields)

        assert count(send) == most


def test_an_act_of_a_moderator_costs_a_few(mod: Browser, count: Count) -> None:
    """The viewer with the article; the log's id; what the script must name; the script."""
    token = mod.token()
    for act, fields, most in (
        ("groups", {"add": "python"}, 4),
        ("dismiss", {}, 4),
        ("remove", {"reason": "Spam."}, 4),
        ("restore", {}, 4),
    ):
        sent = fields | {"csrf_token": token, "next": "/new"}
        assert count(lambda act=act, sent=sent: mod.post(f"/a/5/{act}", sent)) <= most
        assert mod.status == 303
