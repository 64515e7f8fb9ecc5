"""Removals of bans: one act removes what a member posted lately, and one undo restores exactly that."""

import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, run
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import StillRestoring
from voteweb.core.models import Reason, RemovalState, Role, User
from voteweb.store import Store
from voteweb.store.doctor import Doctor
from voteweb.store.moderation.bans import Span
from voteweb.store.schema.keys import Keys
from voteweb.store.site.rate_limits import this_day

DAY = 86_400


@pytest.fixture
def bob(store: Store, mod: User) -> User:
    """A member with articles 1 to 5 and comments 1 to 4 on article 6 of ann's.

    Article 1 is of two days ago, 2 of eight. Article 4 and comment 3 were removed before.
    """
    bob = factories.user(store, "bob")
    for _ in range(5):
        factories.article(store, bob, groups=("go",))
    for id, age in ((1, 2), (2, 8)):
        backdate(store, id, age)
    factories.article(store, link="")
    for _ in range(4):
        factories.comment(store, 6, bob)
    factories.remove(store, 4, by="sue", why="before")
    factories.remove(store, CommentId(6, 3), "before", "sue", actor=mod)
    return bob


def backdate(store: Store, id: int, days: int) -> None:
    at = time.time() - days * DAY - id
    run(store, "HSET", f"article:{id}", "time", f"{at:.6f}")
    assert list(Doctor(store.context).repair())


def ban(store: Store, mod: User, **spans: Span) -> None:
    factories.ban(store, "bob", by=mod.name, actor=mod, **spans)


def lift(store: Store, mod: User, *, restore: bool = True, undoes: int = 0) -> None:
    factories.lift(store, "bob", mod.name, undoes=undoes, restore=restore, actor=mod)


def readable(store: Store) -> list[int]:
    nodes = factories.thread(store, 6).nodes.values()
    return [node.number for node in nodes if node.status is CommentStatus.VISIBLE]


def state(store: Store) -> RemovalState | None:
    removal = store.users.get("bob").ban_removal
    return removal.state if removal else None


def test_counts_are_those_of_what_would_be_removed(store: Store, bob: User) -> None:
    assert store.bans.count_articles("bob") == (2, 3, 4, False)
    assert store.bans.count_comments("bob") == (3, 3, 3, False)


@pytest.mark.parametrize(
    ("span", "left"), [(Span.DAY, [2, 1]), (Span.WEEK, [2]), (Span.ALL, []), (Span.NONE, [5, 3, 1, 2])]
)
def test_a_span_says_what_is_removed(store: Store, bob: User, mod: User, span: Span, left: list[int]) -> None:
    ban(store, mod, articles=span)
    list(store.bans.steps())
    assert sorted(ids(store, "posted:bob")) == sorted(left)
    assert readable(store) == [1, 2, 4]
    assert (run(store, "SCARD", "ban-removals:"), broken(store)) == (0, [])


def test_a_second_ban_that_removes_nothing_leaves_the_first_to_be_restored(store: Store, bob: User, mod: User) -> None:
    ban(store, mod, articles=Span.DAY)
    list(store.bans.steps())
    lift(store, mod, restore=False)
    ban(store, mod)
    lift(store, mod)
    list(store.bans.steps())
    assert sorted(ids(store, "posted:bob")) == [1, 2, 3, 5]
    assert (state(store), run(store, "SCARD", "ban-removals:"), broken(store)) == (None, 0, [])


