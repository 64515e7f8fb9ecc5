"""Reports: made on an article's page, settled by moderators from the queue."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.state import everything
from tests.web.test_articles import titles
from voteweb.core.models import Reason
from voteweb.store import Store

HOSTILE = "<b>&amp;</b> \"quotes\" 'too' {{ 7*7 }} %(x)s"


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """Three articles of ann's, in a group; there is another."""
    for title in ("First", "Second", "Third"):
        factories.article(fake_store, title=title, groups=("redis",))
    factories.group(fake_store, "python")


def report(store: Store, id: int, count: int, **over: Any) -> None:
    """Let *count* members report an article."""
    for i in range(count):
        fields = {"reason": Reason.SPAM, "note": ""} | over
        store.reports.make(id, factories.user(store, f"reporter{i}"), **fields)


def badge(person: Browser) -> list[str]:
    """Return the number of open reports in the header."""
    return [each.words for each in person.page.all(class_="badge")]


def test_a_member_reports_an_article_once(bob: Browser, mod: Browser) -> None:
    bob.open("/a/2").submit("/a/2/report", reason="broken", note=f"  {HOSTILE}\n")
    assert (bob.status, bob.location) == (303, "/a/2#a2")
    assert bob.follow().flashes == ["Thank you. The moderators will look at it."]
    assert (
        mod.open("/reports")
        .page.by_id("a2")
        .one("ul", class_="reports")
        .words.startswith(f"Broken link : {HOSTILE} bob, just now")
    )
    bob.submit("/a/2/report", reason="spam")
    assert bob.follow().flashes == ["You have already reported this article."]


def test_a_report_needs_one_of_the_reasons_and_keeps_the_note(bob: Browser, fake_store: Store) -> None:
    before = everything(fake_store)
    for reason in ("", "nonsense", "<b>"):
        bob.open("/a/2").submit("/a/2/report", reason=reason, note="my note")
        assert bob.status == 422
        assert bob.page.by_id("reason-errors").words == "Please choose a reason."
        assert bob.page.one("input", name="note")["value"] == "my note"
        assert "open" in bob.page.by_id("report")
    bob.submit("/a/2/report", reason="spam", note="x" * 301)
    assert (bob.status, bob.page.by_id("note-errors").words) == (422, "300 characters at most, please.")
    assert "checked" in bob.page.one("input", value="spam")
    assert everything(fake_store) == before


def test_nobody_is_offered_to_report_the_own_article_or_without_an_account(reader: Browser, ann: Browser) -> None:
    for person in (reader, ann):
        assert not person.open("/a/2").page.all("form", action="/a/2/report")
    ann.post("/a/2/report", {"csrf_token": ann.token(), "reason": "spam"})
    assert ann.status == 403
    assert "your own article" in ann.page.one("p", class_="lead").words


def test_the_queue_is_most_reported_first_and_its_length_stands_in_the_header(
    mod: Browser, bob: Browser, reader: Browser, fake_store: Store
) -> None:
    for id, count in ((1, 1), (3, 2), (2, 3)):
        report(fake_store, id, count)
    assert titles(mod.open("/reports")) == ["Second", "Third", "First"]
    for place in ("/", "/a/1", "/about", "/reports", "/nowhere"):
        assert badge(mod.open(place)) == ["3"]
        assert mod.page.one("nav", class_="account").one("a", href="/reports").words == "Reports 3"
        for person in (bob, reader):
            assert not person.open(place).follow().page.one("header").all("a", href="/reports")


def test_an_empty_queue_says_so(mod: Browser) -> None:
    assert mod.open("/reports").page.one("div", class_="empty").words.startswith("Nothing is reported.")
    assert not badge(mod)


