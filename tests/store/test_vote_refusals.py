"""Votes that are refused: repeated, too late, too fast, from an ended session."""

import time
from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot
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
    ("vote", "refusal", "votes"),
    [
        pytest.param(cast("bob"), AlreadyVoted, 2, id="a second vote"),
        pytest.param(cast("ann"), AlreadyVoted, 2, id="the poster's vote"),
        pytest.param(take_back("cid"), NotVoted, 2, id="no vote to take back"),
        pytest.param(take_back("ann"), OwnVote, 2, id="the poster's vote taken back"),
    ],
)
def test_a_refused_vote_returns_the_count_and_changes_nothing(
    store: Store, vote: Vote, refusal: type[VotewebError], votes: int
) -> None:
    article = factories.article(store, groups=("go",))
    cast("bob")(store, article.id)
    factories.user(store, "cid")
    before = snapshot(store)
    with pytest.raises(refusal) as refused:
        vote(store, article.id)
    assert refused.value.values["votes"] == votes
    assert snapshot(store) == before


def test_a_posters_vote_stays_in_any_case_of_the_name(store: Store) -> None:
    ann = factories.user(store, "Ann")
    article = factories.article(store, ann)
    run(store, "HSET", "article:1", "poster", "aNN")
    with pytest.raises(OwnVote):
        store.votes.take_back(article.id, ann)


@pytest.mark.parametrize("vote", [cast("bob"), take_back("bob")])
@pytest.mark.parametrize("id", [0, 7, 10**12])
def test_a_vote_on_an_unknown_article_writes_nothing(store: Store, vote: Vote, id: int) -> None:
    factories.user(store, "bob")
    before = snapshot(store)
    with pytest.raises(NoSuchArticle):
        vote(store, id)
    assert snapshot(store) == before


@pytest.mark.parametrize("vote", [cast("bob"), take_back("bob"), cast("ann"), take_back("ann")])
def test_voting_closes_after_a_week(store: Store, vote: Vote) -> None:
    old = factories.imported(store, groups=("go",))
    factories.user(store, "bob")
    before = snapshot(store)
    with pytest.raises(VotingClosed) as refusal:
        vote(store, old.id)
    assert refusal.value.values["when"] == pytest.approx(old.time + 604_800, abs=1)
    assert snapshot(store) == before


@pytest.mark.parametrize("action", ["cast", "take_back"])
@pytest.mark.parametrize(
    "reason", ["password changed", "sessions ended", "banned", "banned, new session", "left", "session of another"]
)
def test_a_vote_from_an_ended_session_is_refused(store: Store, action: str, reason: str) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    if action == "take_back":
        store.votes.cast(article.id, bob)
    voter = Voter(bob.id, bob.name, bob.session)
    match reason:
        case "password changed":
            store.users.set_password("bob", "hash")
        case "sessions ended":
            store.users.end_sessions("bob")
        case "banned":
            factories.ban(store, "bob")
        case "banned, new session":
            factories.ban(store, "bob")
            store.users.set_password("bob", "hash")
            voter = replace(voter, session=store.users.get("bob").session)
        case "left":
            store.account_deletion.start(bob, delete_articles=False)
        case _:
            voter = replace(voter, session=factories.user(store, "cid").session)
    before = snapshot(store)
    with pytest.raises(LoggedOut):
        getattr(store.votes, action)(article.id, voter)
    assert snapshot(store) == before


@pytest.mark.parametrize(("age", "is_open"), [(70, True), (130, False)])
def test_voting_is_open_until_its_end(make_store: MakeStore, age: int, is_open: bool) -> None:
    store = make_store(voting_seconds=100)
    article, bob = factories.imported(store, time=time.time() - age, votes=3), factories.user(store, "bob")
    if is_open:
        assert store.votes.cast(article.id, bob) == 4
    else:
        with pytest.raises(VotingClosed):
            store.votes.cast(article.id, bob)


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
    before = snapshot(store)
    with pytest.raises(TooFast) as refused:
        store.votes.take_back(article.id, bob, hit=hit)
    assert refused.value.values["kind"] == "few"
    assert 8 <= refused.value.values["wait"] <= 10
    assert snapshot(store) == before
    assert store.votes.take_back(article.id, bob) == 1


def test_votes_are_not_limited_when_limits_are_off(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    hit = Limit("none", "", LimitScope.MEMBER, 1, 1, 3_600, "", ()), "bob"
    assert store.votes.cast(article.id, bob, hit=hit) == 2
    assert store.votes.take_back(article.id, bob, hit=hit) == 1
