"""Votes for articles: what they change, whose they are, and those that are refused."""

import time
from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import ids, refused, run, snapshot
from voteweb.core.errors import AlreadyVoted, LoggedOut, NoSuchArticle, NotVoted, OwnVote, VotingClosed
from voteweb.core.models import User, Voter
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def bob(store: Store) -> User:
    """Bob, who can vote for article 1, by ann and in a group."""
    factories.article(store, groups=("go",))
    return factories.user(store, "bob")


def test_taking_a_vote_back_undoes_it_completely(store: Store, bob: User) -> None:
    before = snapshot(store)
    assert store.votes.cast(1, bob) == 2
    assert store.votes.take_back(1, bob) == 1
    after = snapshot(store)
    assert [fields for key, (_, fields, _) in after.items() if key.startswith("stats:")] == [{"votes": "0"}]
    after["user:bob"][1].pop("voted")  # when it was done
    assert {key: content for key, content in after.items() if not key.startswith("stats:")} == before


def test_votes_move_an_article_into_and_out_of_good(make_store: MakeStore, bob: User) -> None:
    store, good = make_store(good_votes=3), list[list[int]]()
    cid = factories.user(store, "cid")
    for vote, voter in ((store.votes.cast, bob), (store.votes.cast, cid), (store.votes.take_back, bob)):
        vote(1, voter)
        good.append(ids(store, "good:"))
    assert good == [[], [1], []]


def test_a_vote_writes_no_key_that_only_looks_like_that_of_a_group(store: Store, bob: User) -> None:
    run(store, "HSET", "article:1", "groups", "a:b  go a+b go * ünïcode")
    assert store.votes.cast(1, bob) == 2
    assert set(run(store, "KEYS", "score:*")) == {"score:", "score:go", "score:ünïcode"}
    assert set(run(store, "KEYS", "top-group:*")) == {"top-group:go", "top-group:ünïcode"}
    store.articles.set_groups(1, [], ["ünïcode"])


def test_a_refused_vote_returns_the_count_and_changes_nothing(store: Store, bob: User) -> None:
    store.votes.cast(1, bob)
    ann, cid = store.users.get("ann"), factories.user(store, "cid")
    run(store, "HSET", "article:1", "poster", "aNN")
    for vote, voter, error in (
        (store.votes.cast, bob, AlreadyVoted),
        (store.votes.take_back, cid, NotVoted),
        (store.votes.take_back, ann, OwnVote),
    ):
        with refused(store, error) as refusal:
            vote(1, voter)
        assert refusal.value.values["votes"] == 2
        with refused(store, NoSuchArticle):
            vote(10**12, voter)


@pytest.mark.parametrize("reason", ["sessions ended", "banned, new session", "left", "session of another"])
def test_a_vote_from_an_ended_session_is_refused(store: Store, bob: User, reason: str) -> None:
    store.votes.cast(1, bob)
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
    with refused(store, LoggedOut):
        store.votes.take_back(1, voter)


def test_voting_is_open_until_its_end(make_store: MakeStore) -> None:
    store, now = make_store(voting_seconds=100), time.time()
    bob = factories.user(store, "bob")
    early, late = (factories.imported(store, time=now - age, votes=3).id for age in (70, 130))
    assert store.votes.cast(early, bob) == 4
    with refused(store, VotingClosed) as refusal:
        store.votes.cast(late, bob)
    assert refusal.value.values["when"] == pytest.approx(now - 30, abs=1)
