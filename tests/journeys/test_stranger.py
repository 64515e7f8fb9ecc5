"""A stranger becomes a member, posts and votes, and comes back; votes with script survive a bad connection."""

from pathlib import Path

from playwright.sync_api import Route, expect

from tests import factories
from tests.helpers import until
from tests.journeys.conftest import ROWS, Visit, Window
from tests.journeys.visitor import PASSWORD, Visitor
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def test_stranger_joins_posts_votes_and_comes_back(visit: Visit, window: Window, store: Store) -> None:
    for number in range(1, ROWS + 3):
        factories.article(store, title=f"Ann's article {number}.", groups=("python",))
    carl = visit(**window)
    sign_up(carl, window["script"])
    post(carl)
    vote_and_take_back(carl, window["script"])
    save_and_hide(carl, window["width"], window["script"])
    vote_before_logging_in(carl)
    assert [store.articles.get(id).votes for id in (1, 2, 3)] == [2, 1, 2]
    assert not list(Doctor(store.context).examine())


def sign_up(carl: Visitor, script: bool) -> None:
    """Sign up to vote on page 2, and make recovery codes: they are saved as a file and, with script, copied."""
    carl.open("/new?page=2").vote_button("Ann's article 1.").click()
    carl.follow("Sign up").type("User name", "carl").type("Password", PASSWORD).press("Sign up")
    expect(carl.page.locator(".flash").first).to_have_text(
        "Welcome, carl. Your account has been created, and you are logged in."
    )
    carl.sees_flash("Your vote for “Ann's article 1.” has been counted.")
    shown = carl.press("Make recovery codes").page.locator(".codes code")
    expect(shown).to_have_count(10)
    with carl.page.expect_download() as download:
        carl.follow("Save as a file")
    text = Path(download.value.path()).read_text("utf-8")
    assert all(code in text for code in shown.all_text_contents())
    if script:
        carl.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        carl.press("Copy all")
        expect(carl.page.get_by_role("button", name="Copied")).to_be_visible()
        assert carl.page.evaluate("navigator.clipboard.readText()") == text
    else:
        expect(carl.page.get_by_role("button", name="Copy all")).to_have_count(0)
    carl.follow("Go on").is_at("/new?page=2#a1")
    carl.sees_votes("Ann's article 1.", 2, pressed=True)


def post(carl: Visitor) -> None:
    """Post a text after a refused form, with a double click that posts it once."""
    carl.follow("Post").type("Title", "Carl's thoughts").press("Post")
    link = carl.page.get_by_label("Link", exact=True)
    expect(link).to_have_attribute("aria-invalid", "true")
    expect(link).to_have_accessible_description(
        "The web address it leads to. Leave it empty to post a text. An article needs a link or a text."
    )
    carl.type("Text", "Some **bold** words").page.get_by_label("python", exact=True).check()
    carl.page.get_by_role("main").get_by_role("button", name="Post").dblclick()
    carl.sees_flash("Your article has been posted.")
    expect(carl.page.locator(".text strong")).to_have_text("bold")
    carl.follow("New").is_at("/new")
    expect(carl.row("Carl's thoughts")).to_have_count(1)


def vote_and_take_back(carl: Visitor, script: bool) -> None:
    """Vote in a list and take it back: script stays on the page, without script the list opens at the article."""
    second = carl.page.get_by_role("link", name="Next").get_attribute("href") or ""
    assert second.startswith("/new?page=2&from=")
    carl.follow("Next").is_at(second)
    title = "Ann's article 2."
    carl.page.evaluate("window.isSamePage = true")
    carl.vote_button(title).click()
    carl.sees_votes(title, 2, pressed=True)
    # A second press is ignored until the first is answered.
    expect(carl.page.locator("[data-status]")).to_contain_text("Your vote has been counted.")
    carl.vote_button(title).click()
    carl.sees_votes(title, 1, pressed=False)
    if script:
        expect(carl.page.locator("[data-status]")).to_contain_text("Your vote has been taken back.")
        assert carl.page.evaluate("window.isSamePage") is True
        carl.is_at(second)
    else:
        carl.sees_flash("Your vote has been taken back.")
        carl.is_at(f"{second}#a2")
        expect(carl.vote_button(title)).to_be_in_viewport()


def save_and_hide(carl: Visitor, width: int, script: bool) -> None:
    """Save an article, on a phone on its page; hide one and show it again: with script in its place."""
    if width < 640:
        carl.open("/a/2")
    carl.row("Ann's article 2.").get_by_role("button", name="save").click()
    expect(carl.row("Ann's article 2.").get_by_role("button", name="unsave")).to_be_visible()
    if not script:
        carl.sees_flash("The article is saved for later. Saved articles")
    elif width >= 640:
        row = carl.page.locator("#a2")
        row.get_by_role("button", name="hide").click()
        expect(row).to_have_text("The article is hidden from your lists.Show again")
        row.get_by_role("button", name="Show again").click()
        expect(carl.row("Ann's article 2.").get_by_role("button", name="hide")).to_be_focused()
        carl.is_at("/new?page=2")


def vote_before_logging_in(carl: Visitor) -> None:
    """Vote as a reader: the log-in counts the vote and returns to the article."""
    carl.open("/new").log_out()
    carl.open("/new?page=2").vote_button("Ann's article 3.").click()
    expect(carl.page.get_by_role("main")).to_contain_text("Log in to vote for “Ann's article 3.”.")
    carl.type("User name", "carl").type("Password", PASSWORD).press("Log in").is_at("/new?page=2#a3")
    carl.sees_flash("Your vote for “Ann's article 3.” has been counted.")
    carl.sees_votes("Ann's article 3.", 2, pressed=True)


def test_votes_show_at_once_and_are_taken_back_on_failure(visit: Visit, store: Store) -> None:
    factories.article(store, title="Ann's article")
    bob = visit("bob", expect_errors=True).open("/new")
    title, status = "Ann's article", bob.page.locator("[data-status]")
    held: list[Route] = []
    bob.page.route("**/a/1/*vote", lambda route: held.append(route))
    bob.vote_button(title).dblclick()
    bob.sees_votes(title, 2, pressed=True)
    # The browser shows the vote before it has sent the request; Playwright hands that over when it is asked something.
    until(lambda: bob.page.evaluate("true") and held)
    assert [route.request.url.rpartition("/")[2] for route in held] == ["vote"]
    held[0].continue_()
    expect(status).to_contain_text("Your vote has been counted.")
    bob.page.unroute_all()
    bob.vote_button(title).click()
    expect(status).to_contain_text("Your vote has been taken back.")

    bob.page.route("**/a/1/vote", lambda route: route.fulfill(status=200, body="<html>"))
    for is_offline in (False, True):
        bob.page.context.set_offline(is_offline)
        bob.vote_button(title).click()
        bob.sees_flash("The site cannot be reached, so your vote has not changed. Please try again.")
        expect(bob.page.locator(".vote-error")).to_be_in_viewport()
        bob.sees_votes(title, 1, pressed=False)
        bob.page.unroute_all()
    bob.page.context.set_offline(False)
    bob.vote_button(title).click()
    expect(status).to_contain_text("Your vote has been counted.")
    bob.is_at("/new")
    assert store.articles.get(1).votes == 2

    bob.vote_button(title).click()
    expect(status).to_contain_text("Your vote has been taken back.")
    store.votes.cast(1, store.users.get("bob"))
    bob.vote_button(title).click()
    bob.sees_flash("You have already voted for this article.")
    bob.sees_votes(title, 2, pressed=True)
