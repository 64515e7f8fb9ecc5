"""Imports: every story once, whole, with the groups and posters it needs, and remembered as a fingerprint."""

import time

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tests import factories
from tests.store.examination import broken, ids, run, unchanged
from voteweb.core.errors import AlreadyVoted
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.schema.values import fingerprint, is_bucket, is_fingerprint

START = 1_700_000_000.0


def test_a_story_is_imported_with_its_group_and_poster(store: Store) -> None:
    article = factories.imported(store, title="Old news", time=START, votes=7, poster="Ann", groups=("go", "编程"))
    assert (article.title, article.time, article.votes, article.poster) == ("Old news", START, 7, "Ann")
    assert article.groups == ("go", "编程")
    assert run(store, "ZSCORE", "score:编程", "article:1") == START + 7 * 432
    ann = store.users.get("ann")
    assert (ann.name, ann.password, ann.role) == ("Ann", "", Role.MEMBER)
    assert [group.name for group in store.groups.all(store.pipeline())] == ["go", "编程"]
    assert ids(store, "posted:ann") == [1]
    # Voting has closed: all votes are the base.
    assert run(store, "HMGET", "article:1", "votes", "base") == ["7", "7"]
    assert run(store, "EXISTS", "voted:1") == 0
    assert broken(store) == []


def test_only_new_stories_are_added_and_each_once(store: Store) -> None:
    batch = [factories.story(time=START + i, groups=("go",), poster=f"poster{i}") for i in range(4)]
    assert store.imports.add(batch[:2]).count("imported") == 2
    assert store.imports.known([story.digest for story in batch]) == [True, True, False, False]
    assert store.imports.add([*batch, batch[3]]).count("imported") == 2
    assert ids(store, "time:") == [4, 3, 2, 1]
    with unchanged(store):
        assert store.imports.add(batch).count("imported") == 0
        assert store.imports.add([]) == store.imports.known([]) == []


def test_one_seconds_stories_get_distinct_ordered_times_in_few_steps(store: Store) -> None:
    client, round_trips = store.connection.client, list[float]()
    store.connection.load_scripts()
    store.connection.on_round_trip = round_trips.append
    client.config_resetstat()
    batch = [factories.story(time=START, groups=(f"g{i % 9}",), poster=f"poster{i % 40}") for i in range(300)]
    for half in (batch[:150], batch[150:]):
        assert store.imports.add(half).count("imported") == 150
    assert 2 <= len(round_trips) <= 18
    assert client.info("commandstats")["cmdstat_zcount"]["calls"] < 40 * 300
    assert ids(store, "time:") == list(range(300, 0, -1))
    assert store.articles.get(300).time == pytest.approx(START + 299e-6, abs=1e-7)
    keys = run(store, "KEYS", "imported:*")
    assert sum(run(store, "SCARD", key) for key in keys) == 300
    assert {run(store, "OBJECT", "ENCODING", key) for key in keys} == {"intset"}
    assert broken(store) == []


@pytest.mark.parametrize(("votes", "base"), [(7, 6), (0, -1)])
def test_the_poster_is_a_voter_while_voting_is_open(store: Store, votes: int, base: int) -> None:
    ann = factories.user(store, "Ann", Role.ADMIN, "hash")
    article = factories.imported(store, poster="ANN", time=time.time() - 3_600, votes=votes)
    assert store.users.get("ann") == ann
    assert run(store, "HMGET", "article:1", "votes", "base") == [str(votes), str(base)]
    assert run(store, "SMEMBERS", "voted:1") == {str(ann.id)}
    assert run(store, "TTL", "voted:1") > 0
    with pytest.raises(AlreadyVoted):
        store.votes.cast(article.id, ann)
    assert store.votes.cast(article.id, factories.user(store, "bob")) == votes + 1
    assert broken(store) == []


@pytest.mark.parametrize("age", [60, 8 * 86_400])
def test_story_of_somebody_who_left_comes_without_their_name(store: Store, age: int) -> None:
    ann = factories.user(store)
    factories.imported(store)  # the import knows the poster from here on
    store.account_deletion.start(ann, delete_articles=True)
    store.account_deletion.finish("ann")
    article = factories.imported(store, time=time.time() - age)
    assert (article.poster, article.votes) == ("[deleted]", 7)
    assert run(store, "EXISTS", "posted:ann") == 0
    assert broken(store) == []


@given(st.text())
def test_a_fingerprint_is_a_place_that_redis_can_hold(digest: str) -> None:
    row = fingerprint(digest)
    assert is_bucket(str(row.bucket))
    assert is_fingerprint(str(row.member))


@pytest.mark.parametrize(
    "stored", ["", "-", "01", "+1", "1.0", "x", "٧", "-0", str(2**63), str(-(2**63) - 1), "9" * 5_000]
)
def test_other_members_are_no_fingerprints(stored: str) -> None:
    assert not is_fingerprint(stored)
