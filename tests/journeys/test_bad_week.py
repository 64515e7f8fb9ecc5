"""A bad week: a vote ring, spam from one network, somebody unpleasant, two groups for one subject, and a new moderator.

Each act takes as many clicks and page loads as its visit says.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.core import config
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.store import Store
from voteweb.store.doctor import Doctor

# Their views, and what they do to the data, are tested one by one in `make test`.
pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def sound(store: Store) -> Iterator[None]:
    """Fail if the doctor finds anything after the visit."""
    yield
    assert not list(Doctor(store.context).examine())


@contextmanager
def taking(visitor: Visitor, *, clicks: int, loads: int) -> Iterator[None]:
    """Fail unless the block takes this many clicks of *visitor*, and loads as many pages."""
    before = (visitor.clicks, visitor.loads)
    yield
    assert (visitor.clicks - before[0], visitor.loads - before[1]) == (clicks, loads)
    assert visitor.overflow() == 0


def join(store: Store, *names: str) -> None:
    """Make members who signed up from one network."""
    for name in names:
        store.users.make(name, "", network="192.0.2.7")


def test_vote_ring_is_found_and_its_votes_are_taken_back(visit: Visit, window: Window, store: Store) -> None:
    ring = [f"ring{number}" for number in range(4)]
    join(store, *ring)
    ids = [factories.article(store, store.users.get(name), title=f"By {name}").id for name in ring]
    for id, poster in zip(ids, ring, strict=True):
        for name in {*ring, "ann", "bob"} - {poster}:
            if name in ring or id == 1:
                store.votes.cast(id, factories.user(store, name))
    mod = visit("mod", Role.MODERATOR, **window).open("/a/1")
    with taking(mod, clicks=8, loads=3):
        mod.follow("Voters")
        expect(mod.page.get_by_text("Votes together with").first).to_be_visible()
        for name in ring:
            mod.tick(f"Choose {name}")
        mod.press("Ban those who are chosen").type("Reason", "A vote ring.")
        mod.tick("take back their votes where voting is open (12)").press("Ban and log out")
    list(store.bans.steps())
    assert [store.articles.get(id).votes for id in ids] == [3, 1, 1, 1]


def test_spam_wave_ends_with_four_clicks(visit: Visit, window: Window, store: Store) -> None:
    spammers = [f"spam{number}" for number in range(8)]
    join(store, *spammers)
    for name in spammers:
        for number in range(2):
            factories.article(store, store.users.get(name), title=f"Buy {name} {number}")
    mod = visit("mod", Role.MODERATOR, **window).open("/new")
    with taking(mod, clicks=4, loads=4):
        mod.follow("discuss").follow("by spam7").follow("Ban several of them").type("Reason", "Spam.")
        mod.press("Spam: for good, all of it")
    list(store.bans.steps())
    assert all(store.users.get(name).banned for name in spammers)
    expect(mod.open("/new").page.locator(".article")).to_have_count(0)


def test_unpleasant_member_is_hidden_everywhere(visit: Visit, window: Window, store: Store) -> None:
    troll = factories.user(store, "troll")
    ann = visit("ann", **window)
    factories.article(store, store.users.get("ann"), title="Mine")
    factories.article(store, troll, title="By the troll")
    factories.comment(store, 1, troll, text="You know nothing, @ann.")
    ann.open("/u/troll")
    with taking(ann, clicks=1, loads=1):
        ann.press("Hide this member")
    expect(ann.open("/new").page.get_by_text("By the troll")).to_have_count(0)
    expect(ann.page.get_by_role("link", name="Inbox", exact=True)).to_be_visible()
    expect(ann.open("/a/1").page.get_by_text("You hide troll")).to_be_visible()
    expect(ann.page.get_by_text("You know nothing")).to_be_hidden()


def test_two_groups_become_one(visit: Visit, window: Window, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.group(store, "golang")
    factories.article(store, title="In Go", groups=("go",))
    chief = visit("chief", Role.ADMIN, **window).open("/g/go")
    mod = visit("mod", Role.MODERATOR, **window)
    for number in range(2):
        with taking(chief, clicks=2, loads=2):
            chief.follow("Edit").type("Merge into", "golang").press("Merge")
        expect(chief.page.get_by_text("chief has planned to merge")).to_be_visible()
        if not number:
            mod.open("/queue")
            with taking(mod, clicks=1, loads=1):
                mod.press("Stop the merge")
            monkeypatch.setattr(config, "MERGE_DELAY_SECONDS", 0)
            chief.open("/g/go")
    list(store.group_merges.steps())
    mod.open("/g/go").is_at("/g/golang")
    expect(mod.row("In Go")).to_be_visible()


def test_what_a_new_moderator_did_wrong_is_undone_at_once(visit: Visit, window: Window, store: Store) -> None:
    chief, newcomer = visit("chief", Role.ADMIN, **window), visit("newcomer", **window)
    for number in range(3):
        factories.article(store, title=f"Article {number}")
    role = LogEntry(LogAction.ROLE, "chief", about="newcomer", why=Role.MODERATOR.value)
    store.users.set_role("newcomer", Role.MODERATOR, role, actor=store.users.get("chief"))
    newcomer.open("/").follow("Inbox 1")
    newcomer.follow("Guide for moderators").is_at("/guide")
    for id in (1, 2, 3):
        factories.remove(store, id, by="newcomer", actor=store.users.get("newcomer"))
    chief.open("/u/newcomer")
    with taking(chief, clicks=3, loads=3):
        chief.follow("Undo what newcomer did").follow("Last day").press("Undo 3 acts")
    list(store.undoing.steps())
    expect(chief.open("/new").page.locator(".article")).to_have_count(3)


def test_what_a_rogue_moderator_changed_comes_back(visit: Visit, window: Window, store: Store) -> None:
    ann, chief = visit("ann", **window), visit("chief", Role.ADMIN, **window)
    rogue = visit("rogue", Role.MODERATOR, **window)
    factories.group(store, "go", "Go", "The language.")
    factories.article(store, store.users.get("ann"), title="Mine", text="My words.", groups=("go",))
    for number in range(7):
        rogue.open("/a/1/edit").type("Title", f"Vandal {number}").type("Text", "").press("Save").is_at("/a/1")
    rogue.open("/g/go/edit").type("Title", "Rust").press("Save").is_at("/g/go")
    rogue.open("/groups/new").type("Name", "mine").type("Title", "My group").press("Create the group")
    ann.open("/inbox").follow("Both versions, and your answer").is_at("/a/1/edits")
    assert ann.overflow() == 0
    expect(ann.page.get_by_text("My words.")).to_be_visible()
    ann.type("Your answer to the moderators", "I never wrote that.").press("Send the answer")
    expect(chief.open("/queue").page.get_by_text("I never wrote that.")).to_be_visible()
    chief.open("/u/rogue/undo?since=day")
    expect(chief.page.get_by_role("heading", name="What stays: 1 act")).to_be_visible()
    chief.press("Undo 8 acts")
    list(store.undoing.steps())
    expect(ann.open("/a/1").page.get_by_role("heading", name="Mine")).to_be_visible()
    expect(ann.page.get_by_text("My words.")).to_be_visible()
    expect(ann.open("/g/go").page.get_by_role("heading", name="Go", exact=True)).to_be_visible()
    expect(chief.open("/queue").page.get_by_text("I never wrote that.")).to_have_count(0)
