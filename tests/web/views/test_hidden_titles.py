"""A removal that hides the title of an article: who still reads it, and where nobody else does."""

from urllib.parse import urlsplit

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core.models import Reason
from voteweb.store import Store

TITLE = "Zoe lives at 7 Elm Street"
#: What others than moderators and its poster can open, with "{saved}" for a secret feed.
PUBLIC = (
    "/", "/new", "/log", "/log?q=Elm", "/log?who=mod", "/log.atom", "/log.json", "/u/ann", "/u/bob", "/u/bob/comments",
    "/comments", "/comments.atom", "/feed.atom", "/a/1", "/a/1/c/1", "/search?q=Elm", "/sitemap.xml", "/stats",
    "{saved}",
)  # fmt: skip
OWN = ("/saved", "/hidden", "/inbox/all", "/votes", "/account/data")


@pytest.fixture(autouse=True)
def article(store: Store, bob: Browser) -> str:
    """An article of ann's that bob has saved, hidden, reported, voted for and commented on; return his secret feed."""
    factories.article(store, title=TITLE, groups=("redis",))
    factories.comment(store, 1, store.users.get("bob"), text="Oh.")
    store.reports.make(1, store.users.get("bob"), Reason.SPAM, "")
    for act in ("vote", "save", "hide"):
        bob.send(f"/a/1/{act}")
    bob.open("/account/access").submit("/saved/feed", act="renew", **{"own-password": PASSWORD})
    feed = bob.follow().flashes[0]
    return urlsplit(feed.rsplit(" ", 1)[1]).path


def pages_with_title(person: Browser, paths: tuple[str, ...], feed: str) -> list[str]:
    return [path for path in paths if "Elm Street" in person.open(path.format(saved=feed)).text.replace("\\", "")]


def test_nobody_else_reads_a_hidden_title(
    ann: Browser, mod: Browser, bob: Browser, reader: Browser, article: str
) -> None:
    mod.send("/a/1/c/1/remove", reason="Spam.")
    assert set(pages_with_title(reader, PUBLIC, article)) >= {"/", "/log", "/log?q=Elm", "/log.atom", "{saved}"}
    mod.open("/a/1").submit("/a/1/remove", reason="Where somebody lives.", **{"hide-title": "1"})
    assert pages_with_title(reader, PUBLIC, article) == []
    assert pages_with_title(bob, PUBLIC + OWN, article) == []
    assert "An article" in bob.open("/saved").page.one("li", id="a1").text
    assert "removed “an article”" in ann.open("/inbox/all").text
    assert pages_with_title(ann, ("/log", "/log.atom", "/a/1", "/u/ann"), article) == ["/a/1", "/u/ann"]
    assert "its title is hidden, also in the log" in mod.open("/a/1").page.one("div", role="note").text
    assert mod.open("/log").text.count(TITLE) == 2

    mod.open("/log").submit("/log/2/undo")
    assert pages_with_title(reader, PUBLIC, article)[:2] == ["/", "/new"]
    assert reader.open("/log").text.count(TITLE) == 3
    assert reader.open("/log?q=Elm").page.all("ol", class_="log")


def test_what_is_done_to_it_meanwhile_is_logged_without_it(
    ann: Browser, mod: Browser, reader: Browser, article: str
) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Where somebody lives.", **{"hide-title": "1"})
    ann.open("/a/1").submit("/a/1/answer", answer="It is a novel.")
    for act in ("keep-removed", "c/1/remove", "c/1/restore", "reopen", "dismiss", "groups", "close"):
        mod.send(f"/a/1/{act}", reason="Off topic.", add="python")
    assert "/a/1" in mod.open("/log").text
    assert pages_with_title(reader, PUBLIC, article) == []
    assert pages_with_title(ann, ("/inbox/all",), article) == []


def test_the_title_of_a_removed_article_can_be_hidden_later(mod: Browser, reader: Browser, article: str) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Spam.")
    assert pages_with_title(reader, ("/log",), article) == ["/log"]
    form = mod.open("/a/1").form("/a/1/remove")
    assert form.one("input", name="hide-title")["checked"] == ""
    mod.submit("/a/1/remove", reason="")
    assert mod.page.one("input", name="hide-title")["checked"] == "", "a refused form keeps the choice"
    mod.submit("/a/1/remove", reason="Where somebody lives.")
    assert pages_with_title(reader, PUBLIC, article) == []
    assert not mod.open("/a/1").page.all("form", action="/a/1/remove")
    mod.submit("/a/1/restore")
    assert pages_with_title(reader, ("/", "/log"), article) == ["/", "/log"]
