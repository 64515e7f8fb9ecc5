"""Moderation of conversations: comments reported, removed and restored; conversations closed and reopened."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import HOSTILE
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.models import Reason
from voteweb.store import Store

WORDS = "words that nobody else says"


@pytest.fixture(autouse=True)
def conversation(store: Store) -> None:
    """An article of ann's with comments of cid's: 2 answers 1, 3 stands alone."""
    factories.article(store, title="On Redis")
    cid = factories.user(store, "cid")
    for parent, text in ((0, f"*{WORDS}*"), (1, "an answer"), (0, "another")):
        factories.comment(store, 1, cid, parent=parent, text=text)


def node_status(store: Store, number: int) -> CommentStatus:
    return store.threads.get(1).nodes[number].status


def test_member_reports_a_comment_once(bob: Browser, mod: Browser) -> None:
    bob.open("/a/1/c/1/report")
    assert (bob.heading, WORDS in bob.page.text) == ("Report a comment", True)
    labels = bob.page.one("form", action="/a/1/c/1/report").texts("label", class_="chip")
    assert labels == ["Spam", "Off topic", "Against the rules"]
    bob.submit("/a/1/c/1/report", reason="rules", note=f"  {HOSTILE}\n")
    assert (bob.status, bob.location) == (303, "/a/1/c/1#c1")
    for path in ("/queue", "/a/1/c/1/reports"):
        reports = mod.open(path).page.one("ul", class_="reports")
        assert reports.text.startswith(f"Against the rules : {HOSTILE} bob, just now")
    assert bob.send("/a/1/c/1/report", reason="spam").follow().flashes[-1] == "You have already reported this comment."


def test_queue_shows_comments_among_articles_with_their_words(mod: Browser, store: Store) -> None:
    other = factories.article(store, title="Another")
    store.reports.make(other.id, factories.user(store, "reporter0"), Reason.SPAM, "")
    for i in range(7):
        store.reports.make(CommentId(1, 1), factories.user(store, f"reporter{i}"), Reason.SPAM, "")
    assert mod.open("/queue").titles == ["Another", "Comment on “On Redis”"]
    row = mod.page.by_id("c1-1")
    assert row.one("em").text == WORDS
    mod.open(row.one("a", href="/a/1/c/1/reports")["href"])
    assert len(mod.page.one("ul", class_="reports").all("li")) == 7
    mod.submit("/a/1/c/1/dismiss")
    assert mod.location == "/queue#reports"
    assert mod.follow().titles == ["Another"]
    assert node_status(store, 1) is CommentStatus.VISIBLE


def test_comment_is_removed_from_the_queue_and_the_removal_undone(mod: Browser, store: Store) -> None:
    store.reports.make(CommentId(1, 1), factories.user(store, "bob"), Reason.SPAM, "Not for the log.")
    mod.open("/queue").submit("/a/1/c/1/remove", reason=HOSTILE, replies="1")
    assert mod.follow().flashes == [
        "The comment and its replies have been removed. You can undo this in the log for 10 min."
    ]
    assert store.articles.get(1).comments == 1
    entry = mod.open("/log").page.by_id("l1")
    assert entry.text.startswith(f"mod removed a comment by cid on “On Redis” : {HOSTILE}")
    assert "Not for the log." not in entry.text
    assert entry.one("a", href="/a/1/c/1").text == "Comment"
    mod.submit("/log/1/undo")
    assert mod.open("/log").page.by_id("l2").text.startswith("mod restored a comment by cid on “On Redis”")
    assert store.articles.get(1).comments == 3


def test_removal_needs_a_reason_and_keeps_what_was_typed(mod: Browser, store: Store) -> None:
    mod.open("/a/1/c/1").submit("/a/1/c/1/remove", reason="x" * 301, replies="1")
    assert (mod.status, WORDS in mod.page.text) == (422, True)
    assert mod.value("reason") == "x" * 301
    assert "checked" in mod.page.one("input", name="replies")
    assert mod.page.one("p", class_="error").text == "Please use at most 300 characters."
    mod.submit("/a/1/c/1/remove", reason="Rude.")
    assert mod.location == "/a/1/c/1#c1"
    assert node_status(store, 1) is CommentStatus.REMOVED


def test_removed_comment_says_why_and_is_restored(mod: Browser, reader: Browser, make_member: MakeMember) -> None:
    mod.open("/a/1/c/1").submit("/a/1/c/1/remove", reason="Rude.")
    reader.open("/a/1")
    assert WORDS not in reader.text
    assert "A moderator removed this comment: Rude." in reader.page.by_id("c1").text
    assert (reader.open("/a/1/c/1").status, WORDS in reader.text) == (200, False)
    for person in (make_member("cid"), mod):
        assert WORDS in person.open("/a/1/c/1").page.text
        assert person.page.one("p", class_="error").text.startswith("A moderator removed this comment: Rude.")
        assert not person.page.all("a", href="/a/1/c/1/reply")
    mod.submit("/a/1/c/1/restore")
    assert mod.follow().flashes == ["The comment has been restored, with its votes."]
    assert WORDS in reader.open("/a/1").page.text


def test_replies_to_a_comment_that_was_deleted_since_are_restored(mod: Browser, reader: Browser, store: Store) -> None:
    mod.open("/a/1/c/1").submit("/a/1/c/1/remove", reason="Rude.", replies="1")
    store.removals.delete(CommentId(1, 1))  # as the deletion of the account does
    assert not reader.open("/a/1/c/1").page.all("form", action="/a/1/c/1/restore")
    assert mod.open("/a/1/c/1").status == 410
    mod.submit("/a/1/c/1/restore")
    assert mod.follow().flashes == ["What was removed with this comment has been restored."]
    assert "an answer" in reader.open("/a/1/c/2").page.text


def test_comment_below_a_removed_one_is_restored_with_a_hint(mod: Browser, store: Store) -> None:
    for number, with_replies in ((2, False), (1, True)):
        factories.remove(store, CommentId(1, number), with_replies=with_replies)
    mod.send("/a/1/c/2/restore")
    assert "once the removed comment above it is restored" in mod.follow().flashes[0]


def test_conversation_is_closed_and_reopened(mod: Browser, reader: Browser, store: Store) -> None:
    mod.open("/a/1").submit("/a/1/close", reason="")
    assert (mod.status, mod.heading) == (422, "Close a conversation")
    mod.submit("/a/1/close", reason="Too heated.")
    assert mod.location == "/a/1#comments"
    assert "Too heated." in reader.open("/a/1").page.by_id("comments").text
    mod.open("/a/1").submit("/a/1/reopen")
    assert mod.follow().flashes == ["The conversation is open again."]
    assert store.threads.get(1).closed == 0
    store.connection.command("HSET", store.keys.thread(1), "closes", 1_700_000_000, "rev", 1)
    assert mod.send("/a/1/close", reason="Late.").follow().flashes[0].startswith("This conversation ended on 14 Nov")
    assert not mod.page.all("form", action="/a/1/close")


def test_words_of_removed_comments_are_nowhere_for_others(
    bob: Browser, reader: Browser, mod: Browser, store: Store
) -> None:
    paths = ["/a/1", "/a/1/c/1", "/a/1/c/1/reply?quote=1", "/a/1/c/1/report", "/a/1/c/3", "/comments"]
    paths += ["/u/cid/comments", "/comments.atom", "/u/cid/comments.atom", "/a/1.json", "/a/1/c/1.atom", "/log"]
    mod.open("/a/1/c/1").submit("/a/1/c/1/remove", reason="Rude.", replies="1")
    for person in (reader, bob):
        for path in paths:
            text = person.open(path).follow().text
            assert (WORDS in text, "an answer" in text) == (False, False), path


def test_a_removed_article_takes_its_comments_along(reader: Browser, bob: Browser, store: Store) -> None:
    factories.comment(store, 1, store.users.get("cid"), text="@bob, look")

    def seen() -> list[bool]:
        paths = ("/a/1", "/a/1/c/1", "/comments", "/u/cid/comments", "/comments.atom", "/a/1.atom", "/a/1/c/1.atom")
        return [WORDS in reader.open(path).text for path in paths] + ["look" in bob.open("/inbox").page.text]

    assert seen() == [True] * 6 + [False, True]  # the feed of a comment has the answers to it
    factories.remove(store, 1, "spam")
    assert seen() == [False] * 8
    assert {reader.open(path).status for path in ("/a/1", "/a/1/c/1", "/a/1.atom", "/a/1/c/1.atom")} == {410}
