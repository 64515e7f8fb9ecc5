"""A member joins, posts and votes, with and without script."""

from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests import factories
from tests.journeys.conftest import ROWS, Join, Visit, Window
from tests.journeys.visitor import PASSWORD, Visitor
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def test_member_joins_posts_votes_logs_out_and_votes_again(
    visit: Visit, window: Window, store: Store, join: Join
) -> None:
    join("ann")
    for number in range(1, ROWS + 4):
        factories.article(store, title=f"Ann's article {number}.", groups=("python",))
    carl = visit(**window)
    code = sign_up_and_post(carl, window["script"])
    vote_and_take_back(carl, window["script"])
    assert store.articles.get(3).votes == 1
    log_out_and_vote(carl)
    assert store.articles.get(4).votes == 2
    forget_the_password(carl, code)
    assert not list(Doctor(store.context).examine())


def sign_up_and_post(carl: Visitor, script: bool) -> str:
    """Return one of the recovery codes that are offered after sign-up."""
    carl.open("/").follow("Sign up").type("User name", "carl").type("Password", PASSWORD).press("Sign up")
    carl.sees_flash("Welcome, carl. Your account has been created, and you are logged in.")
    codes = make_recovery_codes(carl, script)
    carl.follow("Go on").is_at("/")
    carl.follow("Post").type("Title", "Carl's link").type("Link", "https://example.com/carl")
    carl.page.get_by_label("python", exact=True).check()
    carl.press("Post").sees_flash("Your article has been posted.")
    carl.is_at(f"/a/{ROWS + 4}")
    carl.follow("New").is_at("/new")
    expect(carl.row("Carl's link").locator(".chip")).to_have_text("python")
    expect(carl.row("Carl's link").locator("span.vote")).to_have_attribute("title", "Your own article")
    return codes[3]


def make_recovery_codes(carl: Visitor, script: bool) -> list[str]:
    """Return the codes, which are saved as a file and, with script, copied."""
    shown = carl.press("Make recovery codes").page.locator(".codes code")
    expect(shown).to_have_count(10)
    codes = shown.all_text_contents()
    assert len(set(codes)) == 10
    with carl.page.expect_download() as download:
        carl.follow("Save as a file")
    text = Path(download.value.path()).read_text("utf-8")
    assert all(code in text for code in codes)
    if script:
        carl.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        carl.press("Copy all")
        expect(carl.page.get_by_role("button", name="Copied")).to_be_visible()
        assert carl.page.evaluate("navigator.clipboard.readText()") == text
    else:
        expect(carl.page.get_by_role("button", name="Copy all")).to_have_count(0)
    return codes


def vote_and_take_back(carl: Visitor, script: bool) -> None:
    """Vote in a list and take it back: script stays on the page, without script the list opens at the article."""
    carl.follow("Next").is_at("/new?page=2")
    title = "Ann's article 3."
    carl.page.evaluate("window.isSamePage = true")
    carl.sees_votes(title, 1, pressed=False)
    carl.vote_button(title).click()
    carl.sees_votes(title, 2, pressed=True)
    # A second press is ignored until the first is answered.
    expect(carl.page.locator("[data-status]")).to_contain_text("Your vote has been counted.")
    carl.vote_button(title).click()
    carl.sees_votes(title, 1, pressed=False)
    if script:
        expect(carl.page.locator("[data-status]")).to_contain_text("Your vote has been taken back.")
        assert carl.page.evaluate("window.isSamePage") is True
        carl.is_at("/new?page=2")
    else:
        carl.sees_flash("Your vote has been taken back.")
        carl.is_at("/new?page=2#a3")
        expect(carl.vote_button(title)).to_be_in_viewport()


def log_out(carl: Visitor) -> None:
    carl.open("/account").press("Log out")
    carl.is_at("/")


def log_out_and_vote(carl: Visitor) -> None:
    """Vote as a reader: the log-in counts the vote and returns to the article."""
    log_out(carl)
    carl.open("/new?page=2").vote_button("Ann's article 4.").click()
    expect(carl.page.get_by_role("main")).to_contain_text("Log in to vote for “Ann's article 4.”.")
    carl.type("User name", "carl").type("Password", PASSWORD).press("Log in")
    carl.is_at("/new?page=2#a4")
    carl.sees_flash("Your vote for “Ann's article 4.” has been counted.")
    carl.sees_votes("Ann's article 4.", 2, pressed=True)


