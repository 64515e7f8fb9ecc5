"""Votes for articles: what they change, whose they are, and those that are refused."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import ids, refused, run, snapshot
from voteweb.core.errors import AlreadyVoted, NoSuchArticle, NotVoted, OwnVote
from voteweb.core.models import User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def bob(store: Store) -> User:
    """Bob, who can vote for article 1, by ann and in a group."""
    factories.article(store, groups=("go",))
    return factories.user(store, "bob")


def test_taking_a_vote_back_undoes_it_completely(make_store: MakeStore, bob: User) -> None:
    store = make_store(good_votes=2)  # the vote makes the article a good one
    before = snapshot(store)
    assert store.votes.cast(1, bob) == 2
    assert ids(store, "good:") == [1]
    assert store.votes.take_back(1, bob) == 1
    after = snapshot(store)
    assert [fields for key, (_, fields, _) in after.items() if key.startswith("stats:")] == [{"votes": "0"}]
    after["user:bob"][1].pop("voted")  # when it was done
    assert {key: content for key, content in after.items() if not key.startswith("stats:")} == before


def test_a_vote_writes_no_key_of_an_invalid_group(store: Store, bob: User) -> None:
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
