"""The poster of a removed article sees it, hears of it, and can answer; a moderator decides."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import HOSTILE
from voteweb.core import permissions
from voteweb.store import Store

ANSWER = "It is no spam, look again."


@pytest.fixture(autouse=True)
def removed(store: Store) -> None:
    """An article of ann's that mod removed."""
    factories.article(store, title=HOSTILE)
    factories.remove(store, 1, "Spam & more.")


def test_poster_sees_the_removed_article_in_their_own_list_only(ann: Browser, bob: Browser, mod: Browser) -> None:
    section = ann.open("/u/Ann").page.by_id("removed")
    assert (section.one("a", href="/a/1").text, section.one("q").text) == (HOSTILE, "Spam & more.")
    for person in (bob, mod):
        assert "Removed by moderators" not in person.open("/u/ann").text
        assert not person.open("/a/1").page.all("form", action="/a/1/answer")


def test_answer_is_sent_once_and_leads_to_a_decision(ann: Browser, mod: Browser, store: Store) -> None:
    ann.open("/a/1").submit("/a/1/answer", answer="Why?")
    assert (ann.status, ann.field_error("answer")[:21]) == (422, "Please write a senten")
    assert ann.form("/a/1/answer").one("textarea").text == "Why?"
    assert "Your answer waits for a moderator." in ann.submit("/a/1/answer", answer=ANSWER).follow().main
    assert not ann.page.all("form", action="/a/1/answer")
    assert ANSWER in mod.open("/queue").main
    mod.send("/a/1/keep-removed", next="/queue")
    assert mod.follow().flashes == ["The article stays as it is, and its poster is told."]
    assert ANSWER not in mod.main
    assert "stays as it is" in ann.open("/inbox").main
    assert "A moderator looked at your answer" in ann.open("/u/ann").page.by_id("removed").text
    assert ann.send("/a/1/answer", answer=ANSWER + "!").follow().flashes == ["You have answered already."]


def test_a_removal_meanwhile_lets_no_refused_answer_in(
    ann: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permissions, "may_answer", lambda _user, _article: False)  # as it was before the removal
    assert ann.send("/a/1/answer", answer="Why?").follow().flashes == [
        "There is nothing to answer any more: the article is as it was."
    ]
    assert factories.stored_article(store).answer == ""


def test_who_is_edited_reads_both_versions_and_answers(ann: Browser, bob: Browser, mod: Browser, store: Store) -> None:
    factories.article(store, title="On Redis", text="Mine.")
    assert "The article has the words that its poster gave it." in ann.open("/a/2/edits").main
    mod.fill_in("/a/2/edit", title=HOSTILE, text="Theirs.", reason="Clearer.")
    assert "mod edited “On Redis” : Clearer." in ann.open("/inbox").main
    ann.open(ann.page.one("a", href="/a/2/edits")["href"])
    posted, now = ann.page.one("div", class_="versions").all("section")
    assert (posted.texts("dd")[:3:2], now.texts("dd")[:3:2]) == (["On Redis", "Mine."], [HOSTILE, "Theirs."])
    assert ann.submit("/a/2/answer", answer="Why?").status == 422
    assert ann.form("/a/2/answer").one("textarea").text == "Why?"
    assert "Your answer waits for a moderator." in ann.submit("/a/2/answer", answer=ANSWER).follow().main
    assert bob.open("/a/2/edits").status == 403
    assert ANSWER in mod.open("/a/2/edits").main
    assert ANSWER in mod.open("/queue").main
    mod.submit("/a/2/back")
    assert store.articles.get(2).title == "On Redis"
    assert ANSWER not in mod.open("/queue").main
    store.removals.delete(2)
    assert ann.send("/a/2/answer", answer="").status == 410
