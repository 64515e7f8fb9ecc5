"""The connection cut between request and answer: the act is done once, and answered as done."""

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.faults.proxy import Proxy, proxy
from tests.store.examination import broken
from tests.web.browser import JSON, PASSWORD, Browser
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Reason, User
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

Do = Callable[[Store, User], Any]

#: A script, an act of bob's that calls it, and what the act returns; article 1 is ann's, and bob has voted for 2.
ACTS: list[tuple[str, Do, Any]] = [
    ("cast_vote", lambda store, bob: store.votes.cast(1, bob), 2),
    ("cast_vote", lambda store, bob: store.votes.take_back(2, bob), 1),
    ("post_article", lambda store, bob: store.articles.post(factories.draft(link=""), bob, "form-0001"), 3),
    ("set_groups", lambda store, bob: store.articles.set_groups(1, ["go"], []), ("go",)),
    ("report_article", lambda store, bob: store.reports.make(1, bob, Reason.SPAM, ""), None),
    ("make_group", lambda store, bob: store.groups.make("lua", "Lua", ""), None),
    ("make_user", lambda store, bob: store.users.make("cid", "").name, "cid"),
    ("unlist_article", lambda store, bob: store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "bob", article=1, why="spam")), None),
]


@pytest.fixture
def laid(make_store: MakeStore) -> Store:
    store = make_store()
    factories.group(store, "go")
    for _ in range(2):
        factories.article(store)
    store.votes.cast(2, factories.user(store, "bob"))
    return store


def through(way: Proxy, make_store: MakeStore) -> Store:
    """Return a store that goes through the proxy, which swallows one answer."""
    way.swallows = 1
    return make_store(redis_url=way.url)


@pytest.mark.parametrize(("script", "act", "answer"), ACTS)
def test_an_act_whose_answer_is_lost_is_done_once_and_answered_as_done(
    script: str, act: Do, answer: Any, laid: Store, make_store: MakeStore, settings: Settings
) -> None:
    bob = laid.users.get("bob")
    with proxy(settings.redis_url.removeprefix("unix://"), script) as way:
        assert act(through(way, make_store), bob) == answer
        assert way.swallowed == 1
    assert broken(laid) == []


def test_a_page_says_that_the_vote_is_counted(laid: Store, make_store: MakeStore, settings: Settings) -> None:
    laid.users.set_password("bob", passwords.hash_password(PASSWORD))
    with proxy(settings.redis_url.removeprefix("unix://")) as way:
        bob = Browser(create_app(settings, make_store(redis_url=way.url))).log_in("bob")
        token = bob.token()
        way.swallows = 1
        bob.post("/a/1/vote", {"csrf_token": token}, headers=JSON)
        assert (bob.status, bob.answer.json) == (200, {"id": 1, "votes": 2, "voted": True})
        assert way.swallowed == 1
    assert laid.articles.get(1).votes == 2
