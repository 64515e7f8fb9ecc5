"""Posting: what is taken, what is refused beside its field, and that a form sent twice posts once."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store

GOOD: dict[str, Any] = {"title": "Redis in Action", "link": "https://example.com/redis"}
RLO = "\u202e"


@pytest.fixture(autouse=True)
def offered_groups(fake_store: Store) -> None:
    """Seven groups to choose from."""
    for name in ("ask", "books", "go", "lua", "python", "redis", "编程"):
        factories.group(fake_store, name)


def test_a_link_is_posted_and_shown_with_the_posters_own_vote(ann: Browser, fake_store: Store) -> None:
    ann.open("/submit").submit("/submit", **GOOD, groups=["redis", "编程"])
    assert (ann.status, ann.location) == (303, "/a/1")
    assert ann.follow().flashes == ["Your article is posted."]
    assert ann.heading == "Redis in Action"
    assert ann.page.one("span", class_="vote")["title"] == "Your own article"
    article = fake_store.articles.get(1)
    assert (article.poster, article.votes, article.groups) == ("ann", 1, ("redis", "编程"))


def test_a_text_is_posted_with_its_line_ends(ann: Browser, fake_store: Store) -> None:
    ann.open("/submit").submit("/submit", title="A thought", text="one\r\n\r\ntwo")
    assert fake_store.articles.get(1).text == "one\n\ntwo"
    assert [each.words for each in ann.follow().page.one("div", class_="text").all("p")] == ["one", "two"]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("编程之美", "编程之美"),
        ("  Blanks \t inside\n too ", "Blanks inside too"),
        ("Emoji 🎉👩‍👩‍👧 stay", "Emoji 🎉👩‍👩‍👧 stay"),
        (f"Turned {RLO}round", "Turned round"),
        ("A\x00B\x07C nul", "ABC nul"),
        ("100% <b>&amp;</b> %(x)s {{ 7*7 }}", "100% <b>&amp;</b> %(x)s {{ 7*7 }}"),
        ("x" * 200, "x" * 200),
    ],
)
def test_a_title_is_kept_as_it_can_be_read(typed: str, kept: str, ann: Browser, fake_store: Store) -> None:
    ann.open("/submit").submit("/submit", **GOOD | {"title": typed})
    assert (ann.status, fake_store.articles.get(1).title) == (303, kept)
    assert ann.follow().heading == kept
    assert ann.open("/").page.one("a", class_="title").words == kept


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("title", "", "A title needs at least 3 characters that can be read."),
        ("title", "   ", "A title needs at least 3 characters that can be read."),
        ("title", "\x00\x01\x02\x1b[31m"[:4], "A title needs at least 3 characters that can be read."),
        ("title", RLO * 5, "A title needs at least 3 characters that can be read."),
        ("title", "🎉🎉🎉🎉", "A title needs at least 3 characters that can be read."),
        ("title", "x" * 10_000, "A title has 200 characters at most; this one has 10,000."),
        ("title", "编" * 201, "A title has 200 characters at most; this one has 201."),
        ("link", "javascript:alert(1)", "A link begins with http:// or https://."),
        ("link", " JavaScript:alert(1)", "A link begins with http:// or https://."),
        ("link", "data:text/html,<script>alert(1)</script>", "A link begins with http:// or https://."),
        ("link", "//example.com/x", "A link begins with http:// or https://."),
        ("link", "example.com", "A link begins with http:// or https://."),
        ("link", "https://", "This link names no site."),
        ("link", "https:///path", "This link names no site."),
        ("link", f"https://[fe80::1%{'é' * 70}]/", "This link names no site."),
        ("link", "https://[::1", "This link cannot be read as a web address."),
        ("link", "https://example.com:port/", "This link cannot be read as a web address."),
        ("link", "https://ann:secret@example.com/", "A link cannot carry a user name or a password."),
        ("link", "https://example.com/a b", "A link cannot hold blanks, backslashes or invisible characters."),
        (
            "link",
            "https://evil.example\\@example.com",
            "A link cannot hold blanks, backslashes or invisible characters.",
        ),
        ("link", f"https://example.com/{RLO}x", "A link cannot hold blanks, backslashes or invisible characters."),
        ("link", "https://example.com/" + "x" * 4_980, "A link has 2,000 characters at most; this one has 5,000."),
        ("text", "x" * 20_001, "A text has 20,000 characters at most; this one has 20,001."),
        ("text", "🎉" * 20_001, "A text has 20,000 characters at most; this one has 20,001."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_everything_typed_stays(
    field: str, typed: str, says: str, ann: Browser, fake_store: Store
) -> None:
    fields = GOOD | {"text": "some words", "groups": ["redis", "ask"]} | {field: typed}
    once = ann.open("/submit").form("/submit").one("input", name="once")["value"]
    ann.submit("/submit", **fields)
    assert ann.status == 422
    assert ann.error_at(field) == says
    form = ann.form("/submit")
    assert form.one("input", name="title")["value"] == fields["title"]
    assert form.one("input", name="link")["value"] == fields["link"]
    assert form.one("textarea", name="text").raw.removeprefix("\n") == fields["text"]
    assert {each["value"] for each in form.all("input", name="groups") if "checked" in each} == {"redis", "ask"}
    assert form.one("input", name="once")["value"] == once
    assert fake_store.connection.client.zcard("time:") == 0


def test_an_article_needs_a_link_or_a_text(ann: Browser) -> None:
    ann.open("/submit").submit("/submit", title="Nothing in it", text=" \r\n ")
    assert (ann.status, ann.error_at("link")) == (422, "An article needs a link or a text.")


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        (["nope"], "There is no group named nope."),
        (["redis", "no:pe", "../x"], "There is no group named no:pe, ../x."),
        (["ask", "books", "go", "lua", "python", "redis"], "An article can be in 5 groups at most."),
        ([f"g{i}" for i in range(500)], "An article can be in 5 groups at most."),
        (["<b>x</b>"], "There is no group named <b>x</b>."),
    ],
)
def test_groups_that_cannot_be_are_refused_beside_them(
    groups: list[str], says: str, ann: Browser, fake_store: Store
) -> None:
    ann.open("/submit").submit("/submit", **GOOD, groups=groups)
    assert ann.status == 422
    assert ann.page.by_id("groups-errors").words == says
    assert ann.page.one("fieldset")["aria-describedby"].split()[0] == "groups-errors"
    assert ann.page.one("input", name="title")["value"] == GOOD["title"]
    assert fake_store.connection.client.zcard("time:") == 0


def test_a_form_sent_twice_posts_once_and_leads_to_the_same_article(ann: Browser, fake_store: Store) -> None:
    ann.open("/submit")
    form = ann.answer
    places = []
    for _ in range(3):
        ann.answer = form
        places.append(ann.submit("/submit", **GOOD).location)
    assert places == ["/a/1"] * 3
    assert fake_store.connection.client.zcard("time:") == 1


def test_a_new_form_posts_anew(ann: Browser, fake_store: Store) -> None:
    for i in range(2):
        ann.open("/submit").submit("/submit", **GOOD | {"link": f"https://example.com/{i}"})
    assert fake_store.connection.client.zcard("time:") == 2


@pytest.mark.parametrize("once", ["", "x", "a:b c", "x" * 10_000, None])
def test_a_form_with_a_changed_mark_still_posts(once: str | None, ann: Browser, fake_store: Store) -> None:
    ann.open("/submit").submit("/submit", **GOOD, once=once)
    assert ann.status == 303
    assert fake_store.connection.client.zcard("time:") == 1


def test_the_mark_of_one_member_is_not_anothers(ann: Browser, bob: Browser) -> None:
    ann.open("/submit").submit("/submit", **GOOD, once="0123456789abcdef")
    bob.open("/submit").submit("/submit", title="Mine", link="https://example.com/mine", once="0123456789abcdef")
    assert (ann.location, bob.location) == ("/a/1", "/a/2")


def test_whoever_was_logged_out_can_send_the_same_form_after_logging_in(
    ann: Browser, bob: Browser, fake_store: Store
) -> None:
    ann.open("/submit")
    fake_store.users.set_password("ann", "another")
    kept = ann.submit("/submit", **GOOD).answer
    fake_store.users.set_password("ann", fake_store.users.get("bob").password)
    assert ann.log_in("ann").location == "/"
    ann.answer = kept
    ann.submit("/submit")
    assert "please send it again" in ann.page.one("div", role="alert").words
    assert ann.submit("/submit").location == "/a/1"
    assert fake_store.articles.get(1).title == GOOD["title"]


def test_a_site_without_groups_offers_none_but_refuses_them_all_the_same(ann: Browser, fake_store: Store) -> None:
    fake_store.connection.client.delete("groups:")
    assert not ann.open("/submit").page.all("fieldset")
    ann.submit("/submit", **GOOD, groups="redis")
    assert ann.page.by_id("groups-errors").words == "There is no group named redis."
