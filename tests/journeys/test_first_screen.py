"""How many articles the first screen of a list shows, on a phone and on a desk, over titles as they are on a site."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from tests import factories
from tests.helpers import until
from tests.journeys.conftest import Join, Visit
from tests.journeys.visitor import Visitor
from voteweb.core.models import LogAction, Reason, Role
from voteweb.core.settings import Settings
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

pytestmark = pytest.mark.heavy

MEMBER = "lamplighter_at_sea"
MODERATOR = "mod_of_many_things"
#: Domain, poster, group and title.
STORIES = """\
quietserver.example old_ferry programming We deleted the staging environment and nobody noticed for nine weeks
blog.slowcompiler.example lowercase_l programming The case for returning early from everything
harbour-gazette.example saltmarsh cities How a port of 90,000 people lost its map and redrew it from memory
- quire books What do you write in the front of a book you give away?
sqlite.org ftclausen databases Appropriate uses for SQLite
lichen-letters.example bdoux - A pocket guide to reading the foam on river water
nytimes.com erlend_sh - What I learned from a stroke at 26: make time to untangle
research.bigletters.example iamd3vil science Measuring the depth of a lake with two phones and the speed of sound
pagefault.example kettle-black programming I replaced our job queue with a table and a cron entry; fourteen months later
arstechnica.com johnhenry law Municipal ISP forced to shut off fiber to the home after court ruling
- curiousgal ask Ask: what are the must-read books about economics and finance?
github.com arjun27 databases A fast PostgreSQL client library for Python, three times faster than the usual one
medium.com akkartik - Software development at 1 Hz
bbc.com benevol law Swiss endorse new surveillance powers
openmw.org rocky1138 games OpenMW, open source Elder Scrolls III: a reimplementation of Morrowind
mercurynews.com prostoalex cities Bay Area wages soaring but still cannot keep up with housing prices
oldmaps.example saltmarsh history The surveyor who drew every bridge of a county twice, forty years apart
blog.2ndquadrant.example petergeoghegan databases Bidirectional replication is coming to PostgreSQL
kernel-notes.example linus_fan programming Why does a process that does nothing need eleven megabytes?
spectrum.example quire science Paper batteries that start with a drop of water
letters.example old_ferry - I quit my job, bought an army truck, and spent 19 months driving around Africa
engineering.example ops programming The load balancer that we wrote in a week and have kept for six years
weather.example gale science Forecasts for one street: what a thousand garden stations can tell
typefoundry.example lowercase_l design Numerals that line up, and numerals that do not
archive.example bdoux history Letters from a lighthouse keeper, 1911 to 1924, with all the weather left in
"""
ANNOUNCEMENT = (
    "Tomorrow between 6 and 7 UTC the site can only be read: its database moves. Nothing is lost. The link tells more."
)
MEASURE = """() => [document.querySelector("header").getBoundingClientRect().height,
  ...[...document.querySelectorAll("li.article")].map(row => row.getBoundingClientRect())
  .flatMap(box => [box.height, box.bottom])]"""
#: Where comments begin, and how high those are that nobody has answered.
MEASURE_COMMENTS = """() => {
  const boxes = selector => [...document.querySelectorAll(selector)].map(comment => comment.getBoundingClientRect());
  return [boxes(".thread .comment").map(box => box.top),
    boxes(".thread .comment:not(:has(.replies))").map(box => box.height)];
}"""
#: The targets in rows that are lower than 28 pixels; those of votes have a test of their own.
LOW_TARGETS = """[...document.querySelectorAll("li.article :is(.meta a, .meta button, summary)")]
.filter(element => element.checkVisibility() && element.getBoundingClientRect().height < 28)
.map(element => element.outerHTML)"""


class Screen(NamedTuple):
    """A window, whether it is touched, and what its first screen shows: rows at least, and their height at most."""

    width: int
    height: int
    touch: bool
    rows: int
    row_height: int


PHONE = Screen(360, 740, True, 5, 114)
DESK = Screen(1280, 800, False, 12, 62)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Lists as long as on a site, and one where newcomers wait."""
    return replace(settings, page_size=Settings.page_size, signup="approve")


@pytest.fixture
def stories(store: Store, join: Join) -> None:
    """Articles of minutes to days ago, and something to count in each place of a moderator's header."""
    join(MEMBER)
    moderator = join(MODERATOR, Role.MODERATOR)
    for number, line in enumerate(STORIES.splitlines(), 1):
        domain, poster, group, title = line.split(" ", 3)
        factories.imported(
            store,
            title=title,
            link="" if domain == "-" else f"https://{domain}/{number}",
            text="Just asking." if domain == "-" else "",
            poster=poster,
            groups=() if group == "-" else (group,),
            time=time.time() - number * 4 * 3_600,
            votes=5 * number if number % 6 else 200 + number,
        )
    own = factories.article(store, moderator, title="A note of my own")
    factories.comment(store, own, factories.user(store, MEMBER), text=f"Well said, @{MEMBER} and @{MODERATOR}.")
    factories.comment(store, 1, moderator, text=f"Is it true, @{MEMBER}?")
    store.reports.make(2, factories.user(store, MEMBER), Reason.SPAM, "")
    store.users.make("newcomer", "", network="", request="Please")


