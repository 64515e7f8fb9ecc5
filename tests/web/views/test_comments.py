"""The forms of comments, their refusals, and the page of one comment."""

import time
from datetime import UTC, datetime

import pytest

from tests import factories
from tests.store.thread_data import node, write_thread
from tests.web.browser import Browser
from tests.web.conftest import CountRoundTrips, MakeMember
from voteweb.core.comments import CommentId
from voteweb.core.errors import Unavailable
from voteweb.core.models import Voter
from voteweb.store import Store
from voteweb.store.connection.connection import Connection

TYPED = "Kept **words**\n\nwith two paragraphs"


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """Article 1, posted by ann, on which cem has written comment 1."""
    factories.article(store)
    factories.comment(store, store.articles.get(1), factories.user(store, "cem"), text="The *first* one")


def typed(browser: Browser) -> str:
    """Return what is in the field of the form on the page."""
    return browser.page.one("textarea", name="text").own_text.removeprefix("\n")


def test_member_stands_at_the_new_comment(bob: Browser) -> None:
    bob.open("/a/1").submit("/a/1/comment", text=TYPED)
    assert (bob.status, bob.location) == (303, "/a/1#c2")
    comment = bob.follow().page.by_id("c2")
    assert comment.one("div", class_="text").one("strong").text == "words"
    assert comment.one("a", class_="by")["href"] == "/u/bob"
    assert bob.page.by_id("comments").one("h2").text == "2 comments"
    once = bob.value("once")
    bob.submit("/a/1/comment", text="More")
    bob.fill_in("/submit", title="Another article", text=TYPED, once=once)
    assert (bob.status, typed(bob)) == (422, TYPED), "that form has posted a comment"
    assert bob.submit("/submit").status == 303, "the form is another one now"


def test_reply_shows_what_it_answers_and_can_quote_it(bob: Browser, store: Store) -> None:
    link = bob.open("/a/1").page.by_id("c1").all("a", href="/a/1/c/1/reply?quote=1")[0]
    bob.open(link["href"])
    assert typed(bob) == "> The *first* one\n\n"
    assert bob.page.one("div", class_="answered").one("em").text == "first"
    form = bob.response
    bob.submit("/a/1/c/1/reply", text="An answer").follow()
    assert bob.page.by_id("c1").all("li", class_="comment")[1]["id"] == "c2"
    delete_parent(store, bob)
    bob.response = form
    assert bob.submit("/a/1/c/1/reply", text="An answer").location == "/a/1#c2", "the form was sent twice"


def test_order_stays_through_a_reply(bob: Browser) -> None:
    for link in bob.open("/a/1?order=time").page.by_id("c1").all("a", data_reply=""):
        bob.open(link["href"]).submit("/a/1/c/1/reply", text="An answer")
        assert bob.location.startswith("/a/1?order=time#c")
    assert bob.follow().page.by_id("c2").all("a", href="/a/1/c/2?order=time")


def test_names_of_members_lead_to_them(bob: Browser, reader: Browser) -> None:
    text = "Ask @ann or @nobody."
    pages = [bob.fill_in("/a/1/comment", text=text, preview="1").page]
    assert (typed(bob), reader.open("/a/1").page.all("li", id="c2")) == (text, [])
    bob.submit("/a/1/comment", text=text)
    pages += [reader.open(path).page for path in ("/a/1", "/comments")]
    for page in pages:
        assert "@ann" in page.texts("a", href="/u/ann")


def delete_parent(store: Store, _browser: Browser) -> None:
    store.removals.delete(CommentId(1, 1))


def change_thread(store: Store, fields: dict[str, str | int]) -> None:
    """Change the conversation as a script would, which raises its revision."""
    store.connection.client.hset("thread:1", mapping=fields)
    store.connection.client.hincrby("thread:1", "rev", 1)


def remove_article(store: Store, _browser: Browser) -> None:
    factories.remove(store, 1)


