"""The page of a member."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.test_articles import titles
from voteweb.core.models import Role
from voteweb.store import Store


def test_a_member_is_shown_with_the_own_articles_newest_first(reader: Browser, fake_store: Store) -> None:
    for title in ("First", "Second"):
        factories.article(fake_store, title=title)
    factories.article(fake_store, factories.user(fake_store, "bob"), title="Not ann's")
    assert titles(reader.open("/u/ann")) == ["Second", "First"]
    assert reader.heading == "ann"
    assert reader.page.one("p", class_="lead").words.startswith("Member since ")
    assert reader.page.one("p", class_="total").words == "2 articles"


@pytest.mark.parametrize(("role", "word"), [(Role.MODERATOR, "Moderator · "), (Role.ADMIN, "Admin · ")])
def test_who_has_a_say_is_named(role: Role, word: str, reader: Browser, fake_store: Store) -> None:
    factories.user(fake_store, "ann", role)
    assert reader.open("/u/ann").page.one("p", class_="lead").words.startswith(f"{word}Member since")


def test_a_member_without_articles_is_shown_all_the_same(reader: Browser, fake_store: Store) -> None:
    factories.user(fake_store, "Carl")
    assert reader.open("/u/cARL").status == 200
    assert reader.heading == "Carl"
    assert reader.page.one("div", class_="empty").words == "Carl has not posted anything yet."


@pytest.mark.parametrize("name", ["nobody", "x", "x" * 21, "<b>", "user:1", "编程", "a b", "%ff", "a%0ab", ".."])
def test_a_member_who_is_none_is_404(name: str, reader: Browser, fake_store: Store) -> None:
    factories.user(fake_store, "ann")
    reader.open(f"/u/{name}")
    assert reader.status == 404
    assert reader.page.one("main").one("a", href="/")


def test_an_imported_poster_is_a_member_with_a_page(reader: Browser, fake_store: Store) -> None:
    factories.imported(fake_store, poster="Zoe", title="From elsewhere")
    assert titles(reader.open("/u/zoe")) == ["From elsewhere"]
    assert reader.heading == "Zoe"
