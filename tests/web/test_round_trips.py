"""Round trips to Redis: one for a reader's list, one or two for a member's, whatever the list."""

import time
from itertools import count

import pytest
from flask import Flask

from tests import factories
from tests.store.thread_data import node, write_thread
from tests.web.api.program import Program
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import CountRoundTrips
from tests.web.fixed_index import FixedIndex
from voteweb.core.comments import CommentId
from voteweb.core.config import LEVELS_ON_PAGE
from voteweb.core.models import Reason, Right, Role
from voteweb.store import Store
from voteweb.store.comments.threads import SENT_THREAD

pytestmark = pytest.mark.site(limits=1)

LISTS = ["/", "/new", "/new?page=2", "/good", "/g/python", "/g/python/new", "/g/python+redis", "/u/ann", "/a/1"]
#: Lists that are made by the first page that asks for them, and take one round trip until they are made anew.
BEST = ["/top?of=all", "/g/python/top?of=all", "/top", "/top?of=year", "/g/python/top"]
#: Other pages: address, then the round trips for a reader, a member and a moderator.
OTHER_PAGES = [
    ("/a/3", 1, 1, 2),  # removed: a reader is shown nothing of it
    ("/a/99", 1, 1, 1),
    ("/submit", 1, 1, 1),
    ("/log", 1, 1, 1),
    ("/log.atom", 1, 1, 1),
    ("/queue", 0, 1, 2),  # their own votes, members who wait, and notes on members who posted what is reported
    ("/a/1/reports", 0, 1, 1),
    ("/search?q=article", 2, 2, 3),  # the votes of all that are ranked
    ("/search?q=article&sort=new", 1, 1, 2),
    ("/search?q=article+in:comments+group:python", 2, 2, 2),  # with whether it is the second name of a group
    ("/search.atom?q=article", 1, 1, 1),
    ("/search", 0, 1, 1),
    ("/groups", 2, 2, 2),
    ("/about", 1, 1, 1),
    ("/privacy", 0, 1, 1),
    ("/api", 0, 1, 1),
    ("/api/openapi.json", 0, 0, 0),
    ("/login", 0, 1, 1),
    ("/nowhere", 0, 1, 1),
    ("/metrics", 0, 1, 1),
    ("/a/1/edit", 1, 1, 1),
    ("/a/1/c/1", 1, 1, 1),
    ("/a/1/comment", 1, 1, 1),
    ("/a/1/c/1/reply?quote=1", 1, 1, 1),
    ("/a/1/c/1/edit", 1, 1, 1),
    ("/a/1/c/1/report", 1, 1, 1),
    ("/invitations", 0, 1, 1),
    ("/admin", 0, 1, 1),
    ("/a/1/voters", 0, 1, 2),  # the look is noted
    ("/u/zoe/votes-together", 0, 1, 3),
    ("/sort", 0, 1, 3),  # sizes of groups, then those of earlier articles
    ("/members", 0, 1, 2),
    ("/members?q=a", 0, 1, 3),
    ("/stats", 1, 1, 1),
    ("/admin/ranking", 0, 1, 1),  # an admin: three more, and one for every 500 articles of the last 30 days
    ("/comments", 1, 1, 1),
    ("/u/ann/comments", 1, 1, 1),
    ("/inbox", 0, 1, 1),
    ("/my", 0, 1, 2),
    ("/my/top", 0, 1, 2),
    ("/saved", 0, 1, 2),
    ("/votes", 0, 1, 2),
    ("/d/none.example", 1, 1, 2),
    ("/hidden", 0, 1, 1),
    ("/a/1.atom", 1, 1, 1),
]
#: Operations, and the pages whose round trips they take; those of the inbox and saved articles for members alone.
OPERATIONS = [
    ("/articles", "/"),
    ("/articles?order=new", "/new"),
    ("/articles?order=good", "/good"),
    ("/articles?group=python", "/g/python"),
    ("/articles?group=python%2Bredis&order=new", "/g/python+redis"),
    ("/articles?member=ann", "/u/ann"),
    ("/articles?order=top&period=all", "/top?of=all"),
    ("/articles/1", "/a/1"),
    ("/articles/1/comments", "/a/1"),
    ("/articles/1/comments/1", "/a/1/c/1"),
    ("/search?q=article", "/search?q=article"),
    ("/groups", "/groups"),
    ("/groups/python", "/g/python"),
    ("/members/ann", "/u/ann"),
    ("/site", "/privacy"),
    ("/me", "/account"),
    ("/me/inbox", "/inbox"),
    ("/me/saved", "/saved"),
]
#: Ids of articles that may be remembered as those of a list, right and wrong ones.
HINTS = [(), (17, 99_999), tuple(range(1, 32))]


