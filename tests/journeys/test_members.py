"""The life of an article in a community, with and without script, on a phone and on a desk: all by buttons."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role, User
from voteweb.store import Store

LINK = "https://www.example.com/redis/"


def fits(visitor: Visitor) -> Visitor:
    """Fail when the page is wider than its window, or its console said more than that an answer was 4xx."""
    assert visitor.overflow() <= 0, visitor.place
    assert all("status of 4" in words for words in visitor.complaints), visitor.complaints
    return visitor


def test_an_article_is_posted_edited_reported_removed_and_restored(
    visit: Visit, script: bool, width: int, store: Store, join: Callable[..., User]
) -> None:
    def open_browser(name: str, role: Role = Role.MEMBER) -> Visitor:
        join(name, role)
        return fits(visit(script=script, width=width, expect_complaints=True).log_in(name))

    ann, bob, mod = open_browser("ann"), open_browser("bob"), open_browser("mod", Role.MODERATOR)
    reader = visit(script=script, width=width, expect_complaints=True)
    factories.article(store, factories.user(store, "zoe"), title="The earlier one", link=LINK)

    # Ann posts, is warned, and posts all the same. (The warning has used an id up.)
    ann.open("/submit").type("Title", "Redis, agian").type("Link", f"{LINK}?utm_source=x").press("Post")
    expect(fits(ann).page.get_by_role("heading", name="This link was posted already")).to_be_visible()
    expect(ann.vote_button("The earlier one")).to_be_visible()
    expect(ann.page.get_by_label("Title", exact=True)).to_have_value("Redis, agian")
    ann.press("Post it anyway").is_at("/a/3")
    ann.says("Your article is posted.")

    # She mends her slip of the pen.
    fits(ann).follow("Edit")
    expect(fits(ann).page.get_by_text("You can change your article until ")).to_be_visible()
    ann.type("Title", "Redis, again").press("Save").is_at("/a/3")
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Redis, again")

    # Bob reports it, the moderator removes it from the queue, in two presses.
    bob.open("/a/3").page.get_by_text("Report to the moderators").click()
    bob.page.get_by_text("Already posted").click()
    bob.type("Note (if it helps)", "See the other one.")
    fits(bob).press("Report").is_at("/a/3#a3")
    bob.says("Thank you. The moderators will look at it.")
    fits(mod.open("/")).follow("Reports 1").is_at("/reports")
    expect(mod.row("Redis, again")).to_contain_text("Already posted: See the other one. bob, just now")
    mod.type("Reason to remove “Redis, again”", "Posted twice.").press("Remove").is_at("/reports#a3")
    expect(fits(mod).page.get_by_text("Nothing is reported.")).to_be_visible()

    # Ann is told why, and still reads it; bob and everybody else are told why.
    expect(ann.open("/a/3").page.get_by_role("note")).to_contain_text("A moderator removed this article: Posted twice.")
    expect(fits(ann).page.get_by_role("heading", level=1)).to_have_text("Redis, again")
    for person in (bob, reader):
        expect(person.open("/a/3").page.get_by_role("heading", level=1)).to_have_text("Gone")
        expect(fits(person).page.get_by_text("A moderator removed this article: Posted twice.")).to_be_visible()
        expect(person.open("/new").row("Redis, again")).to_have_count(0)

    # The moderator thinks better of it.
    mod.follow("Moderation log").press("Undo").is_at("/log#l1")
    mod.says("The act is undone; the log says so.")
    fits(mod)
    expect(reader.open("/new").row("Redis, again")).to_be_visible()
    expect(ann.open("/a/3").page.get_by_role("note")).to_have_count(0)

    # Everybody reads what was done.
    acts = fits(reader.open("/").follow("Moderation log")).page.locator(".log > li > p:first-child")
    expect(acts).to_have_text(["mod restored “Redis, again”", "mod removed “Redis, again”: Posted twice. undone"])
    assert not list(store.doctor.examine())


def test_a_member_is_banned_and_told_why_on_the_next_page(
    visit: Visit, script: bool, width: int, join: Callable[..., User]
) -> None:
    for name, role in (("bob", Role.MEMBER), ("mod", Role.MODERATOR)):
        join(name, role)
    bob = visit(script=script, width=width, expect_complaints=True).log_in("bob")
    mod = visit(script=script, width=width, expect_complaints=True).log_in("mod").open("/u/bob")
    mod.page.get_by_text("Ban", exact=True).click()
    mod.type("Reason", "Nothing but spam.").press("Ban and log out").is_at("/u/bob")
    expect(fits(mod).page.get_by_text("Nothing but spam.").first).to_be_visible()
    fits(bob.open("/new")).says("This account is banned: Nothing but spam.")
    bob.log_in("bob")
    expect(fits(bob).page.get_by_role("alert")).to_have_text("This account is banned: Nothing but spam.")
    mod.page.get_by_text("Let in again").first.click()
    mod.page.get_by_role("button", name="Let in again").click()
    mod.says("bob can log in again.")
    bob.log_in("bob").is_at("/")
