"""Where things stand in a real browser: one left edge, tabs that stay, and rows that say nothing twice."""

import time

import pytest
from playwright.sync_api import expect

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
#: The top of the tabs, and how far the first row is below them.
FIND_TABS = """() => {
  const [tabs, row] = ["main .tabs", ".article"].map(name => document.querySelector(name).getBoundingClientRect());
  return [tabs.top, row.top - tabs.bottom];
}"""
IS_CUT = "element => element.scrollWidth > element.clientWidth"
#: Whether the last letters of an element are inside it.
ENDS_INSIDE = """element => {
  const range = document.createRange();
  const text = element.lastChild;
  range.setStart(text, text.length - 4);
  range.setEnd(text, text.length);
  const [ending, box] = [range, element].map(one => one.getBoundingClientRect());
  return ending.left >= box.left && ending.right <= box.right + 1 && ending.bottom <= box.bottom + 1;
}"""
#: The tops of the words of some elements.
FIND_WORDS = """elements => [...new Set(elements.map(element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect().top;
}))]"""
FIND_RIGHT_EDGES = "elements => [...new Set(elements.map(element => element.getBoundingClientRect().right))]"
#: Where the lines of the vote and the meta line of an article begin.
FIND_LINES = """() => [...new Set(Object.values(Object.groupBy(
  [...document.querySelectorAll(".article-detail .vote, .article-detail .meta > *")].map(
    element => element.getBoundingClientRect()).filter(box => box.width),
  box => Math.round((box.top + box.bottom) / 20))).map(line => Math.round(Math.min(...line.map(box => box.left)))))]"""


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
def test_tabs_stay_where_they_are_above_the_first_row(width: int, visit: Visit) -> None:
    visitor = visit("ben", width=width)
    ((_, room),) = {tuple(visitor.open(path).page.evaluate(FIND_TABS)) for path in ("/", "/top?of=week", "/top?of=all")}
    assert room >= 8
    assert len(visitor.page.locator(".periods a").evaluate_all(FIND_WORDS)) == 1


def test_phone_aligns_the_parts_of_a_meta_line(visit: Visit) -> None:
    parts = visit(width=360).open("/").page.locator("#a1 .meta :is(.domain, time, [href='/a/1#comments'])")
    boxes = [part.bounding_box() for part in parts.all()]
    assert len({(box["y"], box["height"]) for box in boxes if box}) == 1


def test_notices_and_forms_end_at_one_edge(visit: Visit) -> None:
    parts = visit("ben", width=1280).open("/account").page.locator("main :is(.flash, .fields:visible)")
    assert parts.count() == 2
    assert len(parts.evaluate_all(FIND_RIGHT_EDGES)) == 1


@pytest.mark.parametrize("name", ["", "ben"], ids=["reader", "member"])
def test_one_link_is_that_of_the_front_page(name: str, visit: Visit) -> None:
    visitor = visit(name).open("/")
    assert visitor.page.get_by_role("link", name="Hot").count() == 1
    assert visitor.open("/top").page.locator("main [aria-current]", has_text="Day").count() == 1
    assert visitor.page.locator("main").get_by_role("link", name="Hot").count() == 0


@pytest.mark.parametrize("path", LISTS)
def test_rows_leave_out_what_the_title_says(path: str, visit: Visit) -> None:
    page = visit(width=1280).open(path).page
    for part in LISTS.values():
        assert page.locator(f".articles {part}").is_visible() == (part != LISTS[path]), part
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.locator(f".articles {LISTS[path]}").is_hidden()
    assert page.locator(".ranked").count() == 0


def test_domains_are_cut_only_without_room_and_at_their_start(visit: Visit) -> None:
    domain = visit(width=1280).open("/").page.locator(".articles .domain")
    assert (domain.inner_text(), domain.evaluate(IS_CUT)) == (HOST, False)
    domain.page.set_viewport_size({"width": 320, "height": 740})
    assert (domain.evaluate(IS_CUT), domain.evaluate(ENDS_INSIDE)) == (True, True)


def test_meta_line_of_an_article_goes_on_where_it_began(visit: Visit, store: Store) -> None:
    names = [factories.group(store, letter * 20, letter).name for letter in "abc"]
    article = factories.article(store, title="T", groups=tuple(names))
    (edge,) = visit(width=360).open(f"/a/{article.id}").page.evaluate(FIND_LINES)
    assert edge == 12


@pytest.mark.parametrize("width", [320, 360])
def test_ten_letters_of_a_members_name_fit_a_phone(width: int, visit: Visit) -> None:
    name = visit("fresh_eyes", width=width).open("/").page.locator(".own-name")
    assert not name.evaluate(IS_CUT)


def test_pointer_shows_the_fold_of_one_comment(visit: Visit, store: Store) -> None:
    factories.comment(store, 1, text="Well said.")
    page = visit().open("/a/1").page
    fold = page.locator(".replies > summary")
    expect(fold).to_have_css("opacity", "0")
    page.locator(".comment .text").hover()
    expect(fold).to_have_css("opacity", "1")
    page.mouse.move(0, 0)
    expect(fold).to_have_css("opacity", "0")
    fold.focus()
    expect(fold).to_have_css("opacity", "1")
    phone = visit(width=360, has_touch=True).open("/a/1").page
    expect(phone.locator(".replies > summary")).to_have_css("opacity", "1")


def test_age_of_a_comment_stays_in_one_piece(visit: Visit, store: Store) -> None:
    poster = factories.user(store, "lamplighter_at_sea")
    article = factories.article(store, poster, title="T")
    factories.comment(store, article, poster, text="Well said.")
    page = visit().open(f"/a/{article.id}").page
    for width in range(320, 420, 4):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator(".comment-head time").evaluate("time => time.getClientRects().length") == 1, width


@pytest.mark.parametrize("width", [360, 1280])
def test_error_page_has_one_search(width: int, visit: Visit) -> None:
    page = visit(expect_errors=True, width=width).open("/nowhere").page
    assert [field.is_visible() for field in page.locator("input[type=search]").all()] == [width > 360, width == 360]


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
