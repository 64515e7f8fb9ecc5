"""Where things stand in a real browser: one left edge, tabs that stay, and rows that say nothing twice."""

import time

import pytest

from tests import factories
from tests.journeys.conftest import Visit
from voteweb.store import Store

pytestmark = pytest.mark.heavy

HOST = "blogs.msdn.microsoft.com"
LISTS = {f"/d/{HOST}": ".domain", "/u/ann": ".by", "/good": ".good"}
#: The left edges of the name of the site, the heading, the first tab, titles and the footer.
FIND_EDGES = """() => [".wordmark > span", "main h1:not(.visually-hidden)", "main .orders:first-of-type a", ".headline",
  "footer a"].flatMap(name => [...document.querySelectorAll(name)].slice(0, 1))
  .map(element => Math.round(element.getBoundingClientRect().left))"""
FIND_TABS = "document.querySelector('main .periods').getBoundingClientRect().top"
IS_CUT = "domain => domain.scrollWidth > domain.clientWidth || domain.scrollHeight > domain.clientHeight + 1"


@pytest.fixture(autouse=True)
def story(store: Store) -> None:
    """One good article, which ann posted today."""
    factories.imported(
        store,
        title="Appropriate uses for SQLite",
        link=f"https://{HOST}/1",
        poster=factories.user(store, "ann").name,
        time=time.time() - 3600,
        votes=300,
    )


@pytest.mark.parametrize("path", ["/", "/top?of=week", "/a/1", "/d/" + HOST, "/about", "/nowhere", "/login"])
def test_pages_begin_at_one_edge_on_a_desk(path: str, visit: Visit) -> None:
    visitor = visit(expect_errors=True, width=1280).open(path)
    assert len(set(visitor.page.evaluate(FIND_EDGES))) == 1


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["", "ben"], ids=["reader", "member"])
def test_tabs_stay_where_they_are(name: str, width: int, visit: Visit) -> None:
    visitor = visit(name, width=width)
    assert len({visitor.open(path).page.evaluate(FIND_TABS) for path in ("/", "/top?of=week", "/top?of=all")}) == 1


@pytest.mark.parametrize("path", LISTS)
def test_rows_leave_out_what_the_title_says(path: str, visit: Visit) -> None:
    page = visit(width=1280).open(path).page
    for part in LISTS.values():
        assert page.locator(f".articles {part}").is_visible() == (part != LISTS[path]), part
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.locator(f".articles {LISTS[path]}").is_hidden()
    assert page.locator(".ranked").count() == 0


def test_domains_are_cut_only_without_room(visit: Visit) -> None:
    domain = visit(width=1280).open("/").page.locator(".articles .domain")
    assert (domain.inner_text(), domain.evaluate(IS_CUT)) == (HOST, False)
    domain.page.set_viewport_size({"width": 320, "height": 740})
    assert domain.evaluate(IS_CUT)


def test_saved_articles_take_the_rows_of_other_lists(visit: Visit) -> None:
    visitor = visit("ben", width=360)
    height = "row => row.getBoundingClientRect().height"
    before = visitor.open("/").page.locator("#a1").evaluate(height)
    with visitor.open("/a/1").page.expect_response("**/save"):
        visitor.press("save")
    row = visitor.open("/saved").page.locator("#a1")
    assert row.evaluate(height) == before
    with visitor.page.expect_response("**/unsave"):
        row.get_by_role("button", name="unsave").click()
    visitor.open("/saved").page.get_by_text("You have saved no article yet").wait_for()


def test_large_letters_wrap_the_navigation(visit: Visit) -> None:
    page = visit(width=360).open("/").page
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.locator(".site-header nav").first.evaluate("nav => nav.scrollWidth <= nav.clientWidth")
