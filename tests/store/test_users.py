"""Members: made once, found whatever the case, changed."""

import time

import pytest

from tests import factories
from tests.store.examination import run, snapshot
from voteweb.core.errors import NameTaken, NoSuchMember
from voteweb.core.models import Role, User
from voteweb.store import Store


def test_a_member_who_was_made_can_be_found_whatever_the_case(store: Store) -> None:
    made = store.users.make("Ann", "hash", Role.MODERATOR)
    assert made == User(1, "Ann", "hash", Role.MODERATOR, made.since, made.session)
    assert abs(made.since - time.time()) < 60
    assert made.session
    assert store.users.find("aNN") == store.users.get("ann") == made


def test_a_member_is_a_mere_member_unless_told_otherwise(store: Store) -> None:
    assert store.users.make("ann", "").role is Role.MEMBER


@pytest.mark.parametrize("name", ["ann", "ANN"])
def test_a_name_is_taken_whatever_its_case_and_its_owner_stays_whole(store: Store, name: str) -> None:
    ann = store.users.make("Ann", "hash", Role.ADMIN)
    with pytest.raises(NameTaken, match=name):
        store.users.make(name, "other hash")
    assert store.users.get("ann") == ann


def test_every_member_has_an_id_and_a_session_of_its_own(store: Store) -> None:
    made = [store.users.make(name, "") for name in ("ann", "bob", "cid")]
    assert [user.id for user in made] == [1, 2, 3]
    assert len({user.session for user in made}) == 3


def test_an_unknown_member_is_none_or_an_error(store: Store) -> None:
    assert store.users.find("nobody-here") is None
    with pytest.raises(NoSuchMember, match="nobody-here"):
        store.users.get("nobody-here")


def test_another_role_leaves_everything_else(store: Store) -> None:
    ann = store.users.make("ann", "hash")
    store.users.set_role("ANN", Role.ADMIN)
    now = store.users.get("ann")
    assert (now.role, now.password, now.session) == (Role.ADMIN, "hash", ann.session)


def test_another_password_ends_all_sessions(store: Store) -> None:
    ann = store.users.make("ann", "hash")
    store.users.set_password("ann", "new hash")
    now = store.users.get("ann")
    assert now.password == "new hash"
    assert now.session != ann.session


def test_a_newer_hash_of_the_same_password_ends_none(store: Store) -> None:
    ann = store.users.make("ann", "hash")
    store.users.refresh_hash("ann", "new hash")
    now = store.users.get("ann")
    assert (now.password, now.session) == ("new hash", ann.session)


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s.users.set_role("x1", Role.ADMIN),
        lambda s: s.users.set_password("x1", "h"),
        lambda s: s.users.refresh_hash("x1", "h"),
    ],
)
def test_a_member_who_is_not_there_cannot_be_changed_into_being(store: Store, act: object) -> None:
    with pytest.raises(NoSuchMember):
        act(store)
    assert snapshot(store) == {}


def test_a_member_can_be_asked_for_in_a_shared_trip(store: Store) -> None:
    ann = factories.user(store)
    pipeline = store.pipeline()
    known, unknown = store.users.queue_get(pipeline, "Ann"), store.users.queue_get(pipeline, "bob")
    pipeline.execute()
    assert (known.result, unknown.result) == (ann, None)


def test_a_name_that_spells_the_counter_is_nobody(store: Store) -> None:
    factories.user(store)
    assert run(store, "TYPE", "user:") == "string"
    assert store.users.find("ann") is not None
