"""Comments that are edited, deleted or silenced by their authors."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot, unchanged
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    CommentTooLate,
    NoSuchComment,
    NotYourComment,
    VotewebError,
)
from voteweb.core.models import Reason, Role, User
from voteweb.store import Store

FIRST = CommentId(1, 1)


@pytest.fixture
def bob(store: Store) -> User:
    """Bob, who wrote the first comment on ann's article."""
    bob = factories.user(store, "bob")
    factories.comment(store, factories.article(store), bob, text="Draft.")
    return bob


def set_state(store: Store, state: str) -> None:
    run(store, "HSET", "thread:1", 1, factories.stored_node(state=state, author="bob"))


def test_an_edit_changes_the_words_and_says_so(store: Store, bob: User) -> None:
    before = store.threads.get(1)
    with unchanged(store):
        store.comments.edit(FIRST, "Draft.", bob)  # the same words
    store.comments.edit(FIRST, "Final.", bob)
    after = store.threads.get(1)
    assert run(store, "HGETALL", "words:1") == {"1": "Final."}
    assert after.nodes[1] == replace(before.nodes[1], is_edited=True)
    assert after.revision > before.revision


def test_nobody_edits_deletes_or_silences_anothers_comment(store: Store, bob: User) -> None:
    boss = factories.user(store, "boss", Role.ADMIN)
    for act in (
        lambda: store.comments.edit(FIRST, "He is right.", boss),
        lambda: store.removals.delete(FIRST, boss),
        lambda: store.comments.set_quiet(1, 0, boss, is_quiet=True),
        lambda: store.comments.set_quiet(1, 1, boss, is_quiet=True),
    ):
        with unchanged(store), pytest.raises(NotYourComment):
            act()


def test_an_edit_comes_too_late_after_its_time(make_store: MakeStore, bob: User) -> None:
    store = make_store(edit_seconds=0)
    with unchanged(store), pytest.raises(CommentTooLate) as late:
        store.comments.edit(FIRST, "Final.", bob)
    assert late.value.values["when"] == pytest.approx(store.threads.get(1).nodes[1].time)


@pytest.mark.parametrize(
    ("meanwhile", "refusal"),
    [
        (lambda store: set_state(store, "d"), CommentGone),
        (lambda store: set_state(store, "R"), CommentGone),
        (lambda store: run(store, "HDEL", "thread:1", "1"), NoSuchComment),
        (lambda store: store.removals.delete(1), ArticleGone),
    ],
)
def test_what_cannot_be_read_cannot_be_edited(
    store: Store, bob: User, meanwhile: Callable[[Store], Any], refusal: type[VotewebError]
) -> None:
    meanwhile(store)
    with unchanged(store), pytest.raises(refusal):
        store.comments.edit(FIRST, "Final.", bob)


def test_a_deleted_comment_leaves_its_place_and_nothing_else(store: Store, bob: User) -> None:
    factories.comment(store, author=bob, parent=1)
    cid = factories.user(store, "cid")
    store.votes.cast(FIRST, cid)
    store.reports.make(FIRST, cid, Reason.SPAM, "")
    before = store.threads.get(1).nodes[1]
    store.removals.delete(FIRST, bob)
    assert store.threads.get(1).nodes[1] == replace(before, status=CommentStatus.DELETED, author="")
    assert run(store, "HGETALL", "words:1") == {"2": "Well said."}
    assert run(store, "LRANGE", "commented:bob", 0, -1) == ["1.2"]
    assert run(store, "EXISTS", "reports:", "comment-report:1.1") == 0
    assert store.articles.get(1).comments == 1
    assert broken(store) == []
    with unchanged(store):
        store.removals.delete(FIRST, bob)
        store.removals.delete(FIRST)


def test_a_comment_is_deleted_at_any_time_and_below_an_article_that_is_gone(make_store: MakeStore, bob: User) -> None:
    store = make_store(edit_seconds=0, commenting_seconds=1)
    factories.comment(store, author=bob)
    run(store, "HSET", "thread:1", "closes", "1700000000")
    store.removals.delete(1)
    store.removals.delete(FIRST, bob)
    assert run(store, "HGET", "article:1", "comments") == "1"
    run(store, "DEL", "article:1")
    store.removals.delete(CommentId(1, 2))
    assert run(store, "EXISTS", "article:1", "words:1", "commented:bob") == 0


@pytest.mark.parametrize(("state", "left"), [("r", "d"), ("Rqe", "dR")])
def test_only_the_operator_deletes_what_was_removed(store: Store, bob: User, state: str, left: str) -> None:
    set_state(store, state)
    run(store, "HSET", "thread:1", "reason:1", "spam")
    with unchanged(store), pytest.raises(CommentGone):
        store.removals.delete(FIRST, bob)
    store.removals.delete(FIRST)
    assert run(store, "HGET", "thread:1", "1").split(" ")[-2:] == [left, ""]
    assert (run(store, "HGET", "thread:1", "reason:1") is None) == (left == "d")


def test_silence_is_kept_with_the_comment_and_the_article(store: Store, bob: User) -> None:
    ann = factories.user(store)
    before = snapshot(store) | {"thread:1": None}
    for is_quiet in (True, False):
        store.comments.set_quiet(1, 1, bob, is_quiet)
        store.comments.set_quiet(1, 0, ann, is_quiet)
        thread = store.threads.get(1)
        assert (thread.nodes[1].is_quiet, thread.is_quiet) == (is_quiet, is_quiet)
    assert snapshot(store) | {"thread:1": None} == before


def test_an_article_whose_number_of_comments_is_damaged_takes_comments(store: Store, bob: User) -> None:
    run(store, "HSET", "article:1", "comments", "some")
    factories.comment(store, 1, bob)
    store.removals.delete(FIRST, bob)
    assert run(store, "LRANGE", "commented:bob", 0, -1) == ["1.2"]
