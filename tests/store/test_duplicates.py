"""Duplicates: a link posted again within thirty days leads to the earlier article."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core import links
from voteweb.core.config import LINK_SECONDS
from voteweb.core.errors import Duplicate
from voteweb.store import Store

LINK = "https://example.com/story"
KEY = f"link:{links.digest(LINK)}"


def post(store: Store, name: str = "ann", link: str = LINK, *, allow_duplicate: bool = False) -> int:
    draft = factories.draft(link=link)
    return store.articles.post(draft, factories.user(store, name), factories.token(), allow_duplicate=allow_duplicate)


def duplicate_of(store: Store, link: str = LINK) -> int:
    """Return the article that is shown in place of a second posting of *link*, which is refused."""
    with pytest.raises(Duplicate):
        post(store, link=link)
    earlier = store.articles.find_duplicate(link, time.time())
    assert earlier is not None
    return earlier.id


def test_a_link_posted_again_is_refused_unless_deliberately(store: Store) -> None:
    first = post(store, "bob")
    factories.user(store)
    before = snapshot(store) | {"article:": None}
    assert duplicate_of(store) == duplicate_of(store, link="http://www.example.com/story/?utm_source=x#top") == first
    assert snapshot(store) | {"article:": None} == before
    again = store.articles.get(post(store, allow_duplicate=True))
    assert (duplicate_of(store), ids(store, KEY)) == (again.id, [again.id, first])
    for _ in range(2):
        assert 0 <= run(store, "EXPIRETIME", KEY) - (again.time + LINK_SECONDS) <= 1
        factories.imported(store, time=time.time() - 86_400, link=LINK)  # an older one makes it no shorter
    assert post(store, link="") != post(store, link="")
    assert run(store, "KEYS", "link:*") == [KEY]
    assert broken(store) == []


def test_the_most_voted_of_thirty_days_is_shown(store: Store) -> None:
    factories.imported(store, time=time.time() - LINK_SECONDS - 60, link=LINK)
    assert ids(store, KEY) == []
    day_ago = time.time() - 86_400
    for votes in (3, 41, 7):
        factories.imported(store, title=f"{votes} votes", time=day_ago + votes, votes=votes, link=LINK)
    expired = factories.imported(store, time=time.time() - LINK_SECONDS - 60, votes=2_553, link=LINK)
    run(store, "ZADD", KEY, expired.time, f"article:{expired.id}")  # as if it had been posted when it was new
    post(store, allow_duplicate=True)
    assert store.articles.get(duplicate_of(store)).title == "41 votes"
    for id in (2, 3, 4, 6):
        run(store, "ZADD", KEY, time.time() - LINK_SECONDS - 60, f"article:{id}")
    post(store)  # the link is new again


def test_links_of_deleted_and_removed_articles_can_be_posted_again(store: Store) -> None:
    store.removals.delete(post(store), factories.user(store))
    factories.remove(store, post(store))
    assert ids(store, KEY) == []
    again = post(store)
    factories.restore(store, 2)
    assert ids(store, KEY) == [again, 2]
    assert broken(store) == []


def test_what_is_no_link_or_time_stops_no_post(store: Store) -> None:
    for link in ("http://[no address", "http://example.com:port/", "javascript:void(0)", "no link"):
        article = factories.article(store, link=link)
        assert broken(store) == []
        factories.remove(store, article.id)
    assert broken(store) == []
    run(store, "ZADD", KEY, "inf", "article:77")
    before = time.time() + LINK_SECONDS
    post(store, allow_duplicate=True)
    assert before < run(store, "EXPIRETIME", KEY) < before + 60
