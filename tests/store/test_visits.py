"""Visits: which comments are new to a member, on the page and in lists."""

import math
import re
import time
from random import Random
from typing import Any

import pytest

from tests import factories
from tests.store.examination import run, server_setting
from tests.store.thread_data import node, write_thread
from voteweb.core import config
from voteweb.core.comments import CommentStatus
from voteweb.core.my_site import hidden_member
from voteweb.store import Store

#: The time at which a page first showed a comment that none has shown.
NEVER = math.inf


@pytest.fixture
def store(store: Store) -> Store:
    """A store with article 1, posted by ann."""
    factories.article(store)
    return store


def visit(store: Store, article_id: int = 1, name: str = "ann", **page: int) -> Any:
    """Read a page of an article as a member, and return the visit of which that is a part; None for a reader."""
    return store.read(store.threads.queue_read, article_id, visitor=name, **page).visit


def pass_time(store: Store, seconds: int) -> None:
    """Move what is stored of ann's visit of article 1 so far back."""
    stored = run(store, "HGET", "seen:ann", 1)
    run(store, "HSET", "seen:ann", 1, re.sub(r"[0-9]{10}", lambda time: str(int(time[0]) - seconds), stored))


def show(store: Store, *numbers: int) -> None:
    """Note that a page has shown ann these comments."""
    pipeline = store.pipeline()
    store.threads.queue_shown(pipeline, 1, "ann", numbers)
    pipeline.execute()


def new_counts(store: Store, *ids: int, name: str = "ann") -> dict[int, int]:
    """Return the numbers of new comments that a list shows to a member."""
    return store.read(store.threads.queue_new_counts, ids, name)