def test_one_undo_restores_exactly_what_the_ban_removed(store: Store, bob: User, mod: User) -> None:
    ann = factories.user(store)
    store.reports.make(3, ann, Reason.SPAM, "")
    store.reports.make(CommentId(6, 1), ann, Reason.SPAM, "")
    logged = run(store, "LLEN", "log-entries:")
    ban(store, mod, articles=Span.ALL, comments=Span.ALL)
    list(store.bans.steps())
    assert (ids(store, "posted:bob"), readable(store), run(store, "LLEN", "log-entries:")) == ([], [], logged + 1)
    assert len([entry for entry in run(store, "LRANGE", "inbox:ann", 0, -1) if f"log-{logged + 1} " in entry]) == 1
    assert run(store, "HGET", Keys().stats(this_day()), "settled") == "2"
    # Somebody else restores one of each, and removes them again: that is not the ban's act.
    factories.restore(store, 5, by="sue")
    factories.remove(store, 5, by="sue", why="after")
    again = CommentId(6, 4)
    factories.restore(store, again, by="sue", actor=mod)
    factories.remove(store, again, "after", "sue", actor=mod)
    lift(store, mod, undoes=logged + 1)
    assert state(store) is RemovalState.RESTORING
    with pytest.raises(StillRestoring):
        ban(store, mod)
    list(store.bans.steps())
    assert (sorted(ids(store, "posted:bob")), readable(store), state(store)) == ([1, 2, 3], [1, 2], None)
    assert run(store, "HEXISTS", "article:1", "removed-by") == 0
    assert broken(store) == []


def test_a_ban_lifted_without_restoring_can_restore_later(store: Store, bob: User, mod: User) -> None:
    ban(store, mod, articles=Span.ALL)
    next(store.bans.steps())
    lift(store, mod, restore=False)
    list(store.bans.steps())
    assert state(store) is RemovalState.REMOVED
    lift(store, mod)
    list(store.bans.steps())
    assert (sorted(ids(store, "posted:bob")), readable(store)) == ([1, 2, 3, 5], [1, 2, 4])
    assert broken(store) == []


def test_steps_that_are_cut_off_anywhere_go_on(store: Store, bob: User, mod: User) -> None:
    ban(store, mod, articles=Span.ALL, comments=Span.ALL)
    for begun in range(1, 4):
        steps = store.bans.steps()
        for _ in range(begun):
            next(steps, None)
        steps.close()
    list(store.bans.steps())
    assert (ids(store, "posted:bob"), readable(store), state(store)) == ([], [], RemovalState.REMOVED)


def test_lifting_against_removing_leaves_all_of_it(store: Store, bob: User, mod: User) -> None:
    def finish() -> None:
        list(store.bans.steps())

    for _ in range(4):
        ban(store, mod, articles=Span.ALL, comments=Span.ALL)
        at_once([finish, finish, partial(lift, store, mod), finish])
        list(store.bans.steps())
        assert (sorted(ids(store, "posted:bob")), readable(store)) == ([1, 2, 3, 5], [1, 2, 4])
        assert (state(store), run(store, "SCARD", "ban-removals:"), broken(store)) == (None, 0, [])


def test_an_account_that_leaves_while_it_is_restored_is_left_alone(store: Store, bob: User, mod: User) -> None:
    ban(store, mod, articles=Span.ALL)
    list(store.bans.steps())
    lift(store, mod)
    store.account_deletion.start(store.users.get("bob"), delete_articles=False)
    for _ in store.bans.steps():
        pass
    store.account_deletion.finish("bob")
    assert (ids(store, "posted:bob"), broken(store)) == ([], [])


def make_site(store: Store) -> None:
    factories.user(store, "mod", Role.MODERATOR)
    bob = factories.user(store, "bob")
    factories.article(store, bob, groups=("go",))
    factories.comment(store, 1, bob)


def ban_lift_and_leave(store: Store) -> Iterator[None]:
    mod = store.users.get("mod")
    ban(store, mod, articles=Span.ALL, comments=Span.ALL)
    yield from store.bans.steps()
    lift(store, mod)
    yield from store.bans.steps()
    store.account_deletion.start(store.users.get("bob"), delete_articles=True)
    yield from store.account_deletion.steps()


def test_what_is_cut_off_between_any_two_trips_ends_whole(store: Store) -> None:
    for _ in cut_everywhere(store, make_site, ban_lift_and_leave):
        list(store.bans.steps())
        list(store.account_deletion.steps())
        bob = store.users.get("bob")
        is_removed = state(store) is RemovalState.REMOVED
        assert (is_removed or bob.left > 0) is not bool(ids(store, "time:"))
        assert bool(bob.banned) is is_removed
        assert (run(store, "EXISTS", "ban-removals:", "leaving:"), broken(store)) == (0, [])
