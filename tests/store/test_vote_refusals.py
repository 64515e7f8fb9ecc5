"""Votes that are refused: repeated, too late, too fast, from an ended session."""

import time
from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, unchanged
from tests.store.test_votes import Vote, cast, take_back
from voteweb.core.errors import (
    AlreadyVoted,
    LoggedOut,
    NoSuchArticle,
    NotVoted,
    OwnVote,
    TooFast,
    VotewebError,
    VotingClosed,
)
from voteweb.core.models import Voter
from voteweb.core.rate_limits import Limit, LimitScope
from voteweb.store import Store


@pytest.mark.parametrize(
    ("vote", "refusal"),
    [
        (cast("bob"), AlreadyVoted),
        (cast("ann"), AlreadyVoted),
        (take_back("cid"), NotVoted),
        (take_back("ann"), OwnVote),
    ],
)
def test_a_refused_vote_returns_the_count_and_changes_nothing(
    store: Store, vote: Vote, refusal: type[VotewebError]
) -> None:
    article = factories.article(store, groups=("go",))
    cast("bob")(store, article.id)
    factories.user(store, "cid")
    run(store, "HSET", "article:1", "poster", "aNN")
    with unchanged(store), pytest.raises(refusal) as refused:
        vote(store, article.id)
    assert refused.value.values["votes"] == 2


@pytest.mark.parametrize("vote", [cast("bob"), take_back("bob")])
@pytest.mark.parametrize("id", [0, 10**12])
def test_a_vote_on_an_unknown_article_writes_nothing(store: Store, vote: Vote, id: int) -> None:
    factories.user(store, "bob")
    with unchanged(store), pytest.raises(NoSuchArticle):
        vote(store, id)


@pytest.mark.parametrize("vote", [cast("bob"), take_back("bob"), take_back("ann")])
def test_voting_closes_after_a_week(store: Store, vote: Vote) -> None:
    old = factories.imported(store, groups=("go",))
    factories.user(store, "bob")
    with unchanged(store), pytest.raises(VotingClosed) as refusal:
        vote(store, old.id)
    assert refusal.value.values["when"] == pytest.approx(old.time + 604_800, abs=1)


@pytest.mark.parametrize("action", ["cast", "take_back"])
@pytest.mark.parametrize("reason", ["sessions ended", "banned, new session", "left", "session of another"])
def test_a_vote_from_an_ended_session_is_refused(store: Store, action: str, reason: str) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    if action == "take_back":
        store.votes.cast(article.id, bob)
    voter = Voter(bob.id, bob.name, bob.session)
    match reason:
        case "sessions ended":
            store.users.end_sessions("bob")
        case "banned, new session":
            factories.ban(store, "bob")
            voter = replace(voter, session=store.users.set_password("bob", "hash"))
        case "left":
            store.account_deletion.start(bob, delete_articles=False)
        case _:
            voter = replace(voter, session=factories.user(store, "cid").session)
    with unchanged(store), pytest.raises(LoggedOut):
        getattr(store.votes, action)(article.id, voter)


def test_voting_is_open_until_its_end(make_store: MakeStore) -> None:
    store, now = make_store(voting_seconds=100), time.time()
    early, late = (factories.imported(store, time=now - age, votes=3).id for age in (70, 130))
    assert cast("bob")(store, early) == 4
    with pytest.raises(VotingClosed):
        cast("bob")(store, late)


def test_voting_may_last_a_century(make_store: MakeStore) -> None:
    store = make_store(voting_seconds=3_155_760_000)
    article = factories.article(store)
    assert store.votes.cast(article.id, factories.user(store, "bob")) == 2
    assert broken(store) == []


def test_only_votes_that_change_something_count_against_the_limit(make_store: MakeStore) -> None:
    store = make_store(limits=1)
    article, bob = factories.article(store), factories.user(store, "bob")
    hit = Limit("few", "", LimitScope.MEMBER, 3, 360, 3_600, "Again at %(when)s.", ()), "bob"
    for votes, vote in ((2, store.votes.cast), (1, store.votes.take_back), (2, store.votes.cast)):
        assert vote(article.id, bob, hit=hit) == votes
        with pytest.raises((AlreadyVoted, NotVoted)):
            vote(article.id, bob, hit=hit)
        with pytest.raises(NoSuchArticle):
            vote(99, bob, hit=hit)
    with unchanged(store), pytest.raises(TooFast):
        store.votes.take_back(article.id, bob, hit=hit)
    assert make_store().votes.take_back(article.id, bob, hit=hit) == 1
