"""A member follows groups, hides an article and saves another, with and without script."""

from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def test_member_chooses_what_to_read(visit: Visit, window: Window, store: Store) -> None:
    for title, group in (("One", "go"), ("Two", "lua"), ("Three", "lua"), ("Four", "go")):
        factories.article(store, factories.user(store, "zoe"), title=title, groups=(group,))
    ann = visit("ann", **window)
    ann.open("/my").follow("Choose groups")
    ann.page.get_by_role("button", name="Follow lua").click()
    ann.page.locator(".flash").get_by_role("link", name="My groups").click()
    rows = ann.page.locator(".articles > .article")
    expect(rows).to_have_count(2)
    ann.press("Show my groups there").follow("Top")
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("My groups")
    ann.follow("All articles")
    expect(rows).to_have_count(4)
    if window["width"] < 640:  # a phone has these buttons on the article's page
        ann.open("/a/3").press("save").open("/a/2").press("hide")
    else:
        rows.filter(has_text="Three").get_by_role("button", name="save").click()
        ann.sees_flash("The article is saved for later. Saved articles")
        rows.filter(has_text="Two").get_by_role("button", name="hide").click()
    expect(
        ann.page.locator(".flash", has_text="from your lists." if window["width"] >= 640 else "you hide the article")
    ).to_be_visible()
    ann.open("/?of=all")
    expect(rows).to_have_count(3)
    ann.open("/saved")
    expect(rows).to_have_count(1)
    ann.open("/hidden").press("Show again the article “Two”").sees_flash("It is shown in your lists again.")
    ann.open("/my")
    expect(rows).to_have_count(2)
    assert not list(Doctor(store.context).examine())
