"""Members: created once, found in any case, changed."""

from dataclasses import replace
from functools import partial

import pytest

from tests.store.examination import run, snapshot
from voteweb.core.config import SIGNUP_NETWORK_SECONDS
from voteweb.core.errors import DataDamaged, NoSuchMember, PasswordChanged
from voteweb.core.models import Role
from voteweb.store import Store


def test_a_new_role_or_a_refreshed_hash_changes_nothing_else(store: Store) -> None:
    ann = store.users.make("ann", "hash")
    store.users.set_role("ANN", Role.ADMIN)
    store.users.refresh_hash("ann", "new hash", verified="hash")
    assert store.users.get("ann") == replace(ann, role=Role.ADMIN, password="new hash")


def test_a_hash_verified_before_another_password_changes_nothing(store: Store) -> None:
    store.users.make("ann", "hash")
    session_id = store.users.set_password("ann", "hash of another password")
    for change in (store.users.refresh_hash, store.users.set_password):
        with pytest.raises(PasswordChanged):
            change("ann", "another hash", verified="hash")
    now = store.users.get("ann")
    assert (now.password, now.session) == ("hash of another password", session_id)


def test_an_unknown_member_is_none_or_an_error_never_created(store: Store) -> None:
    assert store.users.find("x1") is None
    for change in (store.users.get, store.users.end_sessions, partial(store.users.set_role, role=Role.ADMIN)):
        with pytest.raises(NoSuchMember, match="x1"):
            change("x1")
    assert set(snapshot(store)) == {"schema:"}


def test_a_counter_that_is_no_number_is_damaged_data(store: Store) -> None:
    run(store, "SET", "user:", "none")
    with pytest.raises(DataDamaged, match="none"):
        store.users.make("ann", "")
    assert store.users.find("ann") is None


def test_signup_network_goes_with_its_member_and_after_a_month(store: Store) -> None:
    ann, bob, _ = [store.users.make(name, "", network="198.51.100.0/24") for name in ("ann", "bob", "cid")]
    (key,) = run(store, "KEYS", "network:*")
    assert all(0 < run(store, "TTL", name) <= SIGNUP_NETWORK_SECONDS for name in (key, "signup:ann"))
    store.account_deletion.start(bob, delete_articles=False)
    assert run(store, "ZRANGE", key, 0, -1) == ["ann", "cid"]
    run(store, "ZADD", key, ann.since - SIGNUP_NETWORK_SECONDS - 1, "cid")
    assert store.read(store.waiting.queue_neighbours, "ann") == ()
    store.users.make("dan", "", network="198.51.100.0/24")
    assert run(store, "ZRANGE", key, 0, -1) == ["ann", "dan"]
