"""Held articles: seen by their poster and moderators, released or refused from the queue of reports."""

import pytest

from tests import factories
from tests.web.browser import Browser, fields_of
from tests.web.conftest import MakeBrowser
from voteweb.core.models import DomainAction, LogAction, LogEntry
from voteweb.store import Store

pytestmark = pytest.mark.site(hold_posts=1)

WAITS = "Your article waits for a moderator: until then only you and moderators see it."


@pytest.fixture
def new(make_browser: MakeBrowser) -> Browser:
    """The browser of a new member whose first article waits."""
    new = make_browser()
    new.fill_in("/signup", username="newcomer", password="a long enough secret")
    new.fill_in("/submit", title="First words", link="https://first.example/")
    return new


def id_of(browser: Browser) -> str:
    return browser.location.rpartition("/")[2]


def test_newcomers_are_told_before_and_after_that_their_article_waits(make_browser: MakeBrowser, bob: Browser) -> None:
    new = make_browser()
    assert new.open("/submit").location.startswith("/login")
    new.fill_in("/signup", username="newcomer", password="a long enough secret")
    for browser, waits in ((bob, False), (new, True)):
        assert ("a moderator looks at this article" in browser.open("/submit").main) == waits
    new.fill_in("/submit", title="First words", link="https://first.example/")
    (box,) = new.follow().page.all(class_="flash")
    assert box.text.startswith(WAITS)
    own_page = box.one("a")["href"]
    assert "First words" in new.open(own_page).main
    assert "No article by newcomer is listed." not in new.main


def test_only_poster_and_moderators_see_what_waits(new: Browser, mod: Browser, bob: Browser, reader: Browser) -> None:
    path = f"/a/{id_of(new)}"
    for browser in (bob, reader):
        assert browser.open(path).status == 410
        assert browser.intro.startswith("This article waits for a moderator.")
    for page in ("/u/newcomer", "/new.atom", "/d/first.example", "/sitemap-1.xml", f"{path}.atom"):
        assert "First words" not in reader.open(page).text
    for browser in (new, mod):
        assert not browser.open(path).page.all("a", href="/d/first.example")
        assert browser.open("/u/newcomer").page.one("ul", class_="held-articles").text == "First words"
    assert "voting closed" not in mod.open(path).main
    for browser in (bob, reader):
        for act in ("comment", "c/1/edit", "edit"):
            browser.send(f"{path}/{act}", text="What is it?")
            assert "First words" not in browser.text, act
    new.fill_in("/submit", title="Again", link="https://first.example/#top")
    assert "Your article waits for a moderator." in new.field_error("link")
    bob.fill_in("/submit", title="Mine", link="https://first.example/")
    assert bob.status == 303


def test_a_form_sent_twice_leads_to_the_waiting_article(new: Browser) -> None:
    sent = fields_of(new.open("/submit").form("/submit")) | {"title": "More", "link": "https://more.example/"}
    assert [new.post("/submit", sent).location for _ in range(2)] == ["/a/2", "/a/2"]


def test_moderator_releases_what_they_have_seen(new: Browser, mod: Browser, reader: Browser) -> None:
    path = f"/a/{id_of(new)}"
    assert "Articles that wait for a look 1" in mod.open("/queue").main
    new.fill_in(f"{path}/edit", title="Cheap pills")
    mod.submit(f"{path}/release")
    assert mod.follow().flashes == ["Somebody else is changing this article right now. Please try again."]
    assert reader.open(path).status == 410
    mod.submit(f"{path}/release")
    assert mod.follow().flashes == ["The article has been published. Its time is that of now."]
    assert reader.open("/new").titles == ["Cheap pills"]
    assert "mod published “Cheap pills”" in new.open("/inbox").main


def test_second_of_two_edits_keeps_what_was_typed(new: Browser) -> None:
    path = f"/a/{id_of(new)}/edit"
    sent = fields_of(new.open(path).form(path))
    assert "You can change your article until" not in new.main
    new.post(path, sent | {"title": "Better words"})
    new.post(path, sent | {"title": "My words"})
    assert new.alert.startswith("Somebody has changed this article since you opened this form")
    assert new.value("title") == "My words"


def test_queue_names_the_rule_that_holds_an_article(new: Browser, mod: Browser, store: Store) -> None:
    rule = LogEntry(LogAction.DOMAIN, "mod", title="look.example", why="A look first.")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=mod.user)
    member = store.users.make("other", "", network="")
    held = store.articles.post(factories.draft(link="https://www.look.example/"), member, factories.token())
    row = mod.open("/queue").page.by_id(f"a{held}")
    assert "look.example is held for a look: A look first." in " ".join(row.text.split())
    assert "is held" not in mod.page.by_id(f"a{id_of(new)}").text
