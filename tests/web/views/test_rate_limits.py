"""Rate limits of members: whose acts they count, and how a refusal is shown."""

import pytest

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.limits import assert_too_fast, use_up
from voteweb.core import rate_limits, validation
from voteweb.core.rate_limits import REFUSED_FORMS, Limit
from voteweb.store import Store

pytestmark = [pytest.mark.site(limits=1), pytest.mark.usefixtures("_stopped_limits")]


@pytest.fixture
def vote_limit() -> Limit:
    limit = rate_limits.member_limit("votes.vote", "POST")
    assert limit is not None
    return limit


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article by ann."""
    factories.article(store)


def test_refused_vote_offers_the_way_back_to_its_list(vote_limit: Limit, bob: Browser, store: Store) -> None:
    for _ in range(vote_limit.burst // 2):
        bob.open("/new").press("/a/1/vote")
        bob.open("/new").press("/a/1/unvote")
    assert_too_fast(bob.open("/new").press("/a/1/vote"), vote_limit)
    assert bob.page.one("main").one("a", class_="button-secondary")["href"] == "/new#a1"


def test_refused_forms_do_not_use_up_a_members_articles(bob: Browser, store: Store) -> None:
    limit = rate_limits.member_limit("submission.submit", "POST")
    assert limit is not None
    for number in range(4):
        bob.fill_in("/submit", title="Mine", link=f"https://example.com/{number}")
        assert bob.status == 303
    refused = [{"title": "no link"}, {"title": "Again", "link": "https://example.com/0"}, {"title": "", "text": "x"}]
    for number in range(limit.burst - 4):
        assert bob.fill_in("/submit", **refused[number % 3]).status == 422
    for number in range(4, limit.burst):
        bob.fill_in("/submit", title="Mine", link=f"https://example.com/{number}")
        assert bob.status == 303, number
    bob.fill_in("/submit", title="One more", link="https://example.com/last")
    assert_too_fast(bob, limit)
    assert f"The limit is {limit.burst} articles, then one in 24 min: the next in 24 min, at " in bob.alert


def test_refused_act_of_an_ended_session_is_not_refunded(bob: Browser, store: Store) -> None:
    limit = rate_limits.member_limit("my_site.mark_read", "POST")
    assert limit is not None
    store.users.end_sessions("bob")
    use_up(store, limit, "bob")
    bob.send("/inbox/read")
    assert use_up(store, limit, "bob") == 0


def test_what_a_script_is_refused_does_not_count(mod: Browser, store: Store) -> None:
    limit = rate_limits.member_limit("moderation.set_groups", "POST")
    assert limit is not None
    for fields in ({"add": "nowhere"}, {"add": "!"}, {"remove": "x" * 99}):
        mod.send("/a/1/groups", headers=JSON, **fields)
        assert 400 <= mod.status < 500
    assert use_up(store, limit, "mod") == limit.burst


def test_too_many_forms_with_errors_are_refused_unchecked(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = rate_limits.member_limit("submission.submit", "POST")
    assert limit is not None
    use_up(store, REFUSED_FORMS, "submit bob")
    monkeypatch.setattr(validation, "clean_line", lambda typed, max_length: pytest.fail("a field was checked"))
    for _ in range(limit.burst + 1):
        bob.send("/submit", title="Überall", text="kept")
        assert_too_fast(bob, REFUSED_FORMS)
        assert bob.value("title") == "Überall"
    assert store.limits.hit([(limit, "bob")]) is None, "what was refused is refunded"


def test_refused_signups_are_counted_by_address(reader: Browser) -> None:
    for _ in range(REFUSED_FORMS.burst):
        assert reader.fill_in("/signup", username="a", password=PASSWORD).status == 422
    reader.fill_in("/signup", username="carl", password=PASSWORD)
    assert_too_fast(reader, REFUSED_FORMS)
