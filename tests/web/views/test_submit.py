"""Posting an article: what is accepted, errors beside their fields, and a form that is sent twice."""

from typing import Any

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.store import Store

VALID: dict[str, Any] = {"title": "Redis in Action", "link": "https://example.com/redis"}


@pytest.fixture(autouse=True)
def seven_groups(store: Store) -> None:
    """Seven groups to choose from."""
    for name in ("ask", "books", "go", "lua", "python", "redis", "编程"):
        factories.group(store, name)


def test_link_is_posted_with_the_posters_vote(ann: Browser, store: Store) -> None:
    ann.fill_in("/submit", **VALID, groups=["redis", "编程"])
    assert ann.follow().flashes == ["Your article has been posted."]
    assert ann.page.one("span", class_="vote")["title"] == "Your own article"
    article = store.articles.get(1)
    assert (article.poster, article.votes, article.groups) == ("ann", 1, ("redis", "编程"))


def test_link_without_scheme_gets_one(ann: Browser, store: Store) -> None:
    ann.fill_in("/submit", **VALID | {"link": "example.com:8080/redis"})
    assert ann.follow().flashes == ["Your article has been posted.", "“https://” was added to its link."]


def test_page_says_in_title_focus_and_summary_what_is_wrong(ann: Browser) -> None:
    ann.fill_in("/submit", link="no link", title="", groups=["nope"])
    assert ann.page.one("title").text.startswith("Error: Post an article")
    assert ann.alert.startswith("Please correct these fields:")
    assert ann.page.one("div", role="alert").values("href", "a") == ["#link", "#title", "#groups-errors"]
    assert [field["name"] for field in ann.form("/submit").all() if "autofocus" in field] == ["link"]
    ann.submit("/submit", link="https://example.com/", title="")
    assert not ann.page.all(role="alert"), "one error is said beside its field only"
    assert [field["name"] for field in ann.form("/submit").all() if "autofocus" in field] == ["title"]
    assert not ann.open("/submit").page.one("title").text.startswith("Error")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["redis", "<b>x</b>", "../x"], "There is no group named <b>x</b>, ../x."),
        (["ask", "books", "go", "lua", "python", "redis"], "An article can be in at most 5 groups."),
        (["ask books go lua python redis"], "An article can be in at most 5 groups."),
    ],
)
def test_invalid_groups_are_refused_beside_the_groups(
    groups: list[str], message: str, ann: Browser, store: Store
) -> None:
    ann.fill_in("/submit", **VALID, groups=groups)
    assert (ann.status, ann.page.by_id("groups-errors").text) == (422, message)
    assert ann.page.one("fieldset")["aria-describedby"].split()[0] == "groups-errors"
    assert store.connection.client.zcard("time:") == 0


@pytest.mark.parametrize("once", ["a:b c", "x" * 10_000, None])
def test_form_with_an_invalid_form_token_still_posts(once: str | None, ann: Browser, store: Store) -> None:
    ann.fill_in("/submit", **VALID, once=once)
    assert (ann.status, store.connection.client.zcard("time:")) == (303, 1)


def test_form_of_an_ended_session_can_be_sent_after_login(ann: Browser, bob: Browser, store: Store) -> None:
    ann.open("/submit")
    store.users.set_password("ann", "another")
    refused = ann.submit("/submit", **VALID).response
    store.users.set_password("ann", store.users.get("bob").password)
    assert ann.log_in("ann").location == "/"
    ann.response = refused
    ann.submit("/submit")
    assert "please send it again" in ann.alert
    assert ann.submit("/submit").location == "/a/1"
