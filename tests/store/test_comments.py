"""Comments: where one is written, who may write, edit, delete or silence it, and when."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, refused, run, snapshot, unchanged
from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus, Node, Thread
from voteweb.core.errors import (
    ArticleGone,
    CommentGone,
    CommentTooLate,
    ConversationEnded,
    ConversationFull,
    NoSuchArticle,
    NoSuchComment,
    NotYourComment,
    ParentGone,
    TooDeep,
    TooFast,
    VotewebError,
)
from voteweb.core.models import Reason, Role, User
from voteweb.core.rate_limits import NEWCOMER_COMMENTS, Limit
from voteweb.store import Store


def set_node(store: Store, number: int, **fields: Any) -> None:
    run(store, "HSET", "thread:1", number, factories.stored_node(**fields))


def test_a_comment_is_everywhere_where_it_belongs(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "Bob")
    assert factories.comment(store, article, bob, text="First.") == CommentId(1, 1)
    assert factories.comment(store, article, bob, parent=1) == CommentId(1, 2)
    thread = store.threads.get(1)
    first, second = thread.nodes.values()
    assert (first, second) == (Node(1, 0, 0, 0, first.time, "Bob"), Node(2, 1, 0, 0, second.time, "Bob"))
    assert first.time == pytest.approx(time.time(), abs=60)
    assert (thread.last, thread.closes) == (2, int(article.time) + 1_209_600)
    assert run(store, "HGETALL", "words:1") == {"1": "First.", "2": "Well said."}
    for key in ("comments:", "commented:bob"):
        assert run(store, "LRANGE", key, 0, -1) == ["1.2", "1.1"]
    assert store.articles.get(1).comments == 2
    assert run(store, "SMEMBERS", "voted-comments:1-0") == {"0"}
    assert run(store, "EXPIRETIME", "voted-comments:1-0") == thread.closes + config.VOTERS_GRACE_SECONDS
    run(store, "HSET", "thread:1", "closes", ends := thread.closes + 60)  # by the setting of then
    factories.comment(store, article)
    assert store.threads.get(1).closes == ends


def test_a_form_sent_twice_leads_to_one_comment(store: Store) -> None:
    article, bob, cid = factories.article(store), factories.user(store, "bob"), factories.user(store, "cid")
    write = partial(store.comments.write, article, Thread(1), 0)
    assert write("Yes.", bob, "form-0001") == CommentId(1, 1)
    with unchanged(store):
        assert write("Yes!", bob, "form-0001") == CommentId(1, 1)
    assert write("Yes.", cid, "form-0001") == CommentId(1, 2)


def below(store: Store, state: str) -> None:
    """Answer comment 1, which then gets this *state*."""
    factories.comment(store, parent=1)
    set_node(store, 1, state=state)


def chain(store: Store, levels: int) -> None:
    """Store a chain of so many comments, each the answer to the one before; the last is 2,000."""
    for number in range(2_001 - levels, 2_001):
        set_node(store, number, parent=number - 1 if number > 2_001 - levels else 0)


#: What happens between opening the form and sending it, to which comment the form is an answer, and the refusal.
REFUSALS: list[tuple[Callable[[Store], Any], int, type[VotewebError]]] = [
    (lambda store: run(store, "DEL", "article:1"), 0, NoSuchArticle),
    (lambda store: run(store, "HSET", "thread:1", "closes", "1700000000"), 0, ConversationEnded),
    (lambda store: None, 7, NoSuchComment),
    (lambda store: set_node(store, 1, state="r"), 1, ParentGone),
    (lambda store: below(store, "R"), 2, ParentGone),
    (lambda store: chain(store, config.MAX_COMMENT_LEVEL), 2_000, TooDeep),
    (lambda store: run(store, "HSET", "thread:1", "last", config.MAX_COMMENTS), 0, ConversationFull),
]


@pytest.mark.parametrize(("meanwhile", "parent", "error"), REFUSALS)
def test_a_refused_comment_changes_nothing(
    store: Store, meanwhile: Callable[[Store], Any], parent: int, error: type[VotewebError]
) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    factories.comment(store, article)
    meanwhile(store)
    with refused(store, error):
        store.comments.write(article, Thread(1), parent, "Yes.", bob, factories.token())


def test_answers_below_a_deleted_comment_can_be_answered(store: Store) -> None:
    factories.article(store)
    factories.comment(store)
    below(store, "d")
    assert factories.comment(store, parent=2) == CommentId(1, 3)


@pytest.mark.parametrize("limit", NEWCOMER_COMMENTS)
def test_a_newcomer_has_two_limits_of_comments(limit: Limit, make_store: MakeStore) -> None:
    store = make_store(limits=1)
    article, new = factories.article(store), store.users.make("new", "", network="")
    for _ in range(limit.burst - 1):
        assert store.limits.hit([(limit, "new")]) is None
    factories.comment(store, article, new)
    with pytest.raises(TooFast) as refusal:
        factories.comment(store, article, new)
    assert refusal.value.values["kind"] == limit.kind


@pytest.mark.parametrize(
    ("poster", "authors", "parent", "is_free"),
    [
        ("ann", ["new", "bob"], 2, True),
        ("new", ["bob"], 1, True),
        ("new", [], 0, False),
        ("new", ["new"], 1, False),
        ("ann", ["new", "bob", "cem"], 3, False),
        ("ann", ["bob"], 1, False),
    ],
)
def test_a_newcomer_answers_those_who_answer_them_freely(
    poster: str, authors: list[str], parent: int, is_free: bool, make_store: MakeStore
) -> None:
    store = make_store(limits=1)
    new = store.users.make("new", "", network="")
    members = {"new": new, **{name: factories.user(store, name) for name in ("ann", "bob", "cem")}}
    article = factories.article(store, members[poster])
    for above, author in enumerate(authors):
        factories.comment(store, article, members[author], parent=above)
    hits = [(limit, "new") for limit in NEWCOMER_COMMENTS]
    while store.limits.hit(hits) is None:
        pass
    with nullcontext() if is_free else pytest.raises(TooFast):
        factories.comment(store, article, new, parent=parent)


def test_numbers_are_given_once_even_if_the_last_is_lost(store: Store) -> None:
    article = factories.article(store)
    for _ in range(3):
        factories.comment(store, article)
    run(store, "HSET", "thread:1", "last", "1")
    assert factories.comment(store, article) == CommentId(1, 4)


@pytest.mark.parametrize("last", [config.VOTER_BLOCK - 1, config.VOTER_BLOCK])
def test_only_the_first_comment_of_a_block_opens_its_votes(store: Store, last: int) -> None:
    article = factories.article(store)
    run(store, "HSET", "thread:1", "last", last, last, factories.stored_node())
    assert factories.comment(store, article) == CommentId(1, last + 1)
    assert run(store, "EXISTS", "voted-comments:1-0") == 0
    assert run(store, "EXISTS", "voted-comments:1-1") == (last + 1 == config.VOTER_BLOCK)


def test_own_comments_are_noted_in_the_own_visit(store: Store) -> None:
    article = factories.article(store)
    factories.comment(store, article)
    assert run(store, "EXISTS", "seen:ann") == 0
    run(store, "HSET", "seen:ann", "1", "0 1 1700000000")
    for _ in range(2):
        factories.comment(store, article)
    assert run(store, "HGETALL", "seen:ann") == {"1": "3 3 1700000000 1-1@1700000000"}


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


def test_nobody_edits_deletes_or_silences_others_comments_or_edits_late(make_store: MakeStore, bob: User) -> None:
    store = make_store(edit_seconds=0)
    boss = factories.user(store, "boss", Role.ADMIN)
    for act in (
        lambda: store.comments.edit(FIRST, "He is right.", boss),
        lambda: store.removals.delete(FIRST, boss),
        lambda: store.comments.set_quiet(1, 0, boss, is_quiet=True),
        lambda: store.comments.set_quiet(1, 1, boss, is_quiet=True),
    ):
        with refused(store, NotYourComment):
            act()
    with refused(store, CommentTooLate) as late:
        store.comments.edit(FIRST, "Final.", bob)
    assert late.value.values["when"] == pytest.approx(store.threads.get(1).nodes[1].time)


@pytest.mark.parametrize(
    ("meanwhile", "error"),
    [
        (lambda store: store.removals.delete(CommentId(1, 2)), CommentGone),
        (lambda store: set_node(store, 2, parent=1, state="r", author="bob"), CommentGone),
        (lambda store: set_state(store, "R"), CommentGone),
        (lambda store: run(store, "HDEL", "thread:1", "2"), NoSuchComment),
        (lambda store: store.removals.delete(1), ArticleGone),
        (lambda store: run(store, "DEL", "article:1"), NoSuchArticle),
    ],
)
def test_nobody_acts_on_what_cannot_be_read(
    store: Store, bob: User, meanwhile: Callable[[Store], Any], error: type[VotewebError]
) -> None:
    second, cid = factories.comment(store, 1, bob, parent=1), factories.user(store, "cid")
    meanwhile(store)
    for act in (
        lambda: store.comments.edit(second, "Final.", bob),
        lambda: store.comments.set_quiet(1, 2, bob, is_quiet=True),
        lambda: store.votes.cast(second, cid),
    ):
        with refused(store, error):
            act()


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


def test_comments_are_deleted_at_any_time_and_below_gone_articles(make_store: MakeStore, bob: User) -> None:
    store = make_store(edit_seconds=0, commenting_seconds=600)
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
    with refused(store, CommentGone):
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
