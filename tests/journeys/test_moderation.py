"""A moderator judges what waits, bans a member, and undoes both; others see it at once."""

import re

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from voteweb.core.models import DomainAction, LogAction, LogEntry, Reason, Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def test_moderator_judges_three_kinds_of_waiting_things_with_four_clicks(
    visit: Visit, window: Window, store: Store
) -> None:
    """Each click loads one page."""
    mod = visit("mod", Role.MODERATOR, **window)
    store.users.make("hal", "", network="", request="I write about compilers.")
    rule = LogEntry(LogAction.DOMAIN, "mod", title="look.example", why="A look first.")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=store.users.get("mod"))
    draft = factories.draft(title="A new site", link="https://look.example/")
    store.articles.post(draft, factories.user(store, "bob"), factories.token())
    reported = factories.article(store, store.users.get("bob"))
    store.reports.make(reported.id, factories.user(store, "carl"), Reason.TOPIC, "")
    mod.open("/").follow("Queue 3").is_at("/queue")
    assert mod.overflow() == 0
    mod.press("Let in").is_at("/queue#people")
    mod.press("Publish").is_at("/queue#held")
    mod.press("Dismiss the reports").is_at("/queue#reports")
    expect(mod.page.get_by_text("Nothing waits.")).to_be_visible()


def test_moderator_removes_bans_and_undoes_both(visit: Visit, window: Window, store: Store) -> None:
    bob, carl = (visit(name, **window, expect_errors=True) for name in ("bob", "carl"))
    mod = visit("mod", Role.MODERATOR, **window)
    for number in (1, 2):
        factories.article(store, store.users.get("bob"), title=f"Buy number {number}")
    factories.comment(store, 2, store.users.get("bob"))

    carl.open("/a/1").page.locator("#report > summary").click()
    carl.page.get_by_text("Already posted").click()
    assert carl.overflow() == 0
    carl.type("Note (optional)", "See the other one.").press("Report").is_at("/a/1#a1")
    carl.sees_flash("Thank you for your report. The moderators will look at it.")

    mod.open("/").follow("Queue 1").is_at("/queue")
    expect(mod.row("Buy number 1")).to_contain_text("Already posted: See the other one. carl, just now")
    assert mod.overflow() == 0
    mod.type("Reason, shown to everybody Buy number 1", "Posted twice.").press("Remove").is_at("/queue#reports")
    expect(mod.page.get_by_text("Nothing waits.")).to_be_visible()
    expect(carl.open("/a/1").page.get_by_text("A moderator removed this article: Posted twice.")).to_be_visible()
    mod.follow("Log").press("Undo").is_at("/log#l1")
    mod.sees_flash("The action has been undone. The log says so.")
    expect(carl.open("/new").row("Buy number 1")).to_be_visible()

    mod.open("/u/bob").follow("Ban").type("Reason", "Nothing but spam.").type("Days", "7")
    mod.page.get_by_role("group", name="Articles").get_by_label("remove all (2)").check()
    mod.page.get_by_role("group", name="Comments").get_by_label("remove those of the last day (1)").check()
    mod.press("Ban and log out").is_at("/u/bob")
    expect(mod.page.locator(".flash").first).to_contain_text("bob has been banned until")
    list(store.bans.steps())
    expect(bob.open("/new").page.locator(".flash").last).to_contain_text("Nothing but spam.")
    expect(bob.page.get_by_text("Buy number")).to_have_count(0)
    bob.log_in("bob")
    expect(bob.page.get_by_role("alert")).to_contain_text("Nothing but spam.")

    mod.open("/log").press("Undo")
    mod.sees_flash("The action has been undone. The log says so.")
    list(store.bans.steps())
    bob.log_in("bob").is_at("/")
    expect(bob.open("/new").row("Buy number 1")).to_be_visible()
    assert not list(Doctor(store.context).examine())


def test_two_moderators_who_decide_about_one_report_are_told(visit: Visit, window: Window, store: Store) -> None:
    """In the queue a page says it; in a list, with script, the row does."""
    maya, amir = (visit(name, Role.MODERATOR, **window, expect_errors=True) for name in ("maya", "amir"))
    for title in ("First", "Second"):
        article = factories.article(store, factories.user(store, "bob"), title=title)
        store.reports.make(article.id, factories.user(store, "carl"), Reason.TOPIC, "")
    for moderator in (maya, amir):
        moderator.open("/queue")
    maya.row("First").get_by_role("button", name="Dismiss the reports").click()
    maya.is_at("/queue#reports")
    amir.row("First").get_by_role("button", name="Remove").click()
    expect(amir.page.get_by_role("heading", level=1)).to_have_text("Decided meanwhile")
    expect(amir.page.locator(".intro")).to_contain_text("maya dismissed the reports of “First” (")
    assert amir.loaded().overflow() == 0
    expect(maya.open("/new").row("First")).to_be_visible()
    amir.press("Do it all the same").is_at("/queue#reports")

    amir.open("/new")
    maya.open("/queue").press("Dismiss the reports").is_at("/queue#reports")
    row = amir.row("Second")
    row.get_by_text("Moderate", exact=True).click()
    row.get_by_label("Reason, shown to everybody").fill("Off topic.")
    row.get_by_role("button", name="Remove").click()
    expect(amir.page.get_by_text("maya dismissed the reports of “Second” (")).to_be_visible()
    name = "Remove" if amir.loaded().page.url.endswith("/new") else "Do it all the same"
    amir.page.get_by_role("button", name=name).click()
    expect(amir.page).to_have_url(re.compile("/new"))
    expect(row).to_have_count(0)
    assert not list(Doctor(store.context).examine())
