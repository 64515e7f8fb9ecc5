"""Visits: which comments are new to a member, on the page and in lists."""

import time
from functools import partial
from typing import Any

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import run, server_setting
from tests.store.thread_data import node, write_thread
from voteweb.core import config
from voteweb.core.comments import CommentStatus
from voteweb.store import Store


@pytest.fixture
def store(store: Store) -> Store:
    """A store with article 1, posted by ann."""
    factories.article(store)
    return store


def visit(store: Store, article_id: int = 1, name: str = "ann") -> Any:
    """Read the page of an article as a member, and return the visit of which that is a part; None for a reader."""
    return store.read(store.threads.queue_read, article_id, visitor=name).visit


def end_visit(store: Store) -> None:
    """Move the last page of ann's visit so far back that the visit has ended."""
    base, seen, noted, *own = run(store, "HGET", "seen:ann", 1).split(" ")
    run(store, "HSET", "seen:ann", 1, " ".join([base, seen, str(int(noted) - config.VISIT_SECONDS - 1), *own]))


def new_counts(store: Store, *ids: int, name: str = "ann") -> dict[int, int]:
    """Return the numbers of new comments that a list shows to a member."""
    return store.read(store.threads.queue_new_counts, ids, name)


def test_marks_stay_until_the_visit_ends(store: Store) -> None:
    visit(store)
    write_thread(store, 1, [node(1), node(2)])
    assert new_counts(store, 1) == {1: 2}
    end_visit(store)
    for _ in range(2):
        assert visit(store)[:2] == (0, 2)
        assert new_counts(store, 1) == {}
    write_thread(store, 1, [node(3)])
    assert new_counts(store, 1) == {1: 1}
    assert visit(store)[:2] == (0, 3)
    end_visit(store)
    assert visit(store)[:2] == (3, 3)


def test_page_without_anything_new_is_noted_again_after_a_while(store: Store) -> None:
    now = int(visit(store).time)
    young, old = (f"0 0 {now - age}" for age in (config.VISIT_NOTED_SECONDS // 2, config.VISIT_NOTED_SECONDS))
    for stored in (young, old):
        run(store, "HSET", "seen:ann", 1, stored)
        assert visit(store)[:2] == (0, 0)
        assert (run(store, "HGET", "seen:ann", 1) == stored) is (stored == young)


def test_gone_and_own_comments_are_not_new(store: Store) -> None:
    write_thread(store, 1, [node(number) for number in range(1, 8)])
    visit(store)
    gone = [node(2, status=CommentStatus.DELETED), node(9, status=CommentStatus.REMOVED)]
    own = [node(10, author="Ann"), node(11, author="Ann", status=CommentStatus.DELETED)]
    write_thread(store, 1, [node(8), *gone, *own, node(12)])
    run(store, "HSET", "seen:ann", 1, run(store, "HGET", "seen:ann", 1) + " 10,11")
    assert new_counts(store, 1) == {1: 2}
    visit(store)
    assert new_counts(store, 1) == {}


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
    assert answer[:2] == (1, 1)
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
        assert visit(store)[:2] == (1, 1)
        assert run(store, "EXISTS", "seen:ann") == 0


def test_comments_written_while_pages_are_read_are_shown_or_new(store: Store) -> None:
    bob = factories.user(store, "bob")
    visit(store)
    seen = 0
    for number in range(1, 6):
        end_visit(store)
        visits = at_once([partial(visit, store), partial(factories.comment, store, 1, bob)] * 4)[::2]
        assert {noted.base for noted in visits} == {seen}
        seen = max(noted.seen for noted in visits)
        assert new_counts(store, 1).get(1, 0) == 4 * number - seen