@pytest.fixture(autouse=True)
def articles(store: Store, index: FixedIndex) -> None:
    """Thirty articles in two groups, some reported, one removed, and a good one."""
    zoe = factories.user(store, "zoe")
    for i in range(30):
        factories.article(store, title=f"Article {i}", groups=("python", "redis"))
    factories.imported(store, votes=300)
    factories.comment(store, 1, zoe)
    index.articles, index.comments = tuple(range(31, 0, -1)), (CommentId(1, 1),)
    index.weights, index.times = [1.0] * 31, [0.0] * 31
    for id in range(1, 28):
        store.reports.make(id, zoe, Reason.SPAM, "")
    factories.remove(store, 3)
    store.notes.add("zoe", "A note.", factories.user(store, "judge", Role.MODERATOR))
    for name in ("hal", "ian"):
        store.users.make(name, "", network="198.51.100.0/24", request="Please let me in.")
    factories.ban(store, factories.user(store, "yan").name)
    store.bans.answer("yan", "It was not me.")


def test_list_takes_one_round_trip_and_a_moderators_two(
    reader: Browser, bob: Browser, mod: Browser, count_round_trips: CountRoundTrips
) -> None:
    for address in LISTS:
        assert count_round_trips(reader.open, address) == 1, address
        assert count_round_trips(bob.open, address) == (2 if address == "/good" else 1), address
        assert count_round_trips(mod.open, address) == 2, address
        assert (reader.status, bob.status, mod.status) == (200, 200, 200)


