"""How many articles the first screen of a list shows, on a phone and on a desk, over titles as they are on a site."""

import time
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.helpers import until
from tests.journeys import full_conversation
from tests.journeys.conftest import Visit
from voteweb.core.models import LogAction, LogEntry, Reason, Role
from voteweb.core.settings import Settings
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store

pytestmark = pytest.mark.heavy

MEMBER = "lamplighter_at_sea"
MODERATOR = "mod_of_many_things"
PAGE_SIZE = 13
#: Domain, poster, group and title.
STORIES = """\
quietserver.example old_ferry programming We deleted the staging environment and nobody noticed for nine weeks
blog.slowcompiler.example lowercase_l programming The case for returning early from everything
harbour-gazette.example saltmarsh cities How a port of 90,000 people lost its map and redrew it from memory
letters.example quire books What do you write in the front of a book you give away?
sqlite.org ftclausen databases Appropriate uses for SQLite
lichen-letters.example bdoux nature A pocket guide to reading the foam on river water
nytimes.com erlend_sh health What I learned from a stroke at 26: make time to untangle
research.bigletters.example iamd3vil science Measuring the depth of a lake with two phones
pagefault.example kettle-black programming I replaced our job queue with a table and a cron entry
arstechnica.com johnhenry law Municipal ISP forced to shut off fiber to the home
economists.example curiousgal ask Ask: what are the must-read books about economics and finance?
github.com arjun27 databases A fast PostgreSQL client library for Python
medium.com akkartik programming Software development at 1 Hz
"""
ANNOUNCEMENT = (
    "Tomorrow between 6 and 7 UTC the site can only be read: its database moves. Nothing is lost. The link tells more."
)
MEASURE = """() => [document.querySelector("header").getBoundingClientRect().height,
  ...[...document.querySelectorAll("li.article")].map(row => row.getBoundingClientRect())
  .flatMap(box => [box.height, box.bottom])]"""
HEIGHTS = "rows => rows.map(row => Math.round(row.getBoundingClientRect().height))"
#: Where comments begin, and how high those are that nobody has answered.
MEASURE_COMMENTS = """() => {
  const boxes = selector => [...document.querySelectorAll(selector)].map(comment => comment.getBoundingClientRect());
  return [boxes(".thread .comment").map(box => box.top),
    boxes(".thread .comment:not(:has(.comment))").map(box => box.height)];
}"""
#: Where title, text and comments begin, and how far the middle of the conversation is from that of the window.
MEASURE_COLUMN = """() => {
  const boxes = ["h1", ".text", ".comment"].map(name => document.querySelector(name).getBoundingClientRect());
  const {left, right} = document.querySelector("main").getBoundingClientRect();
  return [boxes.map(box => box.left), Math.abs(left + right - document.documentElement.clientWidth) / 2];
}"""
#: Whether one of 44 pixels around the middle of each element presses it.
ARE_LARGE = """elements => elements.every(element => {
  element.scrollIntoView({block: "center"});
  const {x, y, width, height} = element.getBoundingClientRect();
  return [[-21, 0], [21, 0], [0, -21], [0, 21]].every(([right, down]) =>
    element.contains(document.elementFromPoint(x + width / 2 + right, y + height / 2 + down)));
})"""
#: The targets in rows that are lower than 28 pixels; those of votes have a test of their own.
LOW_TARGETS = """[...document.querySelectorAll("li.article :is(.meta a, .meta button, summary)")]
.filter(element => element.checkVisibility() && element.getBoundingClientRect().height < 28)
.map(element => element.outerHTML)"""


PHONE: dict[str, Any] = {"width": 360, "height": 740, "has_touch": True}
DESK: dict[str, Any] = {"width": 1280, "height": 800}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Lists that are longer than a screen, on a site where newcomers wait."""
    return replace(settings, page_size=PAGE_SIZE, signup="approve")


@pytest.fixture
def stories(store: Store) -> None:
    """Articles of minutes to days ago, and something to count in each place of a moderator's header."""
    member, moderator = factories.user(store, MEMBER), factories.user(store, MODERATOR, Role.MODERATOR)
    for number, line in enumerate(STORIES.splitlines(), 1):
        domain, poster, group, title = line.split(" ", 3)
        factories.imported(
            store,
            title=title,
            link=f"https://{domain}/{number}",
            poster=poster,
            groups=(group,),
            time=time.time() - number * 14_400,
            votes=5 * number if number % 6 else 200 + number,
        )
    own = factories.article(store, moderator, title="A note of my own")
    factories.comment(store, own, member, text=f"Well said, @{MEMBER} and @{MODERATOR}.")
    factories.comment(store, 1, moderator, text=f"Is it true, @{MEMBER}?")
    store.reports.make(2, member, Reason.SPAM, "")
    store.users.make("newcomer", "", network="", request="Please")


