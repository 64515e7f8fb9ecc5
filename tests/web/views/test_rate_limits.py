"""Rate limits of members: whose acts they count, and how a refusal is shown."""

from dataclasses import replace

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from tests.web.limits import assert_too_fast, use_up
from voteweb.core import rate_limits
from voteweb.core.config import Settings
from voteweb.core.rate_limits import Limit
from voteweb.store import Store


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site with limits."""
    return replace(settings, limits=1)


@pytest.fixture
def vote_limit() -> Limit:
    limit = rate_limits.member_limit("votes.vote", "POST")
    assert limit is not None
    return limit


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article by ann."""
    factories.article(store)


def test_members_are_limited_independently(
    vote_limit: Limit, bob: Browser, make_member: MakeMember, store: Store
) -> None:
    carl = make_member("Carl")
    use_up(store, vote_limit, "carl")
    assert bob.open("/").press("/a/1/vote").status == 303
    assert carl.open("/").press("/a/1/vote").status == 429


def test_refused_vote_offers_the_way_back_to_its_list(vote_limit: Limit, bob: Browser, store: Store) -> None:
    for _ in range(vote_limit.burst // 2):
        bob.open("/new").press("/a/1/vote")
        bob.open("/new").press("/a/1/unvote")
    assert bob.status == 303
    bob.open("/new").press("/a/1/vote")
    assert_too_fast(bob, vote_limit)
    assert bob.heading == "Too many requests"
    assert bob.page.one("main").one("a", class_="button")["href"] == "/new#a1"
    assert store.articles.get(1).votes == 1


def test_script_gets_the_refusal_in_the_readers_language(vote_limit: Limit, bob: Browser, store: Store) -> None:
    use_up(store, vote_limit, "bob")
    bob.post("/a/1/vote", headers=JSON | {"X-CSRFToken": bob.csrf_token(), "Accept-Language": "zh"})
    error = bob.response.json["error"]
    assert (bob.status, set(error), error["code"]) == (429, {"code", "message"}, "too-fast")
    assert "投票" in error["message"]


def test_request_of_an_ended_session_is_not_counted(vote_limit: Limit, bob: Browser, store: Store) -> None:
    token = bob.csrf_token()
    store.users.end_sessions("bob")
    for _ in range(vote_limit.burst + 1):
        bob.post("/a/1/vote", {"csrf_token": token})
        assert (bob.status, bob.location) == (303, "/login?next=/a/1%23a1")
    assert store.rate_limits.hit([(vote_limit, "bob")]) is None
