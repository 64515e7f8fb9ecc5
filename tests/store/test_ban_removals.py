"""Removals of bans: one act removes what a member posted lately, and one undo restores exactly that."""

import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import overtaken
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, repair, run
from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import StillRestoring
from voteweb.core.models import Reason, RemovalState, User
from voteweb.store import Store
from voteweb.store.moderation.bans import Span
from voteweb.store.schema.keys import Keys
from voteweb.store.site.rate_limits import this_day

pytestmark = pytest.mark.usefixtures("sound")

DAY = 86_400


@pytest.fixture
def bob(store: Store) -> User:
    """A member with articles 1 to 5 and comments 1 to 4 on article 6 of ann's.

    Article 1 is of two days ago, 2 of eight. Article 4 and comment 3 were removed before.
    """
    bob = factories.user(store, "bob")
    for _ in range(5):
        factories.article(store, bob, groups=("go",))
    for id, days in ((1, 2), (2, 8)):
        run(store, "HSET", f"article:{id}", "time", f"{time.time() - days * DAY - id:.6f}")
    assert repair(store)
    factories.article(store, link="")
    for _ in range(4):
        factories.comment(store, 6, bob)
    for id in (4, CommentId(6, 3)):
        factories.remove(store, id, "before", "sue")
    return bob


def ban(store: Store, **what: Span | bool) -> None:
    factories.ban(store, "bob", **what)


def lift(store: Store, *, restore: bool = True, undoes: int = 0) -> None:
    factories.lift(store, "bob", undoes=undoes, restore=restore)


def left(store: Store) -> tuple[list[int], list[int]]:
    """Finish what bans and their ends began; return bob's articles and comments that can be read."""
    list(store.bans.steps())
    assert run(store, "SCARD", "ban-removals:") == 0
    nodes = factories.thread(store, 6).nodes.values()
    comments = [node.number for node in nodes if node.status is CommentStatus.VISIBLE]
    return sorted(ids(store, "posted:bob")), comments


#: What :func:`left` returns before anything is removed.
ALL = ([1, 2, 3, 5], [1, 2, 4])


def state(store: Store) -> RemovalState | None:
    removal = store.users.get("bob").ban_removal
    return removal.state if removal else None


def test_posts_of_several_members_are_counted_together(
    store: Store, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.comment(store, 6, store.users.get("ann"))
    assert store.bans.count_articles("bob", "ann") == (3, 4, 5, False)
    assert store.bans.count_comments("bob", "ann") == (4, 4, 4, False)
    assert store.bans.count_articles() == store.bans.count_comments() == (0, 0, 0, False)
    monkeypatch.setattr(config, "MAX_COUNTED_COMMENTS", 4)
    assert store.bans.count_comments("bob", "ann") == (2, 2, 2, True)


def test_a_span_says_what_is_removed(store: Store, bob: User) -> None:
    assert store.bans.count_articles("bob") == (2, 3, 4, False)
    assert store.bans.count_comments("bob") == (3, 3, 3, False)
    for span, articles in ((Span.DAY, [1, 2]), (Span.WEEK, [2]), (Span.ALL, []), (Span.NONE, [1, 2, 3, 5])):
        ban(store, articles=span)
        assert left(store) == (articles, [1, 2, 4])
        lift(store)
        assert (left(store), state(store)) == (ALL, None)


@pytest.mark.parametrize("bans_again", [False, True])
def test_a_ban_lifted_without_restoring_can_restore_later(store: Store, bob: User, bans_again: bool) -> None:
    ban(store, articles=Span.ALL)
    next(store.bans.steps())
    lift(store, restore=False)
    assert (left(store), state(store)) == (([], [1, 2, 4]), RemovalState.REMOVED)
    if bans_again:  # and removes nothing
        ban(store)
    lift(store)
    assert (left(store), state(store)) == (ALL, None)


def test_one_undo_restores_exactly_what_the_ban_removed(store: Store, bob: User) -> None:
    ann = factories.user(store)
    store.reports.make(3, ann, Reason.SPAM, "")
    store.reports.make(CommentId(6, 1), ann, Reason.SPAM, "")
    logged = run(store, "LLEN", "log-entries:")
    ban(store, articles=Span.ALL, comments=Span.ALL)
    assert (left(store), run(store, "LLEN", "log-entries:")) == (([], []), logged + 1)
    assert str(run(store, "LRANGE", "inbox:ann", 0, -1)).count(f"log-{logged + 1} ") == 1
    assert run(store, "HGET", Keys().stats(this_day()), "settled") == "2"
    # Somebody else restores one of each, and removes them again: that is not the ban's act.
    for id in (5, CommentId(6, 4)):
        factories.restore(store, id, "sue")
        factories.remove(store, id, "after", "sue")
    lift(store, undoes=logged + 1)
    assert state(store) is RemovalState.RESTORING
    with pytest.raises(StillRestoring):
        ban(store)
    assert (left(store), state(store)) == (([1, 2, 3], [1, 2]), None)
    assert run(store, "HEXISTS", "article:1", "removed-by") == 0


def test_a_ban_that_is_lifted_meanwhile_removes_no_more(store: Store, bob: User) -> None:
    ban(store, articles=Span.ALL)
    with overtaken(store, partial(lift, store, restore=False)):
        list(store.bans.steps())
    assert (left(store), state(store)) == (ALL, RemovalState.REMOVED)
    ban(store, votes=True)  # of which there are none: it ends at once
    with overtaken(store, partial(lift, store)):
        list(store.bans.steps())
    assert state(store) is RemovalState.RESTORING


def test_an_account_leaving_while_it_is_restored_is_left_alone(store: Store, bob: User) -> None:
    ban(store, articles=Span.ALL)
    list(store.bans.steps())
    lift(store)
    store.account_deletion.start(bob, delete_articles=False)
    list(store.bans.steps())
    store.account_deletion.finish("bob")
    assert ids(store, "posted:bob") == []


def make_site(store: Store) -> None:
    bob = factories.user(store, "bob")
    factories.article(store, bob, groups=("go",))
    factories.comment(store, 1, bob)
    factories.comment(store, factories.article(store))
    for id in (2, CommentId(2, 1)):
        store.votes.cast(id, bob)


def ban_lift_and_leave(store: Store) -> Iterator[None]:
    ban(store, articles=Span.ALL, comments=Span.ALL, votes=True)
    yield from store.bans.steps()
    lift(store)
    yield from store.bans.steps()
    store.account_deletion.start(store.users.get("bob"), delete_articles=True)
    yield from store.account_deletion.steps()


def test_what_is_cut_off_between_any_two_trips_ends_whole(store: Store) -> None:
    for _ in cut_everywhere(store, make_site, ban_lift_and_leave):
        list(store.bans.steps())
        list(store.account_deletion.steps())
        bob = store.users.get("bob")
        is_removed = state(store) is RemovalState.REMOVED
        assert (is_removed or bob.left > 0) is not (1 in ids(store, "time:"))
        votes = store.read(store.votes.queue_counts, [2, CommentId(2, 1)])
        assert votes == ([1, 0] if is_removed else [2, 1])
        assert bool(bob.banned) is is_removed
        assert (run(store, "EXISTS", "ban-removals:", "leaving:"), broken(store)) == (0, [])
