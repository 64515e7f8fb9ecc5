"""The page of a member."""

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.core.models import Role
from voteweb.store import Store


def test_member_is_shown_with_their_articles_newest_first(reader: Browser, store: Store) -> None:
    for title in ("First", "Second"):
        factories.article(store, title=title)
    factories.article(store, factories.user(store, "bob"), title="Not ann's")
    assert reader.open("/u/ann").titles == ["Second", "First"]
    assert reader.heading == "ann"
    assert reader.intro.startswith("Member since ")
    assert reader.page.one("p", class_="total").text == "2 articles"


@pytest.mark.parametrize(("role", "label"), [(Role.MODERATOR, "Moderator · "), (Role.ADMIN, "Admin · ")])
def test_role_is_shown(role: Role, label: str, reader: Browser, store: Store) -> None:
    factories.user(store, "ann", role)
    assert reader.open("/u/ann").intro.startswith(f"{label}Member since")


def test_member_without_articles_has_a_page(reader: Browser, store: Store) -> None:
    factories.user(store, "Carl")
    assert reader.open("/u/cARL").status == 200
    assert reader.heading == "Carl"
    assert reader.page.one("div", class_="empty").text == "Carl has not posted anything yet."


@pytest.mark.parametrize("name", ["nobody", "x", "x" * 21, "<b>", "user:1", "编程", "a b", "%ff", "a%0ab", ".."])
def test_unknown_member_is_404(name: str, reader: Browser, store: Store) -> None:
    factories.user(store, "ann")
    reader.open(f"/u/{name}")
    assert reader.status == 404
    assert reader.page.one("main").one("a", href="/")


def test_imported_poster_has_a_page(reader: Browser, store: Store) -> None:
    factories.imported(store, poster="Zoe", title="From elsewhere")
    assert reader.open("/u/zoe").titles == ["From elsewhere"]
    assert reader.heading == "Zoe"
