"""Several visitors at the same time: an article's life from posting to restoring, and a ban."""

import time

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Join, Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor

LINK = "https://www.example.com/redis/"


def fits(visitor: Visitor) -> Visitor:
    """Fail if the page is wider than its window, or the console has an error other than a response of 4xx."""
    visitor.page.locator("footer").wait_for()  # a page that is being left has none
    assert visitor.overflow() == 0, visitor.path
    assert all("status of 4" in text for text in visitor.console_errors), visitor.console_errors
    return visitor


@pytest.fixture
def enter(visit: Visit, window: Window, join: Join) -> Visit:
    """A function that opens the browser of a new member, or of a reader, in this window."""

    def enter(name: str = "", role: Role = Role.MEMBER) -> Visitor:
        if name:
            join(name, role)
        return visit(name, **window, expect_errors=True)

    return enter


def test_article_is_posted_edited_reported_removed_and_restored(enter: Visit, store: Store) -> None:
    ann, bob, mod, reader = enter("ann"), enter("bob"), enter("mod", Role.MODERATOR), enter()
    factories.article(store, factories.user(store, "zoe"), title="The earlier one", link=LINK)
    post_despite_the_duplicate(ann)
    correct_the_title(ann)
    report(bob)
    remove_from_the_queue(mod)
    check_who_reads_the_removed_article(ann, bob, reader)
    undo_the_removal(mod)
    expect(reader.open("/new").row("Redis, again")).to_be_visible()
    expect(ann.open("/a/3").page.get_by_role("note")).to_have_count(0)
    check_the_log(reader)
    assert not list(Doctor(store.context).examine())


def post_despite_the_duplicate(ann: Visitor) -> None:
    ann.page.clock.install()
    ann.open("/submit").page.clock.pause_at(time.time() + 60)  # else the script may ask about the link before the press
    ann.type("Title", "Redis, agian").type("Link", f"{LINK}?utm_source=x").press("Post")
    ann.page.clock.resume()
    expect(fits(ann).page.get_by_role("heading", name="This link was posted already")).to_be_visible()
    expect(ann.vote_button("The earlier one")).to_be_visible()
    expect(ann.page.get_by_label("Title", exact=True)).to_have_value("Redis, agian")
    ann.press("Post it anyway").is_at("/a/3")  # the refused form has used the id 2
    ann.sees_flash("Your article has been posted.")


def correct_the_title(ann: Visitor) -> None:
    fits(ann).follow("Edit")
    expect(fits(ann).page.get_by_text("You can change your article until ")).to_be_visible()
    ann.type("Title", "Redis, again").press("Save").is_at("/a/3")
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Redis, again")


def report(bob: Visitor) -> None:
    bob.open("/a/3").page.locator("#report > summary").click()
    bob.page.get_by_text("Already posted").click()
    bob.type("Note (optional)", "See the other one.")
    fits(bob).press("Report").is_at("/a/3#a3")
    bob.sees_flash("Thank you for your report. The moderators will look at it.")


def remove_from_the_queue(mod: Visitor) -> None:
    fits(mod.open("/")).follow("Reports 1").is_at("/reports")
    expect(mod.row("Redis, again")).to_contain_text("Already posted: See the other one. bob, just now")
    mod.type("Reason, shown to everybody Redis, again", "Posted twice.").press("Remove").is_at("/reports#a3")
    expect(fits(mod).page.get_by_text("There are no open reports.")).to_be_visible()


def check_who_reads_the_removed_article(ann: Visitor, bob: Visitor, reader: Visitor) -> None:
    expect(ann.open("/a/3").page.get_by_role("note")).to_contain_text("A moderator removed this article: Posted twice.")
    expect(fits(ann).page.get_by_role("heading", level=1)).to_have_text("Redis, again")
    for visitor in (bob, reader):
        expect(visitor.open("/a/3").page.get_by_role("heading", level=1)).to_have_text("No longer available")
        expect(fits(visitor).page.get_by_text("A moderator removed this article: Posted twice.")).to_be_visible()
        expect(visitor.open("/new").row("Redis, again")).to_have_count(0)


def undo_the_removal(mod: Visitor) -> None:
    mod.follow("Log").press("Undo").is_at("/log#l1")
    mod.sees_flash("The action has been undone. The log says so.")
    fits(mod)


def check_the_log(reader: Visitor) -> None:
    entries = fits(reader.open("/").follow("Log")).page.locator(".log > li > p:first-child")
    expect(entries).to_have_text(["mod restored “Redis, again”", "mod removed “Redis, again”: Posted twice. undone"])


def test_banned_member_sees_the_reason_on_the_next_page(enter: Visit) -> None:
    bob, mod = enter("bob"), enter("mod", Role.MODERATOR)
    mod.open("/u/bob").page.get_by_text("Ban", exact=True).click()
    mod.type("Reason", "Nothing but spam.").press("Ban and log out").is_at("/u/bob")
    expect(fits(mod).page.get_by_text("Nothing but spam.").first).to_be_visible()
    fits(bob.open("/new")).sees_flash("This account is banned: Nothing but spam.")
    bob.log_in("bob")
    expect(fits(bob).page.get_by_role("alert")).to_have_text("This account is banned: Nothing but spam.")
    mod.page.get_by_text("Lift the ban").first.click()
    mod.press("Lift the ban")
    mod.sees_flash("bob can log in again.")
    bob.log_in("bob").is_at("/")