def test_posters_named_by_numbers_take_a_list_one_round_trip(
    reader: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    for number in range(2000, 2025):
        factories.article(store, factories.user(store, str(number)))
    assert count_round_trips(reader.open, "/new") == 2


def test_operations_take_no_more_round_trips_than_pages(
    app: Flask, reader: Browser, bob: Browser, count_round_trips: CountRoundTrips
) -> None:
    program, stranger = Program(app, "bob", Right.READ), Program(app)
    program.get("/me")  # its first use of a day is noted
    for path, page in OPERATIONS:
        assert count_round_trips(program.send, f"GET {path}") <= count_round_trips(bob.open, page), path
        assert count_round_trips(stranger.send, f"GET {path}") <= count_round_trips(reader.open, page), path


def test_next_page_takes_one_round_trip_once_it_is_known(
    app: Flask, bob: Browser, count_round_trips: CountRoundTrips
) -> None:
    program = Program(app, "bob", Right.READ)
    next = program.get("/articles?order=new")["next"]
    assert count_round_trips(program.get, f"/articles?order=new&next={next}") == 1


def test_the_best_of_a_period_take_one_round_trip(reader: Browser, count_round_trips: CountRoundTrips) -> None:
    for address in BEST:
        for _ in range(2):
            assert count_round_trips(reader.open, address) == 1, address
            assert len(reader.titles) == 25


def test_members_list_without_hints_takes_two_round_trips(
    bob: Browser, store: Store, count_round_trips: CountRoundTrips, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a process that has just started, or after a new article."""
    monkeypatch.setattr(type(store.listings), "recent_ids", lambda *_: (17, 99_999))
    for address in LISTS:
        expected = 1 if address == "/a/1" else 2
        assert count_round_trips(bob.open, address) == expected, address


@pytest.mark.parametrize("hints", HINTS, ids=len)
def test_own_votes_are_marked_with_any_hints(
    hints: tuple[int, ...], bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in (2, 5, 17):
        store.votes.cast(id, bob.user)
    monkeypatch.setattr(type(store.listings), "recent_ids", lambda *_: hints)
    pressed = {
        button["formaction"]
        for address in ("/new", "/new?page=2")
        for button in bob.open(address).page.all("button", class_="vote")
        if button["aria-pressed"] == "true"
    }
    assert pressed == {"/a/2/unvote", "/a/5/unvote", "/a/17/unvote"}


def test_other_pages_take_as_few_round_trips_as_possible(
    reader: Browser, bob: Browser, mod: Browser, count_round_trips: CountRoundTrips
) -> None:
    for address, *expected in OTHER_PAGES:
        counts = [count_round_trips(browser.open, address) for browser in (reader, bob, mod)]
        assert counts == expected, address


def test_long_article_takes_members_two_round_trips_with_unread_entries(
    bob: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    write_thread(store, 2, [node(number) for number in range(1, 102)])
    bob.open("/a/2")

    def open_unread(comment: str) -> None:
        for key in (store.keys.inbox("bob"), store.keys.unread("bob")):
            store.connection.client.lpush(key, f"mention {comment} {int(time.time())}")
        bob.open("/a/2")

    assert count_round_trips(open_unread, "2.101") == 2
    assert bob.page.one("a", href="/inbox").text == "Inbox"
    assert count_round_trips(open_unread, "1.1") == 2
    assert bob.page.one("a", href="/inbox").text == "Inbox 2"


@pytest.mark.parametrize("address", ["/a/2?page=2", "/a/2?order=time", "/a/2/c/5"])
def test_longest_article_takes_two_round_trips_after_a_change(
    address: str, bob: Browser, reader: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    written, votes = time.time(), count(1)  # at one time: the order by time stays
    write_thread(store, 2, [node(number, time=written) for number in range(1, SENT_THREAD + 2)])
    for browser in (reader, bob):
        browser.open(address)

        def open_changed(browser: Browser = browser) -> None:
            write_thread(store, 2, [node(5, votes=next(votes), time=written)])
            browser.open(address)

        assert count_round_trips(open_changed) == 2
        shown = browser.page.all("li", class_="comment")
        assert shown
        assert all("Comment " in comment.text for comment in shown)


@pytest.mark.parametrize(("comments", "deepest"), [(80, 1), (80, LEVELS_ON_PAGE + 1), (110, 1), (SENT_THREAD + 1, 1)])
@pytest.mark.parametrize("address", ["/a/2", "/a/2/c/{}"])
def test_new_comments_take_no_more_round_trips_than_votes(
    address: str, comments: int, deepest: int, bob: Browser, store: Store, count_round_trips: CountRoundTrips
) -> None:
    numbers, votes = count(comments + 1), count(1)
    write_thread(store, 2, [node(n, n - 1 if n <= deepest else 0) for n in range(1, comments + 1)])
    bob.open("/a/2")

    def open_with_vote() -> None:
        write_thread(store, 2, [node(comments, votes=next(votes))])
        bob.open(address.format(comments))

    def open_with_comment() -> None:
        write_thread(store, 2, [node(number := next(numbers), author="ann")])
        bob.open(address.format(number))
        assert bob.page.by_id(f"c{number}").all("mark", class_="new")

    assert count_round_trips(open_with_comment) == count_round_trips(open_with_vote)
    assert not bob.open("/").page.all("a", class_="new")


def test_vote_takes_one_round_trip_with_its_limit(
    bob: Browser, count_round_trips: CountRoundTrips, store: Store
) -> None:
    for act in ("vote", "unvote"):
        assert count_round_trips(bob.send, f"/a/5/{act}", next="/new") == 1
        assert bob.status == 303
    assert len(store.connection.client.keys(store.keys.limit("vote", "*"))) == 1


@pytest.mark.parametrize(("password", "expected"), [("not this one", 3), (PASSWORD, 6)], ids=["wrong", "right"])
def test_login_takes_few_round_trips(
    password: str, expected: int, bob: Browser, reader: Browser, count_round_trips: CountRoundTrips
) -> None:
    """The attempt is counted with the read of the member; in an unknown browser the network is looked up before.

    A success is refunded, opens a session, and makes the network known. Either is noted for admins.
    """
    fields = {"username": "bob", "password": password, "csrf_token": reader.csrf_token()}
    cookie = reader.session_cookie

    def log_in() -> None:
        reader.client.set_cookie("voteweb", cookie)
        reader.post("/login", fields)

    assert count_round_trips(log_in) == expected


@pytest.mark.parametrize(
    ("act", "fields"),
    [("groups", {"add": "python"}), ("dismiss", {}), ("remove", {"reason": "Spam."}), ("restore", {})],
)
def test_act_of_a_moderator_takes_at_most_five_round_trips(
    act: str, fields: dict[str, str], mod: Browser, count_round_trips: CountRoundTrips, store: Store
) -> None:
    """The viewer with the article; two reads; the script; of an act that is sent again, the log.

    To see whether others have decided meanwhile takes one more.
    """
    assert count_round_trips(mod.send, f"/a/5/{act}", next="/new", **fields) <= 5
    assert mod.status == 303
    seen = str(store.connection.client.llen("log-entries:"))
    assert count_round_trips(mod.send, f"/a/6/{act}", next="/new", seen=seen, **fields) <= 6
    assert mod.status == 303
