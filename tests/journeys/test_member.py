"""A member's way through the site, with and without script, on a phone and on a desk."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Request, Route, expect

from tests import factories
from tests.journeys.conftest import Visit
from tests.journeys.visitor import PASSWORD, Visitor
from voteweb.core.models import User
from voteweb.store import Store


def test_join_post_vote_take_back_log_out_and_vote_as_a_reader(
    visit: Visit, script: bool, width: int, store: Store, join: Callable[..., User]
) -> None:
    join("ann")
    for i in range(1, 31):
        factories.article(store, title=f"Ann's article {i}.", groups=("python",))
    carl = visit(script=script, width=width)

    carl.open("/").follow("Sign up").type("User name", "carl").type("Password", PASSWORD).press("Sign up")
    carl.says("Welcome, carl. Your account is made, and you are logged in.")

    carl.follow("Post").type("Title", "Carl's link").type("Link", "https://example.com/carl")
    carl.page.get_by_label("python", exact=True).check()
    carl.press("Post").says("Your article is posted.")
    carl.is_at("/a/31")
    carl.follow("New").is_at("/new")
    expect(carl.row("Carl's link").locator(".chip")).to_have_text("python")
    expect(carl.row("Carl's link").locator("span.vote")).to_have_attribute("title", "Your own article")

    carl.follow("Next").is_at("/new?page=2")
    vote_and_take_back(carl, "Ann's article 3.", "/new?page=2", script)
    assert store.articles.get(3).votes == 1

    carl.page.get_by_role("button", name="Log out").click()
    carl.is_at("/")
    carl.open("/new?page=2").vote_button("Ann's article 4.").click()
    carl.is_at("/login?next=/new?page%3D2%23a4")
    carl.type("User name", "carl").type("Password", PASSWORD).press("Log in")
    carl.is_at("/new?page=2#a4")
    carl.vote_button("Ann's article 4.").click()
    carl.sees_votes("Ann's article 4.", 2, pressed=True)
    assert store.articles.get(4).votes == 2
    assert not list(store.doctor.examine())


def vote_and_take_back(carl: Visitor, title: str, place: str, script: bool) -> None:
    """Vote from a list and take it back: with script the page stays, without it comes back at the article."""
    carl.page.evaluate("window.stayed = true")
    carl.sees_votes(title, 1, pressed=False)
    carl.vote_button(title).click()
    carl.sees_votes(title, 2, pressed=True)
    if not script:
        carl.says("Your vote is counted.")
    carl.vote_button(title).click()
    carl.sees_votes(title, 1, pressed=False)
    if script:
        expect(carl.page.locator("[data-status]")).to_contain_text("Your vote is taken back.")
        assert carl.page.evaluate("window.stayed") is True
        carl.is_at(place)
    else:
        carl.says("Your vote is taken back.")
        carl.is_at(f"{place}#a3")
        expect(carl.vote_button(title)).to_be_in_viewport()


@pytest.mark.parametrize("way", ["aborted", "refused", "nonsense"])
def test_a_vote_that_cannot_be_fetched_is_sent_as_usual(
    way: str, visit: Visit, store: Store, join: Callable[..., User]
) -> None:
    factories.article(store, title="Ann's article")
    join("bob")
    bob = visit(expect_complaints=True)
    bob.log_in("bob").open("/new")
    answers = {
        "aborted": lambda route: route.abort(),
        "refused": lambda route: route.fulfill(status=503, json={"error": {}}),
        "nonsense": lambda route: route.fulfill(status=200, body="<html>"),
    }

    def fail_fetch(route: Route, request: Request) -> None:
        if request.resource_type == "fetch":
            answers[way](route)
        else:
            route.continue_()

    bob.page.route("**/a/1/vote", fail_fetch)
    bob.vote_button("Ann's article").click()
    bob.says("Your vote is counted.")
    bob.is_at("/new#a1")
    bob.sees_votes("Ann's article", 2, pressed=True)
    assert store.articles.get(1).votes == 2


def test_what_was_refused_to_script_is_said_on_the_page(visit: Visit, store: Store, join: Callable[..., User]) -> None:
    factories.article(store, title="Ann's article")
    user = join("bob")
    bob = visit(expect_complaints=True)
    bob.log_in("bob").open("/new")
    store.votes.cast(1, user)
    bob.vote_button("Ann's article").click()
    bob.says("You have already voted for this article.")
    bob.sees_votes("Ann's article", 2, pressed=True)


def test_an_impatient_click_does_no_harm(visit: Visit, script: bool, store: Store, join: Callable[..., User]) -> None:
    factories.article(store, title="Ann's article")
    join("bob")
    bob = visit(script=script, expect_complaints=True)
    bob.log_in("bob").open("/new")
    bob.vote_button("Ann's article").dblclick(no_wait_after=True)
    bob.page.wait_for_load_state()
    assert store.articles.get(1).votes in (1, 2)
    assert not list(store.doctor.examine())


def test_a_member_posts_a_text_with_mistakes_first(visit: Visit, script: bool, join: Callable[..., User]) -> None:
    join("bob")
    bob = visit(script=script, width=360).log_in("bob")
    bob.open("/submit").type("Title", "My thoughts").press("Post")
    expect(bob.page.get_by_label("Link", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(bob.page.get_by_label("Link", exact=True)).to_have_accessible_description(
        "The web address it leads to. Leave it empty to post a text. An article needs a link or a text."
    )
    bob.type("Text", "Some **bold** words\n\n    code = 1").press("Post")
    bob.says("Your article is posted.")
    expect(bob.page.locator(".text strong")).to_have_text("bold")


def test_an_impatient_member_posts_once(visit: Visit, script: bool, store: Store, join: Callable[..., User]) -> None:
    join("bob")
    bob = visit(script=script).log_in("bob")
    bob.open("/submit").type("Title", "My thoughts").type("Text", "Some words")
    bob.page.get_by_role("main").get_by_role("button", name="Post").dblclick()
    bob.is_at("/a/1")
    assert store.connection.client.zcard("time:") == 1
