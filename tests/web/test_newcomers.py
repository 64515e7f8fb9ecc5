"""Newcomers: members who signed up lately vote and post less, and are told so."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import pytest

from tests import factories
from tests.store.examination import server_setting
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeBrowser, MakeMember
from tests.web.limits import assert_too_fast, use_up
from voteweb.core.models import DomainAction, LogAction, LogEntry, Role
from voteweb.core.rate_limits import NEWCOMER_POSTS, NEWCOMER_VOTE, member_limit
from voteweb.store import Store

pytestmark = pytest.mark.site(limits=1)

WEEK = 7 * 86_400


@pytest.fixture
def newcomer(reader: Browser) -> Browser:
    """A member who has just signed up."""
    return sign_up(reader)


def sign_up(browser: Browser) -> Browser:
    return browser.fill_in("/signup", username="carl", password=PASSWORD)


def vote_for(browser: Browser, store: Store, count: int) -> list[int]:
    """Return the statuses of votes for this many new articles."""
    return [browser.send(f"/a/{factories.article(store).id}/vote").status for _ in range(count)]


def post(browser: Browser, title: str = "A new title") -> Browser:
    return browser.fill_in("/submit", title=title, text="Some text")


def join_earlier(store: Store, seconds: float) -> None:
    """Move the time at which carl signed up into the past."""
    key = store.keys.user("carl")
    signed_up = float(store.connection.client.hget(key, "signed-up"))
    store.connection.client.hset(key, "signed-up", signed_up - seconds)


def test_newcomer_votes_less_and_is_told_why(newcomer: Browser, store: Store) -> None:
    assert vote_for(newcomer, store, NEWCOMER_VOTE.burst + 1) == [303] * NEWCOMER_VOTE.burst + [429]
    assert_too_fast(newcomer, NEWCOMER_VOTE)
    assert newcomer.intro.startswith("For your first 7 days the limit is 40 votes, then one in 1 min: the next in ")
    newcomer.send("/a/1/unvote", headers=JSON)
    assert (newcomer.status, newcomer.json["error"]["code"]) == (429, "too-fast")
    assert re.search(r', at <time datetime="[^"]+Z">[^<]+ UTC</time>\.$', newcomer.json["error"]["html"])


def test_newcomer_posts_less_and_keeps_what_was_typed(newcomer: Browser, store: Store) -> None:
    for number in range(NEWCOMER_POSTS[0].burst):
        assert post(newcomer, "").status == 422, "a form that is refused is no article"
        assert post(newcomer, f"Title {number}").status == 303
    post(newcomer, "One more title")
    assert_too_fast(newcomer, NEWCOMER_POSTS[0])
    assert newcomer.value("title") == "One more title"
    assert int(store.connection.client.zcard("time:")) == NEWCOMER_POSTS[0].burst


@contextmanager
def banned_meanwhile(store: Store) -> Iterator[None]:
    """Ban carl when the request has read who sent it, and has not posted yet."""
    script = store.connection.script

    def run_after_ban(name: str, /, **values: Any) -> Any:
        if name == "post_article":
            factories.ban(store, "carl")
        return script(name, **values)

    with patch.object(store.connection, "script", run_after_ban):
        yield


@contextmanager
def damaged(store: Store) -> Iterator[None]:
    """Give the ranking of good articles another type."""
    store.connection.client.set("good:", "no ranking")
    yield


#: Posts that only the store refuses: the status, what is typed besides the title, and what the site is like meanwhile.
REFUSED_POSTS: dict[str, tuple[int, dict[str, str], Callable[[Store], AbstractContextManager[None]]]] = {
    "duplicate": (422, {"link": "https://taken.example/"}, nullcontext),
    "refused domain": (422, {"link": "https://spam.example/"}, nullcontext),
    "unknown group": (422, {"text": "Some text", "groups": "nowhere"}, nullcontext),
    "banned meanwhile": (422, {"text": "Some text"}, banned_meanwhile),
    "full memory": (503, {"text": "Some text"}, lambda store: server_setting(store, "maxmemory", 1)),
    "damaged data": (503, {"text": "Some text"}, damaged),
}


@pytest.mark.parametrize("name", REFUSED_POSTS)
def test_refused_post_costs_no_article_of_a_limit(name: str, newcomer: Browser, store: Store) -> None:
    status, typed, meanwhile = REFUSED_POSTS[name]
    limit = member_limit("submission.submit", "POST")
    assert limit is not None
    factories.article(store, link="https://taken.example/")
    entry, mod = LogEntry(LogAction.DOMAIN, "mod", title="spam.example"), factories.user(store, "mod", Role.MODERATOR)
    store.domain_rules.set("spam.example", DomainAction.REFUSE, entry, actor=mod)
    newcomer.open("/submit")
    with meanwhile(store):
        assert newcomer.submit("/submit", title="Mine", **typed).status == status
    limits = (limit, *NEWCOMER_POSTS)
    assert [use_up(store, each, "carl") for each in limits] == [each.burst for each in limits]


@pytest.mark.parametrize(("days", "age", "expected"), [(7, WEEK - 60, 429), (7, WEEK + 60, 303), (0, 0, 303)])
def test_member_is_a_newcomer_for_a_week_or_as_configured(
    days: int, age: float, expected: int, make_browser: MakeBrowser, store: Store
) -> None:
    newcomer = sign_up(make_browser(newcomer_days=days))
    join_earlier(store, age)
    assert vote_for(newcomer, store, NEWCOMER_VOTE.burst + 1)[-1] == expected
    for _ in range(NEWCOMER_POSTS[0].burst + 1):
        post(newcomer)
    assert newcomer.status == expected


def test_moderators_imported_and_operator_made_members_are_no_newcomers(
    newcomer: Browser, bob: Browser, make_member: MakeMember, store: Store
) -> None:
    store.users.set_role("carl", Role.MODERATOR)
    factories.imported(store, poster="dora")
    for member in (newcomer, bob, make_member("dora")):
        assert set(vote_for(member, store, NEWCOMER_VOTE.burst + 1)) == {303}
        assert {post(member).status for _ in range(NEWCOMER_POSTS[0].burst + 1)} == {303}
