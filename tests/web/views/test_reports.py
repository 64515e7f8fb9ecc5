"""Reports: made on an article's page, settled by moderators from the queue."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.models import Reason, Role
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """Three articles of ann's, in a group; there is another."""
    for title in ("First", "Second", "Third"):
        factories.article(store, title=title, groups=("redis",))
    factories.group(store, "python")


def report(store: Store, id: int, count: int) -> None:
    """Report an article by *count* members."""
    for i in range(count):
        store.reports.make(id, factories.user(store, f"reporter{i}"), Reason.SPAM, "")


def test_member_reports_an_article_once(bob: Browser, mod: Browser) -> None:
    bob.open("/a/2").submit("/a/2/report", reason="broken", note=f"  {HOSTILE}\n")
    assert bob.follow().flashes == ["Thank you for your report. The moderators will look at it."]
    reports = mod.open("/a/2/reports").page.one("ul", class_="reports")
    assert reports.text.startswith(f"Broken link : {HOSTILE} bob, just now")
    bob.submit("/a/2/report", reason="spam")
    assert bob.follow().flashes == ["You have already reported this article."]


def test_report_needs_a_reason_and_keeps_the_note(bob: Browser, store: Store) -> None:
    bob.open("/a/2").submit("/a/2/report", reason="nonsense", note="my note")
    assert (bob.status, bob.page.by_id("reason-errors").text) == (422, "Please choose a reason.")
    assert bob.value("note") == "my note"
    bob.submit("/a/2/report", reason="spam", note="x" * 301)
    assert (bob.status, bob.page.by_id("note-errors").text) == (422, "Please use at most 300 characters.")
    assert ("checked" in bob.page.one("input", value="spam"), "open" in bob.page.by_id("report")) == (True, True)


def test_queue_begins_with_the_oldest_report_and_header_counts_it(mod: Browser, bob: Browser, store: Store) -> None:
    for id, count in ((1, 1), (3, 2), (2, 3)):
        report(store, id, count)
    assert mod.open("/queue").titles == ["First", "Third", "Second"]
    for path in ("/", "/a/1", "/nowhere"):
        assert mod.open(path).page.one("nav", class_="account").one("a", href="/queue").text == "Queue 3"
        assert not bob.open(path).page.one("header").all("a", href="/queue")


def test_removal_is_offered_last_with_the_commonest_reason(mod: Browser, store: Store) -> None:
    for name, reason, note in (("bob", Reason.SPAM, ""), ("eve", Reason.TOPIC, "Cooking."), ("kim", Reason.TOPIC, "?")):
        store.reports.make(2, factories.user(store, name), reason, note)
    forms = mod.open("/queue").page.by_id("a2").values("action", "form")
    assert forms == ["/a/2/dismiss", "/a/2/groups", "/a/2/remove"]
    assert mod.form("/a/2/remove").one("input", name="reason")["value"] == "Off topic"


def test_a_reporters_note_is_public_only_where_a_moderator_chooses(mod: Browser, reader: Browser, store: Store) -> None:
    note = f"My ex wrote this.{'x' * 283}"  # as long as a note may be
    for article in (2, 3):
        store.reports.make(article, factories.user(store, f"reporter{article}"), Reason.SPAM, note)
    mod.open("/queue").submit("/a/2/remove")
    mod.open("/queue").submit("/a/3/remove", note=mod.form("/a/3/remove").one("input", name="note")["value"])
    with_note, without = reader.open("/log").log
    assert ": Spam: My ex wrote this." in with_note
    assert ": Spam" in without
    assert "My ex" not in without


def test_queue_leads_to_the_other_reports_of_an_article(mod: Browser, store: Store) -> None:
    report(store, 2, 7)
    row = mod.open("/queue").page.by_id("a2")
    assert len(row.one("ul", class_="reports").all("li")) == 5
    assert row.one("a", href="/a/2/reports").text == "All 7 reports"


@pytest.mark.parametrize("after", ["-1", "1" * 21, str(2**64), "١"])
def test_reports_after_no_position_are_not_found(after: str, mod: Browser) -> None:
    mod.open("/a/2/reports", query_string={"after": after})
    assert mod.status == 404


def test_queue_has_pages(mod: Browser, store: Store) -> None:
    for i in range(4, 27):
        factories.article(store, title=f"Article {i}")
    for i in range(1, 27):
        report(store, i, 1)
    assert len(mod.open("/queue").titles) == 25
    mod.open_next()
    assert len(mod.titles) == 1
    mod.submit(mod.page.one("ol").all("li")[0].all("form")[0]["action"])
    assert mod.location == "/queue?reports=2#reports"
    assert len(mod.follow().titles) == 25, "the second page is empty now"
    assert mod.flashes[0].startswith("The reports have been dismissed")


WAYS_TO_SETTLE = [
    ("dismiss", {}, "The reports have been dismissed; the article stays.", "dismissed the reports of “Second”"),
    ("remove", {"reason": "Spam."}, "The article has been removed.", "removed “Second” : Spam."),
    ("groups", {"add": "python"}, "The article is now in: redis, python.", "dismissed the reports of “Second”"),
]


@pytest.mark.parametrize(("act", "fields", "message", "logged"), WAYS_TO_SETTLE)
def test_every_way_to_settle_returns_and_is_logged(
    act: str, fields: dict[str, Any], message: str, logged: str, mod: Browser, reader: Browser, store: Store
) -> None:
    report(store, 2, 2)
    report(store, 3, 1)
    mod.open("/queue").submit(f"/a/2/{act}", **fields)
    assert mod.location == "/queue#reports"
    assert mod.follow().flashes[0].startswith(message)
    assert (mod.titles, mod.page.one("strong", class_="badge").text) == (["Third"], "1")
    assert logged in reader.open("/log").log[0]


def test_reports_are_dismissed_once(mod: Browser, reader: Browser, make_member: MakeMember, store: Store) -> None:
    report(store, 2, 1)
    other = make_member("sue", Role.MODERATOR)
    again = "These reports are settled already: they were dismissed, or the article was removed."
    done = "The reports have been dismissed; the article stays. You can undo this in the log for 10 min."
    for person, message in ((mod, done), (other, again)):
        person.send("/a/2/dismiss", next="/queue")
        assert person.follow().flashes == [message]
    mod.open("/log").submit("/log/1/undo")
    assert "mod opened the reports of “Second” again" in reader.open("/log").main