@pytest.mark.parametrize("ranges", [config.MAX_SEEN_RANGES, 4])
@pytest.mark.parametrize("seed", range(4))
def test_unshown_comments_are_new_and_marked_for_half_an_hour(
    seed: int, ranges: int, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compared with a model, the time at which each was first shown; with few ranges nothing new is lost."""
    monkeypatch.setattr(config, "MAX_SEEN_RANGES", ranges)
    random, shown, now, own, ann = Random(seed), dict[int, float](), 0, set[int](), store.users.get("ann")
    visit(store)
    for _ in range(60):
        act, first = random.choice(["write", "write", "write own", "show", "show", "wait"]), len(shown) + 1
        if act == "write":
            shown |= dict.fromkeys(range(first, first + random.randint(1, 10)), NEVER)
            write_thread(store, 1, [node(number) for number in range(first, len(shown) + 1)])
        elif act == "write own":
            own.add(factories.comment(store, 1, ann).number)
            shown[first] = -math.inf
        elif act == "wait":
            pass_time(store, 1_000)
            now += 1_000
        elif shown:
            numbers = random.sample(list(shown), random.randint(1, len(shown)))
            show(store, *numbers)
            shown |= {number: now for number in numbers if shown[number] == NEVER}
        unread = {number for number, time in shown.items() if time == NEVER}
        new = {number for number, time in shown.items() if now - time <= 1_800}
        count, marks = new_counts(store, 1).get(1, 0), visit(store, page=2, goes_on=True).marked_to(len(shown)) - own
        if ranges > 4:
            assert (count, marks) == (len(unread), new)
        assert count >= len(unread)
        assert marks >= new
        assert len(run(store, "HGET", "seen:ann", 1).split(" ")) <= 3 + ranges


@pytest.mark.parametrize(
    ("replies", "root", "page", "left"),
    [
        ({}, 0, 1, set()),
        ({}, 0, 2, {1, 2, 3, 4, 5, 6, 7, 8}),
        ({7: 6}, 0, 1, {7}),
        ({7: 6}, 5, 1, {1, 8}),
        ({}, 1, 1, {8}),
        ({}, 8, 1, {1, 2, 3, 4, 5, 6, 7}),
    ],
)
def test_a_short_conversations_page_reads_what_it_shows_at_once(
    replies: dict[int, int], root: int, page: int, left: set[int], store: Store
) -> None:
    """Up to LEVELS_ON_PAGE levels, and SHOWN_ANCESTORS above a comment; comment 8 is on the article."""
    visit(store)
    parents = {number: number - 1 for number in range(1, 7)} | {7: 1, 8: 0} | replies
    write_thread(store, 1, [node(number, parent) for number, parent in parents.items()])
    assert visit(store, root=root, page=page).unread_to(8) == left
    assert visit(store, 1, "bob", root=root or 8) is None


def test_page_has_as_many_new_comments_as_lists_counted(store: Store) -> None:
    visit(store)
    for numbers in (range(1, 4), range(4, 6), range(0)):
        write_thread(store, 1, [node(number) for number in numbers])
        assert new_counts(store, 1).get(1, 0) == len(numbers)
        last = max(numbers, default=5)
        for goes_on in (False, True, True):
            seen = visit(store, goes_on=goes_on)
            assert (seen.marked_to(last), seen.unread_to(last)) == (set(numbers), set())
            assert seen.new_to(last) == (set() if goes_on else set(numbers)), "the same second has shown them"


def test_page_without_anything_new_is_noted_again_after_a_while(store: Store) -> None:
    now = int(visit(store).time)
    young, old = (f"0 0 {now - age}" for age in (config.VISIT_NOTED_SECONDS // 2, config.VISIT_NOTED_SECONDS))
    for stored in (young, old):
        run(store, "HSET", "seen:ann", 1, stored)
        assert visit(store).marked_to(0) == set()
        assert (run(store, "HGET", "seen:ann", 1) == stored) is (stored == young)


def test_comments_gone_own_or_by_hidden_members_are_not_new(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.user(store, "Cem")
    write_thread(store, 1, [node(number) for number in range(1, 8)])
    visit(store)
    gone = [node(2, status=CommentStatus.DELETED), node(9, status=CommentStatus.REMOVED)]
    own = [node(10, author="Ann"), node(11, author="Ann", status=CommentStatus.DELETED)]
    write_thread(store, 1, [node(8), *gone, *own, node(12), node(13, author="Cem"), node(14, author="Cem"), node(15)])
    write_thread(store, 1, [node(14, author="Cem", status=CommentStatus.DELETED)])
    run(store, "HSET", "seen:ann", 1, run(store, "HGET", "seen:ann", 1) + " 10,11")  # as versions before wrote it
    assert new_counts(store, 1) == {1: 4}
    store.my_sites.hide(hidden_member("cem"), store.users.get("ann"))
    assert new_counts(store, 1) == {1: 3}
    monkeypatch.setattr(config, "MAX_CHECKED_NEW", 1)  # comment 14
    assert new_counts(store, 1) == {1: 4}
    visit(store)
    assert new_counts(store, 1) == {}


def test_what_earlier_versions_noted_is_understood(store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, 10)])
    for age, marks in ((60, {3, 4, 5, 7, 9}), (1_860, {7, 9})):
        run(store, "HSET", "seen:ann", 1, f"2 5 {int(time.time()) - age} 6,8")
        assert new_counts(store, 1) == {1: 2}
        assert visit(store, page=2, goes_on=True).marked_to(9) == marks
        assert new_counts(store, 1) == {1: 2}


def test_numbers_beyond_the_last_comment_are_ignored(store: Store) -> None:
    """They would take gigabytes: a backup that somebody else has written may hold them."""
    write_thread(store, 1, [node(1), node(2)])
    run(store, "HSET", "seen:ann", 1, f"0 900 {int(time.time())} 2-800")
    seen = store.threads.visits_of("ann")[1]
    assert (seen.unread_to(2), seen.marked_to(2)) == ({2}, {1, 2})
    run(store, "HSET", "thread:1", "last", 10**9)
    show(store, *visit(store, page=2).unread_to(10**9))
    assert new_counts(store, 1) == {1: 10**9 - config.MAX_COMMENTS}


def test_counts_are_those_of_visited_articles(store: Store) -> None:
    for id in (1, 2, 3):
        factories.article(store)
        write_thread(store, id, [node(1)])
    assert new_counts(store, 1, 2, 3) == {}
    visit(store, 3)
    visit(store, 1)
    run(store, "HSET", "seen:ann", 2, "what another program wrote")
    for id in (1, 2, 3):
        write_thread(store, id, [node(number) for number in range(2, 2 + id)])
    assert new_counts(store, 3, 2, 1, 99) == {3: 3, 1: 1}
    assert new_counts(store) == {}
    assert new_counts(store, 1, 2, 3, name="bob") == {}


def test_reader_leaves_no_visit_and_a_first_one_marks_nothing(store: Store) -> None:
    write_thread(store, 1, [node(1)])
    assert (visit(store, name=""), visit(store, 99), run(store, "KEYS", "seen:*")) == (None, None, [])
    answer = visit(store)
    assert (answer.newest, answer.marked_to(1)) == (1, set())
    assert answer.time <= time.time() < answer.time + 60


def test_only_the_newest_visits_are_kept(store: Store) -> None:
    factories.article(store)
    others = {str(id): f"0 0 {id}" for id in range(1_000, 1_000 + config.MAX_VISITED_THREADS)}
    run(store, "HSET", "seen:ann", *(text for pair in others.items() for text in pair))
    for id in (1, 2, 1):
        visit(store, id)
    kept = set(run(store, "HKEYS", "seen:ann"))
    assert kept == {"1", "2", *others} - {"1000", "1001"}
    assert 0 < run(store, "TTL", "seen:ann") <= config.VISITED_SECONDS


def test_full_server_shows_the_page_without_noting_it(store: Store) -> None:
    write_thread(store, 1, [node(1)])
    with server_setting(store, "maxmemory", 1):
        assert visit(store).marked_to(1) == set()
        assert run(store, "EXISTS", "seen:ann") == 0
