"""Damaged conversations: no page fails on them, whatever the doctor finds."""

import random

import pytest

from tests import factories
from tests.store.conversations import store_damageable
from tests.store.doctor.conversation_damages import CONVERSATION_DAMAGES
from tests.store.doctor.damages import spoil
from tests.store.examination import broken_keys
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from voteweb.store import Store
from voteweb.store.scan.scanner import batched

PAGES = [
    *("/", "/new", "/a/2", "/a/2?order=new", "/a/2?order=time&page=2", "/a/2.atom", "/a/2.json", "/a/2/comment"),
    *(f"/a/2/c/{number}" for number in (1, 2, 3, 4, 5, 7, 8, 77)),
    *("/a/2/c/5/reply", "/a/2/c/5/reply?quote=1", "/a/2/c/8/edit", "/a/2/c/2/report", "/a/2/c/2.atom"),
    *("/comments", "/comments.atom", "/comments.json", "/u/ann", "/u/ann/comments", "/u/bob/comments", "/inbox/all"),
    *("/u/ann/comments.atom", "/queue", "/log", "/account"),
]


@pytest.fixture
def site(store: Store) -> Store:
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, link="")
    factories.article(store, bob, link="", groups=("java",))
    store_damageable(store, 2, ann, bob)
    return store


def assert_no_page_fails(*people: Browser) -> None:
    for person in people:
        for page in PAGES:
            assert person.open(page).status < 500, page


@pytest.mark.parametrize("seed", range(2))
def test_no_page_fails_on_damaged_conversations(site: Store, make_member: MakeMember, seed: int) -> None:
    commands = (damage if isinstance(damage, str) else damage[0] for damage in CONVERSATION_DAMAGES)
    damages = [command for command in commands if not command.startswith("DEL article")]
    random.Random(seed).shuffle(damages)
    people = (make_member("ann"), make_member("bob"))
    for count, batch in enumerate(batched(damages, 10)):
        for command in batch:
            spoil(site, command)
        assert_no_page_fails(people[count % 2])


def test_no_page_fails_on_a_conversation_of_no_article(site: Store, reader: Browser, ann: Browser) -> None:
    site.connection.client.delete(site.keys.article(2))
    assert_no_page_fails(reader, ann)
    assert "thread:2" in broken_keys(site)
