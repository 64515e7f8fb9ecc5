"""A moderator bans a member with everything that was posted, and undoes it."""

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Join, Visit, Window
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def test_ban_removes_what_was_posted_and_its_undo_restores_it(
    visit: Visit, window: Window, store: Store, join: Join
) -> None:
    join("mod", Role.MODERATOR)
    spammer = join("spammer")
    for number in range(2):
        factories.article(store, spammer, title=f"Buy number {number}", link=f"https://{number}.example/")
    factories.comment(store, 1, spammer)
    mod = visit("mod", **window).open("/u/spammer").follow("Ban")
    articles = mod.page.get_by_role("group", name="Articles")
    expect(articles.get_by_role("radio").last).to_have_accessible_name("remove all (2)")
    mod.press("Ban and log out")
    expect(mod.page.get_by_role("alert")).to_contain_text("Please give a reason.")
    mod.type("Reason", "Spam.").type("Days", "7")
    articles.get_by_label("remove all (2)").check()
    mod.page.get_by_role("group", name="Comments").get_by_label("remove those of the last day (1)").check()
    mod.press("Ban and log out")
    mod.is_at("/u/spammer")
    expect(mod.page.locator(".flash").first).to_contain_text("spammer has been banned until")
    list(store.bans.steps())
    mod.open("/new")
    expect(mod.page.get_by_text("Buy number")).to_have_count(0)
    mod.open("/log")
    expect(mod.page.locator(".log li").first).to_contain_text("removing 2 articles and 1 comment")
    mod.press("Undo")
    mod.sees_flash("The action has been undone. The log says so.")
    list(store.bans.steps())
    mod.open("/new")
    expect(mod.row("Buy number 1")).to_be_visible()
    assert not list(Doctor(store.context).examine())
