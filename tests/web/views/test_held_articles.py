"""Held articles: seen by their poster and moderators, released or refused from the queue of reports."""

import pytest

from tests import factories
from tests.web.browser import Browser, fields_of
from tests.web.conftest import MakeBrowser
from voteweb.core.models import DomainAction, LogAction
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

pytestmark = pytest.mark.site(hold_posts=1)

WAITS = "Your article has been sent. You find it on your page, and are told what becomes of it."


@pytest.fixture
def new(make_browser: MakeBrowser) -> Browser:
    """The browser of a new member whose first article waits."""
    new = make_browser()
    new.open("/signup").submit("/signup", username="newcomer", password="a long enough secret")
    new.open("/submit").submit("/submit", title="First words", link="https://first.example/")
    return new


def id_of(browser: Browser) -> str:
    return browser.location.rpartition("/")[2]


def test_only_poster_and_moderators_see_what_waits(new: Browser, mod: Browser, bob: Browser, reader: Browser) -> None:
    path = f"/a/{id_of(new)}"
    assert new.follow().flashes == [WAITS]
    assert "waits for a moderator" in new.page.one("div", role="note").text
    assert [browser.open(path).status for browser in (bob, reader)] == [410, 410]
    for page in ("/new", "/u/newcomer", "/new.atom", "/d/first.example", "/sitemap-1.xml"):
        assert "First words" not in reader.open(page).response.text
    assert new.open("/u/newcomer").page.one("ul", class_="held-articles").text == "First words"
    assert mod.open("/u/newcomer").page.one("ul", class_="held-articles").text == "First words"
    assert reader.open(f"{path}.atom").status == 410
    for browser in (bob, reader):
        for act in ("comment", "c/1/reply", "c/1/edit", "edit"):
            page = browser.post(f"{path}/{act}", {"csrf_token": browser.csrf_token(), "text": "What is it?"}).response
            assert "First words" not in page.text, act
    new.open("/submit").submit("/submit", title="Again", link="https://first.example/#top")
    assert new.status == 422
    assert "Your article waits for a moderator." in new.page.one("p", id="link-errors").text
    bob.open("/submit").submit("/submit", title="Mine", link="https://first.example/")
    assert bob.status == 303


def test_a_form_that_is_sent_twice_leads_to_the_article_that_waits(new: Browser) -> None:
    sent = fields_of(new.open("/submit").form("/submit")) | {"title": "More", "link": "https://more.example/"}
    assert [new.post("/submit", sent).location for _ in range(2)] == ["/a/2", "/a/2"]


def test_moderator_releases_what_they_have_seen(new: Browser, mod: Browser, reader: Browser) -> None:
    path = f"/a/{id_of(new)}"
    mod.open("/queue")
    new.open(f"{path}/edit").submit(f"{path}/edit", title="Cheap pills")
    mod.submit(f"{path}/release")
    assert mod.follow().flashes == ["Somebody else is changing this article right now. Please try again."]
    assert mod.heading == "Cheap pills"
    assert reader.open(path).status == 410
    mod.submit(f"{path}/release")
    assert reader.open(path).status == 200


def test_queue_names_the_rule_that_holds_an_article(new: Browser, mod: Browser, store: Store) -> None:
    rule = NewLogEntry(LogAction.DOMAIN, "mod", title="look.example", why="A look first.")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=store.users.get("mod"))
    member = store.users.make("other", "", network="")
    held = store.articles.post(factories.draft(link="https://www.look.example/"), member, factories.token())
    row = mod.open("/queue").page.by_id(f"a{held}")
    assert "look.example is held for a look: A look first." in " ".join(row.text.split())
    assert "is held" not in mod.page.by_id(f"a{id_of(new)}").text


def test_moderator_releases_or_refuses_from_the_queue(
    new: Browser, mod: Browser, reader: Browser, store: Store
) -> None:
    id = id_of(new)
    new.open(f"/a/{id}/edit").submit(f"/a/{id}/edit", title="First words, better")
    assert new.location == f"/a/{id}"
    assert "Articles that wait for a look 1" in mod.open("/queue").page.one("main").text
    assert mod.open("/queue").page.one("strong", class_="badge").text == "1"
    mod.submit(f"/a/{id}/release")
    assert mod.follow().flashes == ["The article has been published. Its time is that of now."]
    assert not mod.page.all("strong", class_="badge")
    assert "First words, better" in reader.open("/new").response.text
    assert "mod published “First words, better”" in new.open("/inbox").page.one("main").text
    other = store.users.make("other", "", network="")
    held = store.articles.post(factories.draft(), other, factories.token(), allow_duplicate=True)
    mod.open("/queue").submit(f"/a/{held}/remove", reason="An advertisement.")
    assert mod.status == 303
    assert not store.waiting.has_article(held)
    assert reader.open(f"/a/{held}").status == 410
