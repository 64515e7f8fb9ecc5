"""One link, posted twice: asked about for thirty days."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, ids, run, snapshot
from tests.store.test_races import at_once
from voteweb.core import links
from voteweb.core.config import LINK_SECONDS
from voteweb.core.errors import Duplicate
from voteweb.core.models import Draft, LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

LINK = "https://example.com/story"
KEY = f"link:{links.digest(LINK)}"


def post(store: Store, name: str = "ann", link: str = LINK, *, anyway: bool = False) -> int:
    draft = factories.draft(link=link, text="text")
    return store.articles.post(draft, factories.user(store, name), factories.token(), anyway=anyway)


def duplicate_of(store: Store, **how: str) -> int:
    with pytest.raises(Duplicate) as refusal:
        post(store, **how)
    return int(refusal.value.values["id"])


def test_a_link_posted_again_leads_to_the_article_that_has_it(store: Store) -> None:
    first = post(store)
    before = snapshot(store) | {"article:": None}
    assert duplicate_of(store) == duplicate_of(store, link="http://www.example.com/story/?utm_source=x#top") == first
    assert snapshot(store) | {"article:": None} == before


def test_whoever_wants_posts_it_anyway_and_the_newest_is_shown(store: Store) -> None:
    post(store)
    again = post(store, allow_duplicate=True)
    assert duplicate_of(store) == again
    assert ids(store, KEY) == [again, 1]
    assert broken(store) == []


def test_articles_without_a_link_are_never_the_same(store: Store) -> None:
    assert [post(store, link="") for _ in range(3)] == [1, 2, 3]
    assert run(store, "KEYS", "link:*") == []


def test_a_form_sent_twice_leads_to_its_own_article_and_is_no_duplicate(store: Store) -> None:
    ann, draft = factories.user(store), factories.draft(link=LINK)
    assert store.articles.post(draft, ann, "form-0001") == store.articles.post(draft, ann, "form-0001")


@pytest.mark.parametrize(("days", "known"), [(29.9, True), (30.1, False)])
def test_after_thirty_days_a_link_is_new_again(store: Store, days: float, known: bool) -> None:
    story = factories.imported(store, time=time.time() - days * 86_400, link=LINK)
    if known:
        assert duplicate_of(store) == story.id
    else:
        assert ids(store, KEY) == []
        assert post(store) == 2


def test_an_article_past_its_thirty_days_is_not_asked_about_because_a_younger_one_keeps_the_key(store: Store) -> None:
    article = factories.article(store, link=LINK)
    run(store, "ZADD", KEY, article.time - LINK_SECONDS - 60, "article:1")  # as if it were 30 days and a minute old
    assert run(store, "TTL", KEY) > 0
    assert post(store) == 2


def test_the_key_goes_thirty_days_after_the_newest(store: Store) -> None:
    post(store)
    newest = store.articles.get(post(store, allow_duplicate=True))
    assert 0 <= run(store, "EXPIRETIME", KEY) - (newest.time + LINK_SECONDS) <= 1
    factories.imported(store, time=time.time() - 86_400, link=LINK)  # an older one makes it no shorter
    assert 0 <= run(store, "EXPIRETIME", KEY) - (newest.time + LINK_SECONDS) <= 1


def test_an_imported_link_is_known(store: Store) -> None:
    story = factories.imported(store, time=time.time() - 3_600, link="http://www.example.com/story")
    assert duplicate_of(store) == story.id


def test_what_was_deleted_or_removed_can_be_posted_again(store: Store) -> None:
    ann = factories.user(store)
    for take_down in (
        lambda id: store.removals.delete(id, ann),
        lambda id: store.removals.remove(id, NewLogEntry(LogAction.REMOVE, "Mod", article=id, why="spam")),
    ):
        take_down(post(store))
        assert ids(store, KEY) == []
    again = post(store)
    store.removals.restore(2, NewLogEntry(LogAction.RESTORE, "Mod", article=2))
    assert ids(store, KEY) == [again, 2]
    assert broken(store) == []


def test_a_link_that_was_edited_away_can_be_posted_again(store: Store) -> None:
    first = post(store)
    store.articles.edit(first, Draft("Another story", "https://other.example/", ""), factories.user(store))
    assert post(store) == 2
    assert duplicate_of(store, link="https://other.example/") == first


def test_twenty_who_send_one_link_at_once_get_one_article(store: Store) -> None:
    names = [f"member{i}" for i in range(20)]
    for name in names:
        factories.user(store, name)
    answers = at_once([lambda name=name: post(store, name) for name in names])  # type: ignore[misc]
    made = [answer for answer in answers if answer is not Duplicate]
    assert len(made) == 1
    assert ids(store, "time:") == ids(store, KEY) == made
    assert broken(store) == []


@pytest.mark.parametrize("link", ["http://[no address", "http://example.com:port/", "javascript:void(0)", "no link"])
def test_what_another_program_stored_as_a_link_stops_nothing(store: Store, link: str) -> None:
    factories.article(store, link=link)
    assert broken(store) == []
    store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "Mod", article=1, why="spam"))
    assert broken(store) == []