@pytest.mark.parametrize(
    ("happens", "status", "message"),
    [
        (delete_parent, 410, "The comment that you answer has been deleted or removed meanwhile."),
        (remove_article, 410, "This article is no longer available."),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("button", [{}, {"preview": "1"}], ids=["send", "preview"])
def test_refused_form_comes_back_with_every_character(
    happens: object, status: int, message: str, button: dict[str, str], bob: Browser, store: Store
) -> None:
    bob.open("/a/1/c/1/reply")
    assert callable(happens)
    happens(store, bob)
    bob.submit("/a/1/c/1/reply", text=TYPED, **button)
    assert bob.status == status
    assert bob.alert.startswith(message)
    assert typed(bob) == TYPED
    assert "The <em>first</em> one" not in bob.response.text
    assert store.threads.get(1).last == 1


def test_form_comes_back_while_the_database_is_away(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Unavailable

    bob.open("/a/1/comment")
    with monkeypatch.context() as away:
        away.setattr(Connection, "retry_until_deadline", fail)
        bob.submit("/a/1/comment", text=TYPED)
    assert (bob.status, typed(bob)) == (503, TYPED)
    assert bob.alert.startswith("The site cannot reach its database")
    assert bob.submit("/a/1/comment").location == "/a/1#c2"
    assert bob.follow().page.by_id("c2").one("strong").text == "words"


def test_author_edits_for_some_minutes_only(bob: Browser, store: Store) -> None:
    bob.open("/a/1").submit("/a/1/comment", text="Before")
    assert typed(bob.open("/a/1/c/2/edit")) == "Before"
    comment = bob.submit("/a/1/c/2/edit", text="After").follow().page.by_id("c2").text
    assert ("After" in comment, "(edited)" in comment) == (True, True)
    bob.open("/a/1/c/2/edit")
    minute_14 = bob.response
    fields = str(store.connection.client.hget("thread:1", "2")).split(" ")
    written = time.time() - 960
    change_thread(store, {"2": " ".join([*fields[:3], f"{written:.6f}", *fields[4:]])})
    bob.response = minute_14
    bob.submit("/a/1/c/2/edit", text=TYPED)
    until = datetime.fromtimestamp(written + 900, UTC)
    assert (bob.status, f"{until:%H:%M} UTC" in bob.alert, typed(bob)) == (403, True, TYPED)
    assert bob.form("/a/1/c/2/edit").all("button") == []
    assert bob.open("/a/1/c/2/edit").status == 403
    bob.response = minute_14
    store.users.end_sessions("bob")
    bob.submit("/a/1/c/2/edit", text=TYPED)
    assert bob.form("/a/1/c/2/edit").all("button")  # to log in with


def test_deleted_comment_is_nowhere(bob: Browser, reader: Browser, store: Store) -> None:
    bob.fill_in("/a/1/c/1/reply", text="Secret words")
    factories.comment(store, store.articles.get(1), factories.user(store, "ann"), parent=2)
    bob.open("/a/1/c/2/edit")
    opened_earlier = bob.response
    bob.fill_in("/a/1/c/2/delete")
    assert (bob.status, bob.location) == (303, "/a/1#c1")
    for path in ("/a/1", "/a/1/c/1", "/a/1/c/2", "/a/1/c/3/reply", "/a/1/c/2/reply"):
        for person in (reader, bob):
            assert "Secret words" not in person.open(path).text, path
    assert bob.page.one("main").one("a", class_="button-secondary")["href"] == "/a/1#comments"
    bob.send("/a/1/c/2/delete")
    assert (bob.status, bob.location) == (303, "/a/1#c1"), "the form was sent twice"
    assert bob.open("/a/1").page.by_id("c2").all(class_="gone")[0].text.startswith("Deleted by its author")
    bob.response = opened_earlier
    assert bob.submit("/a/1/c/2/edit", text=TYPED).status == 410
    assert typed(bob) == TYPED


def test_author_deletes_a_comment_of_a_removed_article(bob: Browser, store: Store) -> None:
    bob.fill_in("/a/1/comment", text="Secret words")
    factories.remove(store, 1)
    bob.fill_in("/a/1/c/2/delete")
    assert (bob.status, store.threads.get(1).nodes[2].is_deleted) == (303, True)


def test_page_of_a_comment_explains_its_place(reader: Browser, store: Store) -> None:
    write_thread(
        store, 1, [node(2, time=1_700_000_000.0, votes=3), node(3, time=1_700_000_000.0), node(4, 3), node(5, 4)]
    )
    why = reader.open("/a/1/c/2").page.by_id("why").text
    assert "Written on 14 Nov 2023, 22:13 UTC, plus 3 votes × 17,280 s = 14 h 24 min, like one written on 15 Nov" in why
    assert "After it: bob : 0 votes × 17,280 s" in why
    reader.open("/a/1/c/5")
    assert reader.page.one("ol", class_="ancestors").values("id", "li", class_="comment") == ["c3", "c4"]
    assert reader.page.one("p", class_="meta").all("a")[0]["href"] == "/a/1#c5"


def test_author_stops_and_allows_notices(make_member: MakeMember, ann: Browser, store: Store) -> None:
    cem = make_member("cem").open("/a/1/c/1").submit("/a/1/c/1/quiet", quiet="1").follow()
    assert store.threads.get(1).nodes[1].is_quiet
    cem.submit("/a/1/c/1/quiet", quiet="0")
    assert not store.threads.get(1).nodes[1].is_quiet
    ann.open("/a/1").submit("/a/1/quiet", quiet="1")
    assert store.threads.get(1).is_quiet


def test_marks_stay_through_reloads_orders_and_replies_of_a_visit(ann: Browser, bob: Browser, store: Store) -> None:
    ann.open("/a/1")
    store.connection.client.hset("seen:ann", "1", f"1 1 {time.time() - 3_600:.0f} ")
    write_thread(store, 1, [node(2), node(3, 2), node(4)])

    def marked() -> list[str]:
        return sorted(item["id"] for item in ann.page.all("li") if item.all("span", class_="new-links"))

    follows, again = {"Referer": "http://localhost/a/1?order=time"}, {"Cache-Control": "max-age=0"}
    ann.open("/a/1").submit("/a/1/comment", text="Mine")
    for address, headers in (("/a/1", follows), ("/a/1?order=time", follows), ("/a/1?order=time", again)):
        ann.open(address, headers=headers)
        assert marked() == ["c2", "c3", "c4"], address
        assert ann.page.one("p", class_="new-comments").text == "3 new ↓"
        assert len(ann.page.all(id="new")) == 1
    (first,) = (
        mark for mark in ann.page.all("span", class_="new-links") if not mark.all("a", aria_label="previous new")
    )
    chain = [first.one("a", aria_label="next new")["href"].removeprefix("#")]
    while links := ann.page.by_id(chain[-1]).all("span", class_="new-links")[0].all("a", aria_label="next new"):
        chain.append(links[0]["href"].removeprefix("#"))
    assert len(set(chain)) == 2
    ann.open("/a/1", headers={"Referer": "http://localhost/a/11"})
    assert (marked(), ann.page.all("p", class_="new-comments")) == ([], [])


def test_opening_the_page_reads_its_inbox_entries(
    ann: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    def unread() -> int:
        viewer = store.read(store.viewers.queue_read, Voter(1, "ann", "session"))
        return viewer.unread.count

    assert unread() == 1
    ann.client.head("/a/1")
    for header in ("Sec-Purpose", "Purpose", "X-Moz"):
        for address in ("/a/1", "/a/1/c/1"):
            ann.open(address, headers={header: "prefetch"})
    assert unread() == 1
    assert not ann.open("/a/1").page.all("strong", class_="badge")
    assert unread() == 0
    assert count_round_trips(ann.open, "/a/1") == 1