def forget_the_password(carl: Visitor, code: str) -> None:
    """Set a new password with a recovery code; the code does not work again."""
    for flash in ("Your new password is set, and all other sessions have ended. Left: 9 recovery codes.", ""):
        log_out(carl)
        carl.follow("Log in").follow("Forgot your password?").type("User name", "Carl")
        carl.type("Recovery code", code.upper().replace("-", " ")).type("New password", f"{PASSWORD} 2")
        carl.press("Set the password")
        if flash:
            carl.sees_flash(flash)
    expect(carl.page.get_by_role("alert")).to_contain_text("No member has this name and this recovery code.")


@pytest.fixture
def bob(visit: Visit, store: Store, join: Join) -> Visitor:
    """A member with scripts, on a list with an article of ann's."""
    factories.article(store, title="Ann's article")
    join("bob")
    return visit("bob", expect_errors=True).open("/new")


@pytest.mark.parametrize("failure", ["offline", "no-json"])
def test_vote_that_cannot_be_sent_is_taken_back_in_the_look(failure: str, bob: Visitor, store: Store) -> None:
    """The page stays, and the next attempt counts."""
    if failure == "offline":
        bob.page.context.set_offline(True)
    else:
        bob.page.route("**/a/1/vote", lambda route: route.fulfill(status=200, body="<html>"))
    bob.vote_button("Ann's article").click()
    bob.sees_flash("The site cannot be reached, so your vote has not changed. Please try again.")
    expect(bob.page.locator(".vote-error")).to_be_in_viewport()
    bob.sees_votes("Ann's article", 1, pressed=False)
    bob.page.context.set_offline(False)
    bob.page.unroute_all()
    bob.vote_button("Ann's article").click()
    expect(bob.page.locator("[data-status]")).to_contain_text("Your vote has been counted.")
    bob.sees_votes("Ann's article", 2, pressed=True)
    bob.is_at("/new")
    assert store.articles.get(1).votes == 2


def test_vote_is_shown_before_the_site_has_answered(bob: Visitor) -> None:
    held: list[Route] = []
    bob.page.route("**/a/1/*vote", lambda route: held.append(route))
    bob.vote_button("Ann's article").dblclick()
    bob.sees_votes("Ann's article", 2, pressed=True)
    assert [route.request.url.rpartition("/")[2] for route in held] == ["vote"]
    held[0].continue_()
    expect(bob.page.locator("[data-status]")).to_contain_text("Your vote has been counted.")
    bob.page.unroute_all()
    bob.vote_button("Ann's article").click()
    bob.sees_votes("Ann's article", 1, pressed=False)


def test_refusal_of_a_fetched_vote_is_shown_on_the_page(bob: Visitor, store: Store) -> None:
    store.votes.cast(1, store.users.get("bob"))
    bob.vote_button("Ann's article").click()
    bob.sees_flash("You have already voted for this article.")
    bob.sees_votes("Ann's article", 2, pressed=True)


def test_double_click_on_a_vote_button_does_no_harm(visit: Visit, window: Window, store: Store, join: Join) -> None:
    factories.article(store, title="Ann's article")
    join("bob")
    bob = visit("bob", **window, expect_errors=True).open("/new")
    bob.vote_button("Ann's article").dblclick(no_wait_after=True)
    bob.page.wait_for_load_state()
    assert store.articles.get(1).votes in (1, 2)
    assert not list(Doctor(store.context).examine())


def test_member_posts_a_text_after_a_refused_form(visit: Visit, window: Window, join: Join) -> None:
    join("bob")
    bob = visit("bob", **window).open("/submit").type("Title", "My thoughts").press("Post")
    expect(bob.page.get_by_label("Link", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(bob.page.get_by_label("Link", exact=True)).to_have_accessible_description(
        "The web address it leads to. Leave it empty to post a text. An article needs a link or a text."
    )
    bob.type("Text", "Some **bold** words\n\n    code = 1").press("Post")
    bob.sees_flash("Your article has been posted.")
    expect(bob.page.locator(".text strong")).to_have_text("bold")


def test_double_click_on_post_posts_once(visit: Visit, window: Window, store: Store, join: Join) -> None:
    join("bob")
    bob = visit("bob", **window).open("/submit").type("Title", "My thoughts").type("Text", "Some words")
    bob.page.get_by_role("main").get_by_role("button", name="Post").dblclick()
    bob.is_at("/a/1")
    assert store.connection.client.zcard("time:") == 1
