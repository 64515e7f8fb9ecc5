"""A vote that a reader presses is cast by the log-in or sign-up that follows, and by nothing else."""

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core import config
from voteweb.core.models import Article
from voteweb.store import Store


@pytest.fixture
def article(store: Store) -> Article:
    return factories.article(store, factories.user(store, "ann"), title="A <kind> title")


def press(reader: Browser, address: str = "/new", button: str = "/a/1/vote") -> Browser:
    return reader.open(address).press(button).follow()


def test_login_casts_the_vote_and_returns_to_its_place(
    article: Article, bob: Browser, reader: Browser, store: Store
) -> None:
    press(reader)
    assert reader.intro == "Log in to vote for “A <kind> title”."
    assert reader.headers["Cache-Control"] == "private, no-store"
    reader.submit("/login", username="bob", password="wrong password")
    assert reader.intro == "Log in to vote for “A <kind> title”."
    assert reader.submit("/login", username="bob", password=PASSWORD).location == "/new#a1"
    assert reader.follow().flashes == ["Your vote for “A <kind> title” has been counted."]
    assert store.articles.get(1).votes == 2


def test_links_between_login_pages_keep_the_vote(article: Article, reader: Browser, store: Store) -> None:
    press(reader)
    for link in ("Sign up", "Log in", "Forgot your password?", "Sign up", "Log in", "Create an account"):
        reader.open(next(a["href"] for a in reader.page.all("a") if a.text == link))
    assert "Sign up to vote for “A <kind> title”." in reader.main
    reader.submit("/signup", username="carl", password="short")
    reader.open(next(a["href"] for a in reader.page.all("a") if a.text == "Sign up"))
    reader.submit("/signup", username="carl", password=PASSWORD).follow()
    assert reader.page.one("p", class_="buttons").one("a", href="/new#a1").text == "Later"
    assert reader.flashes[-1] == "Your vote for “A <kind> title” has been counted."
    assert store.articles.get(1).votes == 2


def test_login_casts_a_vote_on_a_comment(article: Article, bob: Browser, reader: Browser, store: Store) -> None:
    factories.comment(store, 1, store.users.get("ann"))
    press(reader, "/a/1", "/a/1/c/1/vote")
    assert reader.intro == "Log in to vote for a comment on “A <kind> title”."
    reader.submit("/login", username="bob", password=PASSWORD)
    assert reader.location == "/a/1#c1"
    assert reader.follow().flashes == ["Your vote for the comment has been counted."]
    assert factories.thread(store).nodes[1].votes == 1


def test_what_is_refused_after_login_is_said(article: Article, ann: Browser, reader: Browser) -> None:
    press(reader).submit("/login", username="ann", password=PASSWORD)
    assert reader.follow().flashes == ["You have already voted for this article."]


def test_foreign_or_old_links_and_forms_cast_no_vote(
    article: Article, bob: Browser, reader: Browser, app: Flask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = press(Browser(app)).value("vote")
    for query in ("vote=1", f"vote={others}"):
        reader.open(f"/login?next=/new&{query}")
        assert not reader.page.all("p", class_="intro")
        assert not reader.page.all("input", name="vote")
        reader.submit("/login", username="bob", password=PASSWORD, vote=others)
        assert reader.follow().flashes == [
            "Your vote was not cast, because you pressed it too long ago. Please press it again."
        ]
        reader.client.delete_cookie("voteweb")
    reader.client.post("/a/1/vote", headers={"Origin": "http://evil.example"})
    press(reader)
    monkeypatch.setattr(config, "PENDING_VOTE_SECONDS", -1)
    reader.submit("/login", username="bob", password=PASSWORD)
    assert "too long ago" in reader.follow().flashes[0]
    assert store.articles.get(1).votes == 1
