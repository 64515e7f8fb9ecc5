"""Every page in a real browser: accessible in both themes, never wider than its window, easy to press on a phone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.helpers import needs
from tests.journeys.conftest import Visit
from tests.journeys.full_site import LONG_WORD, MODERATOR, PAGES
from tests.journeys.visitor import Visitor
from voteweb.store import Store
from voteweb.web import static_files

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
    "button.vote, .site-header nav a, .site-header button, .pages a, .orders a, main .button, .button-secondary, "
    "summary:not(.articles *), label.chip, .field input:not([type=checkbox], [type=radio]), .moderation-form button, "
    ".moderation-form input:not([type])"
)
#: The targets that do not react 21 pixels above and below their middle.
FIND_LOW_TARGETS = """selector => [...document.querySelectorAll(selector)].filter(element => {
  element.scrollIntoView({block: "center"});
  const box = element.getBoundingClientRect();
  const isHit = y => element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2 + y));
  return !(isHit(-21) && isHit(21));
}).map(element => element.outerHTML)"""

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
    page.evaluate(SET_TEXT_SIZE, "200%")
    yield "wider than 360 px, text of 200 %", visitor.overflow()
    page.evaluate(SET_TEXT_SIZE, "")
    yield "low targets", page.evaluate(FIND_LOW_TARGETS, TARGETS)
    yield "violations, dark", violations(page, VISUAL_RULES)


def resize(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    return sorted(set(page.evaluate(FIND_VIOLATIONS, options)))


@pytest.mark.heavy
@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("name", PAGES, ids=["reader", "member", "moderator", "admin"])
def test_pages_are_accessible_and_fit_their_window(name: str, visit: Visit) -> None:
    visitor = visit(name, expect_errors=True)  # of pages that do not exist
    axe = AXE.read_text("utf-8") if AXE.exists() else NO_AXE
    found = {}
    for path in PAGES[name]:
        visitor.open(path).open_details().page.evaluate(axe)
        found |= {(path, check): result for check, result in problems(visitor) if result}
    assert found == {}
    needs(AXE.exists(), "axe-core in .ci/node_modules")


@pytest.mark.usefixtures("filled")
def test_refused_forms_do_not_scroll_sideways(visit: Visit) -> None:
    mod = visit(MODERATOR, width=320)
    mod.open("/submit").type("Title", LONG_WORD * 3).type("Link", LONG_WORD).press("Post")
    expect(mod.page.locator("#title-errors")).to_be_visible()
    assert mod.overflow() == 0
    mod.open("/groups/new").type("Name", LONG_WORD).type("Title", LONG_WORD).press("Create the group")
    expect(mod.page.locator("#name-errors")).to_be_visible()
    assert mod.overflow() == 0


def test_script_that_fails_does_not_stop_the_others(visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('throw new Error("broken");\n')
    (tmp_path / "b.js").write_text('document.title = "still works";\n')
    script = static_files.load(tmp_path)["site.js"].body.decode()
    page = visit(expect_errors=True).open("/").page
    page.evaluate(f"() => {{\n{script}}}")
    expect(page).to_have_title("still works")


def test_ages_tell_the_local_time_and_that_of_utc(visit: Visit, store: Store) -> None:
    factories.imported(store, time=1_456_789_000)
    for script, told in ((True, "1 Mar 2016, 08:36 (29 Feb 2016, 23:36 UTC)"), (False, "29 Feb 2016, 23:36 UTC")):
        visitor = visit(script=script)
        devtools = visitor.page.context.new_cdp_session(visitor.page)
        devtools.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
        expect(visitor.open("/").page.locator("time")).to_have_attribute("title", told)
        devtools.send("Emulation.setTimezoneOverride", {"timezoneId": ""})