@pytest.mark.usefixtures("stories")
@pytest.mark.parametrize(
    ("screen", "rows", "row_height", "header_height"), [(PHONE, 8, 75, 2 * 44 + 8), (DESK, 12, 62, 52)]
)
@pytest.mark.parametrize(
    ("name", "announcement", "badges"),
    [("", "", 0), (MEMBER, "", 1), (MODERATOR, "", 2), (MODERATOR, ANNOUNCEMENT, 2)],  # whose header is the highest
    ids=["reader", "member", "moderator", "announcement"],
)
def test_first_screen_shows_many_articles_below_a_low_header(
    name: str,
    announcement: str,
    badges: int,
    screen: dict[str, Any],
    rows: int,
    row_height: int,
    header_height: int,
    visit: Visit,
    store: Store,
) -> None:
    if announcement:
        admin = factories.user(store, "root", Role.ADMIN)
        entry = LogEntry(LogAction.SWITCH, admin.name, title="announcement", why=announcement)
        store.site_settings.set_switch(SwitchName.ANNOUNCEMENT, "/about", entry, actor=admin)
    page = (visitor := visit(name, **screen)).page
    until(lambda: visitor.open("/").page.locator(".announcement").count() == bool(announcement))
    for path in ("/", "/new"):
        header, *boxes = visitor.open(path).page.evaluate(MEASURE)
        heights, ends = boxes[::2], boxes[1::2]
        assert header <= header_height
        assert len(heights) == PAGE_SIZE
        assert max(heights) <= row_height, (path, heights)
        assert sum(end <= screen["height"] for end in ends) >= rows - bool(announcement), (path, header, ends)
        assert page.evaluate(LOW_TARGETS) == []
    assert page.locator("header .badge").count() == badges
    if screen is PHONE:
        page.set_viewport_size({"width": 320, "height": 740})
        assert page.evaluate(MEASURE)[0] <= header_height
    assert visitor.overflow() == 0


@pytest.mark.parametrize(("screen", "top", "height"), [(PHONE, 520, 95), (DESK, 350, 75)])
@pytest.mark.parametrize("name", ["", MEMBER], ids=["reader", "member"])
def test_conversation_begins_on_the_first_screen(
    screen: dict[str, Any], top: int, height: int, name: str, visit: Visit, store: Store
) -> None:
    author = factories.user(store, "old_ferry")
    factories.article(store, author, title="Homebrew 1.0.0", link="https://brew.sh/1", text="After nine years.")
    for number in range(1, 31):
        factories.comment(store, 1, author, parent=number // 3 if number % 3 else 0, text="Agreed.")
        if number == 3:
            full_conversation.read(store, factories.user(store, MEMBER), 1)
    visitor = visit(name, **screen)
    for path in ("/comments", f"/u/{author.name}/comments"):
        heights = visitor.open(path).page.locator(".listed-comments > li").evaluate_all(HEIGHTS)
        assert 62 <= min(heights) <= max(heights) <= height, path
    page = visitor.open("/a/1").page
    (first, *_), heights = page.evaluate(MEASURE_COMMENTS)
    assert first <= top
    assert len(heights) > 10
    assert min(heights) >= 62
    assert max(heights) <= height
    if screen is PHONE:
        targets = page.locator(".thread button.vote, .replies > summary, .new-comments a")
        assert targets.count() == 60 + bool(name)
        assert targets.evaluate_all(ARE_LARGE)
    edges, _ = page.evaluate(MEASURE_COLUMN)
    assert len(set(edges)) == 1
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert page.evaluate(MEASURE_COLUMN)[1] < 1
    assert page.locator("#comments .welcome").count() == (not name)
    if name:
        (line,) = page.locator(".new-comments").all()
        assert line.evaluate("line => line.getBoundingClientRect().height") <= 28
        assert page.locator(".new-links").count() > 10


@pytest.mark.usefixtures("stories")
def test_form_to_post_fits_one_screen(visit: Visit) -> None:
    page = visit(MEMBER, **DESK).open("/submit").page
    link, button, post = (
        page.locator(shown).bounding_box() for shown in ("#link", "[formaction='/submit/title']", ".buttons .button")
    )
    assert link
    assert button
    assert post
    assert (button["y"], button["height"]) == (link["y"], link["height"])
    assert post["y"] + post["height"] <= DESK["height"]


@pytest.mark.usefixtures("stories")
def test_groups_take_two_lines_and_stay_dark_where_chosen(visit: Visit, store: Store) -> None:
    factories.group(store, "harbours", "Harbours", "Boats, ropes and the people who keep both in order. " * 3)
    visitor = visit(MEMBER, **DESK)
    visitor.page.emulate_media(color_scheme="light")
    visitor.open("/account").press("Dark").open("/groups")
    assert set(visitor.page.locator(".groups > li").evaluate_all(HEIGHTS)) == {64}
    visitor.page.set_viewport_size({"width": 360, "height": 740})
    lines = visitor.page.locator(".groups .meta")
    assert not lines.evaluate_all("lines => lines.some(line => line.scrollWidth > line.clientWidth)")
    assert visitor.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 21, 18)"
