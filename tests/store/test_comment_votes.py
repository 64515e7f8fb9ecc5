"""Votes for comments: counted one by one, as long as the conversation is open."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import refused, run, snapshot
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.errors import (
    AlreadyVoted,
    CommentNotVoted,
    CommentVoted,
    ConversationClosed,
    ConversationEnded,
    NotVoted,
    OwnComment,
    TooFast,
    VotewebError,
    VotingClosed,
)
from voteweb.core.models import User, Voter
from voteweb.core.rate_limits import NEWCOMER_VOTE, Limit, LimitScope
from voteweb.core.search_documents import DocumentId
from voteweb.store import Store
from voteweb.store.schema.nodes import VOTER_FACTOR

FIRST = CommentId(1, 1)


@pytest.fixture
def bob(store: Store) -> User:
    """Bob, who can vote for ann's comment on her article."""
    factories.comment(store, factories.article(store))
    return factories.user(store, "bob")


def votes(store: Store) -> int:
    return store.threads.get(1).nodes[1].votes


def own(store: Store, member: User, *numbers: int) -> frozenset[int]:
    return store.read(store.votes.queue_own_on_comments, 1, numbers, member.id)


def test_a_vote_is_counted_once_and_taken_back(store: Store, bob: User) -> None:
    before = snapshot(store)
    assert store.votes.cast(FIRST, bob) == votes(store) == 1
    with pytest.raises(CommentVoted) as again:
        store.votes.cast(FIRST, bob)
    assert again.value.values["votes"] == 1
    assert store.votes.take_back(FIRST, bob) == votes(store) == 0
    with pytest.raises(CommentNotVoted):
        store.votes.take_back(FIRST, bob)
    after = snapshot(store)
    assert after | {"thread:1": None} == before | {"thread:1": None}  # its revision


def test_nobody_votes_for_their_own_comment(store: Store, bob: User) -> None:
    ann = replace(store.users.get("ann"), name="ANN")
    for change in (store.votes.cast, store.votes.take_back):
        with refused(store, OwnComment):
            change(FIRST, ann)


@pytest.mark.parametrize(
    ("meanwhile", "error"),
    [
        (lambda store: run(store, "HSET", "thread:1", "closed", "17.5"), ConversationClosed),
        (lambda store: run(store, "HSET", "thread:1", "closes", int(time.time()) - 1), ConversationEnded),
        (lambda store: run(store, "SREM", "voted-comments:1-0", "0"), VotingClosed),
    ],
)
def test_a_refused_vote_changes_nothing(
    store: Store, bob: User, meanwhile: Callable[[Store], Any], error: type[VotewebError]
) -> None:
    store.votes.cast(FIRST, bob)
    meanwhile(store)
    with refused(store, error):
        store.votes.take_back(FIRST, Voter(bob.id, bob.name, bob.session))


def test_voters_expire_an_hour_after_closing_and_the_number_stays(store: Store, bob: User) -> None:
    run(store, "PERSIST", "voted-comments:1-0")
    store.votes.cast(FIRST, bob)
    closes = store.threads.get(1).closes
    assert closes is not None
    assert run(store, "EXPIRETIME", "voted-comments:1-0") == closes + config.VOTERS_GRACE_SECONDS
    assert run(store, "OBJECT", "ENCODING", "voted-comments:1-0") == "intset", "takes more memory"
    run(store, "DEL", "voted-comments:1-0")
    assert votes(store) == 1


def test_blocks_of_voters_do_not_meet(store: Store, bob: User) -> None:
    number = config.VOTER_BLOCK
    run(store, "HSET", "thread:1", "last", number - 1)
    factories.comment(store)
    store.votes.cast(CommentId(1, number), bob)
    assert set(run(store, "SMEMBERS", "voted-comments:1-1")) == {"0", str(number * VOTER_FACTOR + bob.id)}
    assert own(store, bob, number, 1, 7) == {number}
    store.votes.cast(FIRST, bob)
    assert own(store, bob, 1, number) == {1, number}
    assert own(store, store.users.get("ann"), 1, number) == own(store, bob) == frozenset()


def test_comments_after_missing_numbers_can_be_voted_for(store: Store, bob: User) -> None:
    run(store, "HSET", "thread:1", "last", 520)  # as a field that was damaged
    for number in (521, 522):
        assert factories.comment(store) == CommentId(1, number)
        assert store.votes.cast(CommentId(1, number), bob) == 1


@pytest.mark.parametrize(("thing", "other"), [(FIRST, 1), (1, FIRST)])
def test_only_votes_that_change_something_count_against_the_limits(
    make_store: MakeStore, bob: User, thing: DocumentId, other: DocumentId
) -> None:
    """Newcomers share theirs for articles and comments."""
    store = make_store(limits=1)
    new = store.users.make("new", "", network="")
    few, many = (Limit("votes", "", LimitScope.MEMBER, burst, 360, 3_600, "", ()) for burst in (9, 100))
    store.votes.cast(other, new, hit=(many, "new"))
    for member, limit, acts in ((bob, few, few.burst), (new, many, NEWCOMER_VOTE.burst - 1)):
        hit = limit, member.name
        for vote in [store.votes.cast, store.votes.take_back] * (acts // 2) + [store.votes.cast]:
            vote(thing, member, hit=hit)
            with pytest.raises((AlreadyVoted, NotVoted, CommentVoted, CommentNotVoted)):
                vote(thing, member, hit=hit)
        with refused(store, TooFast):
            store.votes.take_back(thing, member, hit=hit)
