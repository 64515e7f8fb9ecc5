"""Own votes: a process remembers which articles a member voted for until that member votes in another one."""

from collections.abc import Sequence
from unittest.mock import patch

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import run
from voteweb.core import config
from voteweb.core.models import User, Voter
from voteweb.store import Store
from voteweb.store.votes import votes


def voted_ids(store: Store, member: User, ids: Sequence[int]) -> set[int]:
    """Return those of *ids* that a list shows as voted for by *member*, as in the request of a page."""
    pipeline = store.pipeline()
    viewer = store.viewers.queue_read(pipeline, Voter(member.id, member.name, member.session))
    voted = store.votes.queue_remembered(pipeline, ids, member.id, lambda: viewer.result.voted_at)
    pipeline.execute()
    return set(voted.result) & set(ids)


def asked(store: Store, member: User, ids: Sequence[int]) -> list[int]:
    """Return how many articles each command of such a request asks about."""
    numbers: list[int] = []
    command = votes.Votes._read_own

    def count(self: votes.Votes, asked: Sequence[int], voter_id: int) -> tuple[object, ...]:
        numbers.append(len(asked))
        return command(self, asked, voter_id)

    with patch.object(votes.Votes, "_read_own", count):
        voted_ids(store, member, ids)
    return numbers


def test_votes_are_asked_for_again_after_a_vote_elsewhere(make_store: MakeStore) -> None:
    store, other_process = make_store(), make_store()
    ids = [factories.article(store).id for _ in range(4)]
    bob = factories.user(store, "bob")
    assert voted_ids(store, bob, ids[:3]) == set()
    assert asked(store, bob, ids[:3]) == []
    assert asked(store, bob, ids) == [1]

    other_process.votes.cast(ids[1], bob)
    assert voted_ids(store, bob, ids) == {ids[1]}
    assert asked(store, bob, ids) == []

    other_process.votes.take_back(ids[1], bob)
    store.votes.cast(ids[3], bob)
    assert voted_ids(store, bob, ids[:2]) == set()
    assert voted_ids(store, bob, ids) == {ids[3]}
    assert voted_ids(other_process, bob, ids) == {ids[3]}


def test_a_vote_in_this_process_is_remembered(make_store: MakeStore) -> None:
    store, other_process = make_store(), make_store()
    ids = [factories.article(store).id for _ in range(4)]
    bob = factories.user(store, "bob")
    assert voted_ids(store, bob, ids[:3]) == set()

    for id in (ids[0], ids[1], ids[3]):
        store.votes.cast(id, bob)
    store.votes.take_back(ids[1], bob)
    assert asked(store, bob, ids) == []
    assert voted_ids(store, bob, ids) == {ids[0], ids[3]}

    other_process.votes.take_back(ids[0], bob)
    store.votes.cast(ids[1], bob)  # which does not tell what the other process has changed
    assert asked(store, bob, ids) == [4]
    assert voted_ids(store, bob, ids) == {ids[1], ids[3]}


def test_members_do_not_share_votes(store: Store) -> None:
    article = factories.article(store)
    bob, cid = factories.user(store, "bob"), factories.user(store, "cid")
    store.votes.cast(article.id, bob)
    assert [voted_ids(store, member, [article.id]) for member in (bob, cid) * 2] == [{article.id}, set()] * 2


def test_what_another_program_writes_is_seen_later(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids, bob = [factories.article(store).id for _ in range(2)], factories.user(store, "bob")
    assert voted_ids(store, bob, ids[:1]) == set()
    run(store, "SADD", f"voted:{ids[0]}", bob.id)
    later = votes.monotonic() + config.OWN_VOTES_SECONDS
    monkeypatch.setattr(votes, "monotonic", lambda: later - 1)
    assert voted_ids(store, bob, ids) == set()  # to ask for another article too prolongs nothing
    monkeypatch.setattr(votes, "monotonic", lambda: later)
    assert voted_ids(store, bob, ids) == {ids[0]}
