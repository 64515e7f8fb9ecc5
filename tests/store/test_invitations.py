"""Invitations: single-use links with which one person can join."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, refused, run, snapshot
from voteweb.core import config
from voteweb.core.errors import InvitationUsed, InviterGone, LinkUsed, NameTaken, NoInvitation
from voteweb.core.models import Invitation, User
from voteweb.store import Store
from voteweb.store.schema.values import digest_of


def found(store: Store, token: str) -> Invitation:
    invitation = store.invitations.find(token)
    assert invitation is not None
    return invitation


@pytest.fixture
def ann(store: Store) -> User:
    return factories.user(store, "Ann")


def test_an_invitation_is_used_once_and_names_both_members(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    assert token not in repr(snapshot(store))
    assert store.invitations.find(digest_of(token)) is None
    invitation = found(store, token)
    assert abs(invitation.until - time.time() - config.INVITATION_SECONDS) < 60
    assert invitation == Invitation(digest_of(token), "Ann", invitation.until)
    with pytest.raises(NameTaken):
        store.users.make("ANN", "", invitation=token)
    assert store.users.make("Bob", "", invitation=token).invited_by == "Ann"
    assert found(store, token).used == "Bob"
    with pytest.raises(NoInvitation):
        store.users.make("cid", "", invitation=token)
    assert store.users.find("cid") is None
    assert broken(store) == []


def test_an_unknown_expired_or_revoked_invitation_is_refused(
    store: Store, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    revoked, without_end = store.invitations.make(ann), store.invitations.make(ann)
    store.invitations.revoke(digest_of(revoked), ann)
    assert found(store, revoked).revoked
    monkeypatch.setattr(config, "INVITATION_SECONDS", -1)
    expired = store.invitations.make(ann)
    assert broken(store) == []
    run(store, "HSET", f"invite:{digest_of(without_end)}", "until", "soon")
    for token in ("", "never-made", revoked, without_end, expired):
        with pytest.raises(NoInvitation):
            store.users.make("bob", "", invitation=token)


def test_an_invitation_is_refused_while_its_maker_is_gone(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    factories.ban(store, "ann")
    with pytest.raises(InviterGone):
        store.users.make("bob", "", invitation=token)
    factories.lift(store, "ann")
    assert store.users.make("bob", "", invitation=token).invited_by == "Ann"
    ann = store.users.get("ann")  # the ban has ended the sessions
    token = store.invitations.make(ann)
    store.account_deletion.start(ann, delete_articles=False)
    for _ in range(2):
        with pytest.raises(InviterGone):
            store.users.make("cid", "", invitation=token)
        run(store, "DEL", "user:ann")
    assert found(store, token).used == ""
    assert store.users.find("cid") is None


def test_only_its_maker_or_a_moderator_can_revoke_an_invitation(store: Store, ann: User, bob: User, mod: User) -> None:
    first, second = store.invitations.make(ann), store.invitations.make(ann)
    for token, member in ((first, bob), ("never-made", mod)):
        with refused(store, LinkUsed):
            store.invitations.revoke(digest_of(token), member)
    store.invitations.revoke(digest_of(first), mod)
    store.users.make("cid", "", invitation=second)
    with pytest.raises(InvitationUsed):
        store.invitations.revoke(digest_of(second), ann)
