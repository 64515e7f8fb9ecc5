"""Every page in a real browser: accessible in both themes, never wider than its window, easy to press on a phone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.helpers import needs
from tests.journeys.conftest import Visit
from tests.journeys.full_site import LONG_WORD, PAGES
from tests.journeys.visitor import Visitor
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.web.base import static_files

AXE = Path(__file__).parents[2] / ".ci" / "node_modules" / "axe-core" / "axe.min.js"
#: The rules of axe for WCAG 2.1 AA, and its best practices.
RULES: dict[str, Any] = {}
#: The rules whose result depends on the colors, and the rule of WCAG 2.2: the HTML is the same in both themes.
VISUAL_RULES = {"runOnly": ["color-contrast", "link-in-text-block", "target-size"]}
FIND_VIOLATIONS = """options => axe.run(document, {resultTypes: ['violations'], ...options})
.then(result => result.violations.flatMap(violation => violation.nodes.map(node => `${violation.id}: ${node.html}`)))"""
#: Without axe, the other checks are made before the test is skipped.
NO_AXE = "window.axe = {run: async () => ({violations: []})}"
#: Everything that is pressed often, but links in texts and what is smaller in rows of lists.
TARGETS = (
    "button.vote, .site-header :is(nav a, button):not(.menu *), .pages a, .orders a, .orders [name=order], "
    "main .button, .button-secondary, summary:not(.articles *), label.chip, "
    ".field input:not([type=checkbox], [type=radio]), .moderation-form button, .moderation-form input:not([type])"
)
#: The targets that do not react 21 pixels above and below their middle.
FIND_LOW_TARGETS = """selector => [...document.querySelectorAll(selector)].filter(element => {
  element.scrollIntoView({block: "center"});
  const box = element.getBoundingClientRect();
  const isHit = y => element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2 + y));
  return !(isHit(-21) && isHit(21));
}).map(element => element.outerHTML)"""

#: Texts of 40 letters and more in a column in which hardly two words stand beside each other.
FIND_NARROW_TEXTS = """() => [...document.querySelectorAll("main :is(p, a, h1, h2, h3)")].filter(element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return element.checkVisibility() && element.innerText.length >= 40 && range.getBoundingClientRect().width < 120;
}).map(element => element.outerHTML)"""
#: The widths of the pictures at some addresses.
FIND_WIDTHS = """addresses => Promise.all(addresses.map(async address => {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image.naturalWidth;
}))"""
SET_TEXT_SIZE = "size => { document.documentElement.style.fontSize = size; }"


def problems(visitor: Visitor) -> Iterator[tuple[str, Any]]:
    """Yield what is wrong with the page, by check: with a wide window and the light theme, then narrow and dark.

    A window of 320 pixels is one of 1280 at a zoom of 400 %.
    """
    page = visitor.page
    page.emulate_media(color_scheme="light")
    for width in (320, 1280):
        resize(page, width)
        yield f"wider than {width} px", visitor.overflow()
    yield "violations, light", violations(page, RULES)
    page.emulate_media(color_scheme="dark")
    resize(page, 360)
    yield "wider than 360 px", visitor.overflow()
    yield "narrow texts", page.evaluate(FIND_NARROW_TEXTS)
    page.evaluate(SET_TEXT_SIZE, "200%")
    for width in (641, 360):  # the least width with the layout of wide windows, and a phone
        resize(page, width)
        yield f"wider than {width} px, text of 200 %", visitor.overflow()
    page.evaluate(SET_TEXT_SIZE, "")
    yield "low targets", page.evaluate(FIND_LOW_TARGETS, TARGETS)
    yield "violations, dark", violations(page, VISUAL_RULES)


def resize(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    return sorted(set(page.evaluate(FIND_VIOLATIONS, options)))


@pytest.mark.parametrize("width", [360, 1280])
def test_the_menu_of_a_member_opens_and_closes(width: int, visit: Visit) -> None:
    visitor = visit("ann", width=width).open("/new")
    page, summary = visitor.page, visitor.page.locator(".menu summary")
    summary.click()
    page.wait_for_selector(".menu li a")
    assert (page.evaluate(FIND_LOW_TARGETS, ".menu :is(a, button)"), visitor.overflow()) == ([], 0)
    page.keyboard.press("Escape")
    expect(page.locator(".menu[open]")).to_have_count(0)
    expect(page.locator(".own-name")).to_be_focused()
    summary.click()
    page.mouse.click(20, 700)
    expect(page.locator(".menu[open]")).to_have_count(0)
    summary.click()
    page.locator(".menu").get_by_text("Saved articles").click()
    page.wait_for_url("**/saved")


@pytest.mark.heavy
@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("name", PAGES, ids=["reader", "member", "moderator", "admin"])
def test_pages_are_accessible_and_fit_their_window(name: str, visit: Visit) -> None:
    visitor = visit(name, expect_errors=True)  # of pages that do not exist
    axe = AXE.read_text("utf-8") if AXE.exists() else NO_AXE
    visitor.page.add_init_script(axe)  # sent once, and not to each page
    found = {}
    for path in PAGES[name]:
        visitor.open(path).open_details()
        found |= {(path, check): result for check, result in problems(visitor) if result}
    assert found == {}
    needs(AXE.exists(), "axe-core in .ci/node_modules")


def test_refused_forms_do_not_scroll_sideways(visit: Visit) -> None:
    mod = visit("mod", Role.MODERATOR, width=320)
    mod.open("/submit").type("Title", LONG_WORD * 3).type("Link", LONG_WORD).press("Post")
    expect(mod.page.locator("#title-errors")).to_be_visible()
    assert mod.overflow() == 0
    mod.open("/groups/new").type("Name", LONG_WORD).type("Title", LONG_WORD).press("Create the group")
    expect(mod.page.locator("#name-errors")).to_be_visible()
    assert mod.overflow() == 0


def test_chromium_runs_the_scripts_and_reads_what_describes_the_site(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    """Times are the reader's, and a script that fails stops no other."""
    factories.comment(store, factories.article(store), text="</script>")
    factories.imported(store, time=1_456_789_000)
    visitor = visit(expect_errors=True, timezone_id="Asia/Tokyo").open("/")
    page = visitor.page
    expect(page.locator("#a2 time")).to_have_attribute("title", "1 Mar 2016, 08:36 (29 Feb 2016, 23:36 UTC)")
    expect(visitor.open("/a/2").page.locator("#why time").first).to_have_text("1 Mar 2016, 08:36")
    visitor.open("/a/1")
    assert json.loads(page.locator("script[type='application/ld+json']").inner_text())
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["share_target"]["action"] == "/submit"
    sizes = {
        "/favicon.ico": 48,
        "/static/icon-192.png": 192,
        "/static/icon-maskable-512.png": 512,
        "/static/share.png": 1200,
    }
    assert page.evaluate(FIND_WIDTHS, [*sizes]) == [*sizes.values()]
    (tmp_path / "a.js").write_text('throw new Error("broken");\n')
    (tmp_path / "b.js").write_text('document.title = "still works";\n')
    page.evaluate(f"() => {{\n{static_files.load(tmp_path)['site.js'].body.decode()}}}")
    expect(page).to_have_title("still works")


def test_refusal_of_a_vote_by_script_has_the_readers_time(visit: Visit, store: Store) -> None:
    article = factories.article(store, title="A title")
    bob = visit("bob", expect_errors=True, timezone_id="Asia/Tokyo").open("/new")
    store.connection.command("HSET", store.keys.article(article.id), "closes", 1_456_789_000)
    bob.vote_button("A title").click()
    bob.sees_flash("Voting closed on 1 Mar 2016, 08:36.")
