"""A moderator acts on what was reported, bans who posted it, and undoes both; others see it at once."""

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor

TITLE = "Buy my book"


def test_what_is_reported_is_removed_and_comes_back(visit: Visit, window: Window, store: Store) -> None:
    factories.article(store, factories.user(store, "bob"), title=TITLE)
    factories.comment(store, 1, store.users.get("bob"), text="Only today!")
    carl, mod = visit("carl", **window, expect_errors=True), visit("mod", Role.MODERATOR, **window)
    report(carl)
    remove_from_the_queue(mod)
    expect(carl.open("/a/1").page.get_by_role("heading", level=1)).to_have_text("No longer available")
    expect(carl.page.get_by_text("A moderator removed this article: It is an advertisement.")).to_be_visible()
    expect(carl.open("/new").row(TITLE)).to_have_count(0)
    undo_the_last_act(mod)
    mod.is_at("/log#l1")
    expect(carl.open("/new").row(TITLE)).to_be_visible()
    close_and_open(carl, mod)
    assert not list(Doctor(store.context).examine())


def report(carl: Visitor) -> None:
    carl.open("/a/1").page.locator("#report > summary").click()
    carl.page.get_by_text("Already posted").click()
    assert carl.overflow() == 0
    carl.type("Note (optional)", "See the other one.").press("Report").is_at("/a/1#a1")
    carl.sees_flash("Thank you for your report. The moderators will look at it.")


def remove_from_the_queue(mod: Visitor) -> None:
    mod.open("/").follow("Reports 1").is_at("/reports")
    expect(mod.row(TITLE)).to_contain_text("Already posted: See the other one. carl, just now")
    assert mod.overflow() == 0
    mod.type(f"Reason, shown to everybody {TITLE}", "It is an advertisement.").press("Remove").is_at("/reports#a1")
    expect(mod.page.get_by_text("There are no open reports.")).to_be_visible()


def undo_the_last_act(mod: Visitor) -> None:
    mod.open("/log").page.get_by_role("button", name="Undo").first.click()
    mod.sees_flash("The action has been undone. The log says so.")


def close_and_open(carl: Visitor, mod: Visitor) -> None:
    mod.open("/a/1").page.get_by_text("Moderate the conversation").click()
    mod.page.locator("form[action='/a/1/close']").get_by_label("Reason, shown to everybody").fill("Enough")
    mod.press("Close the conversation")
    expect(carl.open("/a/1").page.get_by_text("A moderator closed this conversation")).to_contain_text("Enough")
    expect(carl.page.get_by_role("link", name="Reply")).to_have_count(0)
    mod.open("/a/1").press("Open the conversation again")
    expect(carl.open("/a/1").page.get_by_role("link", name="Reply")).to_be_visible()


def test_ban_removes_what_was_posted_and_its_undo_restores_it(visit: Visit, window: Window, store: Store) -> None:
    bob, mod = visit("bob", **window, expect_errors=True), visit("mod", Role.MODERATOR, **window)
    for number in range(2):
        factories.article(
            store, store.users.get("bob"), title=f"Buy number {number}", link=f"https://{number}.example/"
        )
    factories.comment(store, 1, store.users.get("bob"))
    articles = mod.open("/u/bob").follow("Ban").page.get_by_role("group", name="Articles")
    mod.type("Reason", "Nothing but spam.").type("Days", "7")
    articles.get_by_label("remove all (2)").check()
    mod.page.get_by_role("group", name="Comments").get_by_label("remove those of the last day (1)").check()
    mod.press("Ban and log out").is_at("/u/bob")
    expect(mod.page.locator(".flash").first).to_contain_text("bob has been banned until")
    list(store.bans.steps())
    bob.open("/new")
    expect(bob.page.locator(".flash").last).to_contain_text("Nothing but spam.")
    expect(bob.page.get_by_text("Buy number")).to_have_count(0)
    bob.log_in("bob")
    expect(bob.page.get_by_role("alert")).to_contain_text("Nothing but spam.")
    mod.open("/log").press("Undo")
    mod.sees_flash("The action has been undone. The log says so.")
    list(store.bans.steps())
    bob.log_in("bob").is_at("/")
    expect(bob.open("/new").row("Buy number 1")).to_be_visible()
    assert not list(Doctor(store.context).examine())
