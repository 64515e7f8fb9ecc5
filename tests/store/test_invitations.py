"""The ways in: invitations for one person, one-time links for one day."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from tests.store.test_races import at_once
from voteweb.core import config
from voteweb.core.errors import InvitationUsed, InviterGone, LinkUsed, NameTaken, NoInvitation, NoSuchMember
from voteweb.core.models import Invitation, LogAction, User
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


def made_by(store: Store, name: str) -> tuple[Invitation, ...]:
    pipeline = store.pipeline()
    asked = store.invitations.queue_made_by(pipeline, name)
    pipeline.execute()
    return asked.result


@pytest.fixture
def ann(store: Store) -> User:
    return factories.user(store, "Ann")


def test_an_invitation_makes_one_member_and_says_whom_and_by_whom(store: Store, ann: User) -> None:
    invitation = store.invitations.make(ann)
    assert abs(invitation.until - time.time() - config.INVITATION_SECONDS) < 60
    assert store.invitations.find(invitation.token) == invitation == Invitation(invitation.token, "Ann", invitation.until)
    bob = store.users.make("Bob", "", invitation=invitation.token)
    assert bob.invited_by == "Ann"
    used = store.invitations.find(invitation.token)
    assert used is not None
    assert used.used == "Bob"
    with pytest.raises(NoInvitation):
        store.users.make("cid", "", invitation=invitation.token)
    assert store.users.find("cid") is None
    assert broken(store) == []


def test_twenty_who_come_by_one_invitation_are_one_member(store: Store, ann: User) -> None:
    token = store.invitations.make(ann).token
    answers = at_once([lambda i=i: store.users.make(f"guest{i}", "", invitation=token) for i in range(20)])  # type: ignore[misc]
    (guest,) = [answer for answer in answers if answer is not NoInvitation]
    used = store.invitations.find(token)
    assert used is not None
    assert used.used == guest.name
    assert len(run(store, "KEYS", "user:?*")) == 2
    assert broken(store) == []


def test_a_name_that_is_taken_does_not_use_an_invitation_up(store: Store, ann: User) -> None:
    token = store.invitations.make(ann).token
    with pytest.raises(NameTaken):
        store.users.make("ANN", "", invitation=token)
    assert store.users.make("bob", "", invitation=token).name == "bob"


@pytest.mark.parametrize("token", ["", "never-made"])
def test_without_an_invitation_that_was_made_nobody_comes_in(store: Store, token: str) -> None:
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)
    assert store.invitations.find("never-made") is None


def test_after_its_end_an_invitation_is_none(store: Store, ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "INVITATION_SECONDS", -1)
    token = store.invitations.make(ann).token
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)
    assert broken(store) == []


def test_a_revoked_invitation_lets_nobody_in(store: Store, ann: User) -> None:
    token = store.invitations.make(ann).token
    store.invitations.revoke(token, ann)
    with pytest.raises(NoInvitation):
        store.users.make("bob", "", invitation=token)
    found = store.invitations.find(token)
    assert found is not None
    assert found.revoked


@pytest.mark.parametrize("how", ["banned", "left", "never there"])
def test_an_invitation_by_somebody_who_is_no_longer_here_lets_nobody_in(store: Store, ann: User, how: str) -> None:
    token = store.invitations.make(ann).token
    if how == "banned":
        store.users.ban("ann", NewLogEntry(LogAction.BAN, "mod", about="ann", why="Spam."))
    elif how == "left":
        store.account_deletion.start(ann, delete_articles=False)
    else:
        run(store, "DEL", "user:ann")
    with pytest.raises(InviterGone):
        store.users.make("bob", "", invitation=token)
    found = store.invitations.find(token)
    assert found is not None
    assert found.used == ""
    assert store.users.find("bob") is None


def test_an_invitation_is_good_again_when_its_maker_is_let_in_again(store: Store, ann: User) -> None:
    token = store.invitations.make(ann).token
    store.users.ban("ann", NewLogEntry(LogAction.BAN, "mod", about="ann", why="Spam."))
    store.users.unban("ann", NewLogEntry(LogAction.UNBAN, "mod", about="ann"))
    assert store.users.make("bob", "", invitation=token).invited_by == "Ann"


def test_only_its_maker_and_moderators_revoke_an_invitation_and_no_used_one(store: Store, ann: User) -> None:
    first, second = store.invitations.make(ann).token, store.invitations.make(ann).token
    before = snapshot(store)
    for token, who in ((first, factories.user(store, "bob")), ("never-made", None)):
        with pytest.raises(LinkUsed):
            store.invitations.revoke(token, who)
    assert {key: value for key, value in snapshot(store).items() if not key.startswith("user:")} == {
        key: value for key, value in before.items() if not key.startswith("user:")
    }
    store.invitations.revoke(first, None)
    store.users.make("cid", "", invitation=second)
    with pytest.raises(InvitationUsed):
        store.invitations.revoke(second, ann)


def test_a_member_sees_all_own_invitations_the_latest_end_first(store: Store, ann: User) -> None:
    invitations = [store.invitations.make(ann) for _ in range(3)]
    store.invitations.make(factories.user(store, "bob"))
    assert made_by(store, "aNN") == tuple(reversed(invitations))
    assert made_by(store, "nobody") == ()


def test_a_one_time_link_sets_a_password_once_and_ends_all_sessions(store: Store, ann: User) -> None:
    token = store.password_resets.make("ANN")
    assert store.password_resets.member_name(token) == "ann"
    assert store.password_resets.use(token, "new hash") == "ann"
    after = store.users.get("ann")
    assert (after.password, after.name) == ("new hash", "Ann")
    assert after.session != ann.session
    for use in (lambda: store.password_resets.use(token, "third hash"), lambda: store.password_resets.member_name(token)):
        with pytest.raises(LinkUsed):
            use()
    assert store.users.get("ann") == after


def test_the_database_does_not_hold_the_link_and_forgets_it_after_a_day(store: Store, ann: User) -> None:
    token = store.password_resets.make("ann")
    (key,) = run(store, "KEYS", "reset:*")
    assert token not in str(snapshot(store))
    assert 86_390 <= run(store, "TTL", key) <= 86_400
    assert broken(store) == []


def test_one_link_used_by_twenty_sets_one_password(store: Store, ann: User) -> None:
    token = store.password_resets.make("ann")
    answers = at_once([lambda i=i: store.password_resets.use(token, f"hash {i}") for i in range(20)])  # type: ignore[misc]
    assert answers.count("ann") == 1
    assert store.users.get("ann").password == f"hash {answers.index('ann')}"


def test_nobody_and_those_who_left_get_no_link(store: Store, ann: User) -> None:
    token = store.password_resets.make("ann")
    store.account_deletion.start(ann, delete_articles=False)
    with pytest.raises(LinkUsed):
        store.password_resets.use(token, "hash")
    for name in ("ann", "nobody"):
        with pytest.raises(NoSuchMember):
            store.password_resets.make(name)
    assert store.users.get("ann").password == ""