@pytest.fixture
def touch(visit: Visit) -> Iterator[Visit]:
    """A function as ``visit``, but with a finger."""
    opened: list[Page] = []

    def open_touched(name: str) -> Visitor:
        visitor = visit(name)
        opened.append(visitor.page)
        _set_touch(visitor.page, True)
        return visitor

    yield open_touched
    for page in opened:
        _set_touch(page, False)


def _set_touch(page: Page, enabled: bool) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": enabled})


@pytest.mark.usefixtures("stories")
@pytest.mark.parametrize(
    ("name", "announcement"),
    [("", ""), (MEMBER, ""), (MODERATOR, ""), (MODERATOR, ANNOUNCEMENT)],  # whose header is the highest
    ids=["reader", "member", "moderator", "announcement"],
)
def test_first_screen_shows_many_articles(
    name: str, announcement: str, visit: Visit, touch: Visit, store: Store
) -> None:
    if announcement:
        admin = factories.user(store, "root", Role.ADMIN)
        entry = NewLogEntry(LogAction.SWITCH, admin.name, title="announcement", why=announcement)
        store.site_settings.set_switch(SwitchName.ANNOUNCEMENT, "/about", entry, actor=admin)
    for screen in (PHONE, DESK):
        visitor = (touch if screen.touch else visit)(name)
        visitor.page.set_viewport_size({"width": screen.width, "height": screen.height})
        until(lambda visitor=visitor: visitor.open("/").page.locator(".announcement").count() == bool(announcement))
        for path in ("/", "/new"):
            header, *boxes = visitor.open(path).page.evaluate(MEASURE)
            heights, ends = boxes[::2], boxes[1::2]
            assert len(heights) == Settings.page_size
            assert max(heights) <= screen.row_height, (path, screen, heights)
            assert sum(end <= screen.height for end in ends) >= screen.rows, (path, screen, header, ends)
            assert visitor.page.evaluate(LOW_TARGETS) == []


@pytest.fixture
def talk(store: Store, join: Join) -> int:
    """The id of an article with a link, after a member has seen the first of its comments of one line each."""
    join(MEMBER)
    author = factories.user(store, "old_ferry")
    article = factories.article(store, author, title="Homebrew 1.0.0", link="https://brew.sh/1").id
    for number in range(1, 31):
        factories.comment(store, article, author, parent=number // 3 if number % 3 else 0, text="Agreed.")
        if number == 3:
            pipeline = store.pipeline()
            store.threads.queue_read(pipeline, article, visitor=MEMBER)
            pipeline.execute()
    return article


@pytest.mark.parametrize(("screen", "top", "height"), [(PHONE, 520, 100), (DESK, 350, 80)], ids=["phone", "desk"])
@pytest.mark.parametrize("name", ["", MEMBER], ids=["reader", "member"])
def test_conversation_begins_on_the_first_screen(
    screen: Screen, top: int, height: int, name: str, visit: Visit, touch: Visit, talk: int
) -> None:
    visitor = (touch if screen.touch else visit)(name)
    visitor.page.set_viewport_size({"width": screen.width, "height": screen.height})
    visitor.open(f"/a/{talk}")
    (first, *_), heights = visitor.page.evaluate(MEASURE_COMMENTS)
    assert first <= top
    assert len(heights) > 10
    assert max(heights) <= height
    if name:
        (line,) = visitor.page.locator(".new-comments").all()
        assert line.evaluate("line => line.getBoundingClientRect().height") <= 28
        assert visitor.page.locator(".new-links").count() > 10


@pytest.mark.usefixtures("stories")
@pytest.mark.parametrize("name", ["", MEMBER, MODERATOR], ids=["reader", "member", "moderator"])
def test_header_has_two_rows_at_most(name: str, touch: Visit) -> None:
    visitor = touch(name)
    for width in (320, 360):
        visitor.page.set_viewport_size({"width": width, "height": 740})
        header = visitor.open("/").page.locator("header")
        assert header.evaluate("header => header.getBoundingClientRect().height") <= 2 * 44 + 8
        assert header.locator(".badge").count() == {"": 0, MEMBER: 1, MODERATOR: 3}[name]
        assert visitor.overflow() == 0