def test_the_queue_goes_on_from_page_to_page(mod: Browser, fake_store: Store) -> None:
    for i in range(4, 31):
        factories.article(fake_store, title=f"Article {i}")
    for i in range(1, 31):
        report(fake_store, i, 1)
    assert len(titles(mod.open("/reports"))) == 25
    mod.open(mod.page.one("a", rel="next")["href"])
    assert len(titles(mod)) == 5
    mod.submit(mod.page.one("ol").all("li")[0].all("form")[0]["action"])
    assert mod.location.startswith("/reports?page=2#a")


def test_the_last_of_a_page_settled_leads_to_a_page_with_a_way_back(mod: Browser, fake_store: Store) -> None:
    for i in range(4, 27):
        factories.article(fake_store, title=f"Article {i}")
    for i in range(1, 27):
        report(fake_store, i, 1)
    row = mod.open("/reports?page=2").page.one("li", class_="article")
    mod.submit(f"/a/{row['id'][1:]}/dismiss").follow()
    assert mod.status == 404
    assert mod.page.one("main").one("a", class_="call")["href"] == "/reports"


def test_a_moderators_own_vote_is_marked_in_the_queue(mod: Browser, fake_store: Store) -> None:
    report(fake_store, 2, 1)
    mod.open("/reports").press("/a/2/vote")
    assert mod.location == "/reports#a2"
    assert mod.follow().page.by_id("a2").one("button", class_="vote")["aria-pressed"] == "true"


SETTLED = [
    ("dismiss", {}, "The reports are settled; the article stays.", "dismissed the reports of “Second”"),
    ("remove", {"reason": "Spam."}, "The article is removed.", "removed “Second” : Spam."),
    ("groups", {"add": "python"}, "The article is now in: redis, python.", "dismissed the reports of “Second”"),
    ("groups", {"remove": "redis"}, "The article is now in no group.", "dismissed the reports of “Second”"),
]


@pytest.mark.parametrize(("act", "fields", "says", "logged"), SETTLED)
def test_each_way_to_settle_comes_back_to_the_row_and_is_logged(
    act: str, fields: dict[str, Any], says: str, logged: str, mod: Browser, reader: Browser, fake_store: Store
) -> None:
    report(fake_store, 2, 2)
    report(fake_store, 3, 1)
    mod.open("/reports").submit(f"/a/2/{act}", **fields)
    assert (mod.status, mod.location) == (303, "/reports#a2")
    assert mod.follow().flashes[0].startswith(says)
    assert titles(mod) == ["Third"]
    assert badge(mod) == ["1"]
    assert logged in reader.open("/log").page.one("ol", class_="log").all("li")[0].words


def test_what_is_refused_keeps_what_was_typed_and_leads_back_to_the_queue(mod: Browser, fake_store: Store) -> None:
    report(fake_store, 2, 1)
    mod.open("/reports").submit("/a/2/remove", reason="")
    assert mod.status == 422
    mod.submit("/a/2/remove", reason="Spam.")
    assert mod.location == "/reports#a2"
    report(fake_store, 3, 1)
    mod.open("/reports").submit("/a/3/groups", add="nope")
    assert mod.form("/a/3/groups").one("p", role="alert").words == "There is no group named nope."
    mod.submit("/a/3/groups", add="python")
    assert mod.location == "/reports#a3"
    assert not titles(mod.follow())


def test_two_moderators_settle_one_row_once(mod: Browser, reader: Browser, fake_store: Store) -> None:
    report(fake_store, 2, 1)
    queue = mod.open("/reports").answer
    for says in ("The reports are settled; the article stays.", "These reports were settled already."):
        mod.answer = queue
        mod.submit("/a/2/dismiss")
        assert mod.follow().flashes == [says]
    assert len(reader.open("/log").page.one("ol", class_="log").all("li")) == 1


def test_an_article_that_was_deleted_leaves_the_queue(mod: Browser, ann: Browser, fake_store: Store) -> None:
    report(fake_store, 2, 1)
    ann.open("/a/2").submit("/a/2/delete")
    assert not titles(mod.open("/reports"))
    assert not badge(mod)
