"""Invitations: single-use links with which one person can join."""

import time
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken, run, snapshot
from voteweb.core import config
from voteweb.core.errors import InvitationUsed, InviterGone, LinkUsed, NameTaken, NoInvitation
from voteweb.core.models import Invitation, Page, Role, User
from voteweb.store import Store
from voteweb.store.schema.values import digest_of


def page(store: Store, name: str, number: int = 1) -> Page[Invitation]:
    return store.read(store.invitations.queue_page, name, number)


def found(store: Store, token: str) -> Invitation:
    invitation = store.invitations.find(token)
    assert invitation is not None
    return invitation


@pytest.fixture
def ann(store: Store) -> User:
    return factories.user(store, "Ann")


def test_an_invitation_is_used_once_and_names_both_members(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    invitation = found(store, token)
    assert abs(invitation.until - time.time() - config.INVITATION_SECONDS) < 60
    assert invitation == Invitation(digest_of(token), "Ann", invitation.until)
    bob = store.users.make("Bob", "", invitation=token)
    assert bob.invited_by == "Ann"
    assert found(store, token).used == "Bob"
    with pytest.raises(NoInvitation):
        store.users.make("cid", "", invitation=token)
    assert store.users.find("cid") is None
    assert broken(store) == []


def test_the_token_of_an_invitation_is_stored_nowhere(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    assert token not in repr(snapshot(store))
    assert store.invitations.find(digest_of(token)) is None


def test_twenty_concurrent_uses_of_an_invitation_create_one_member(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    answers = at_once([partial(store.users.make, f"guest{i}", "", invitation=token) for i in range(20)])
    (guest,) = [answer for answer in answers if answer is not NoInvitation]
    assert found(store, token).used == guest.name
    assert len(run(store, "KEYS", "user:?*")) == 2
    assert broken(store) == []


def test_a_taken_name_does_not_use_up_the_invitation(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    with pytest.raises(NameTaken):
        store.users.make("ANN", "", invitation=token)
    assert store.users.make("bob", "", invitation=token).name == "bob"


@pytest.mark.parametrize("token", ["", "never-made"])
def test_an_unknown_invitation_is_refused(store: Store, token: str) -> None:
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)
    assert store.invitations.find("never-made") is None


def test_an_end_that_is_no_time_is_over(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    run(store, "HSET", store.keys.invite(digest_of(token)).removeprefix(store.keys.prefix), "until", "soon")
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)


def test_an_expired_invitation_is_refused(store: Store, ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "INVITATION_SECONDS", -1)
    token = store.invitations.make(ann)
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)
    assert broken(store) == []


def test_a_revoked_invitation_is_refused(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    store.invitations.revoke(digest_of(token), ann)
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)
    assert found(store, token).revoked


@pytest.mark.parametrize("status", ["banned", "left", "unknown"])
def test_an_invitation_is_refused_while_its_maker_is_gone(store: Store, ann: User, status: str) -> None:
    token = store.invitations.make(ann)
    if status == "banned":
        factories.ban(store, "ann")
    elif status == "left":
        store.account_deletion.start(ann, delete_articles=False)
    else:
        run(store, "DEL", "user:ann")
    with pytest.raises(InviterGone):
        store.users.make("bob", "", invitation=token)
    assert found(store, token).used == ""
    assert store.users.find("bob") is None


def test_an_invitation_is_valid_again_after_its_makers_ban(store: Store, ann: User) -> None:
    token = store.invitations.make(ann)
    factories.ban(store, "ann")
    factories.lift(store, "ann")
    assert store.users.make("bob", "", invitation=token).invited_by == "Ann"


def test_only_its_maker_or_a_moderator_can_revoke_an_invitation(store: Store, ann: User) -> None:
    first, second = store.invitations.make(ann), store.invitations.make(ann)
    bob, moderator = factories.user(store, "bob"), factories.user(store, "mod", Role.MODERATOR)
    before = snapshot(store)
    for token, member in ((first, bob), ("never-made", moderator)):
        with pytest.raises(LinkUsed):
            store.invitations.revoke(digest_of(token), member)
    assert snapshot(store) == before
    store.invitations.revoke(digest_of(first), moderator)
    store.users.make("cid", "", invitation=second)
    with pytest.raises(InvitationUsed):
        store.invitations.revoke(digest_of(second), ann)


def test_invitations_of_a_member_are_listed_latest_end_first(store: Store, ann: User) -> None:
    digests = [digest_of(store.invitations.make(ann)) for _ in range(3)]
    store.invitations.make(factories.user(store, "bob"))
    assert [row.digest for row in page(store, "aNN").rows] == digests[::-1]
    assert page(store, "nobody").rows == ()


def test_a_page_of_invitations_is_all_that_is_read(store: Store, ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "READ_BATCH_SIZE", 20)
    for _ in range(60):
        store.invitations.make(ann)
    made = list(store.read_all(store.invitations.queue_page, "ann"))
    first, last = page(store, "ann"), page(store, "ann", 3)
    assert (list(first.rows), first.total, first.more) == (made[:25], 60, True)
    assert (list(last.rows), last.total, last.more) == (made[50:], 60, False)
    assert len({invitation.digest for invitation in made}) == 60
