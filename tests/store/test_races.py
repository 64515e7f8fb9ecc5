"""Races: one action by many threads at once; the database holds what the callers were told."""

from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from voteweb.core.errors import CodeUsed, InvitationUsed, LoggedOut, NameTaken, NoInvitation
from voteweb.core.models import Voter
from voteweb.core.passwords import read
from voteweb.store import Store
from voteweb.store.accounts.sessions import digest
from voteweb.store.schema.values import digest_of

pytestmark = pytest.mark.usefixtures("sound")


def test_one_name_sent_twenty_times_makes_one_member(store: Store) -> None:
    members = at_once([partial(store.users.make, name, f"hash of {name}") for name in ["ann", "Ann", "ANN", "aNN"] * 5])
    assert [member for member in members if member is not NameTaken] == [store.users.get("ann")]


def test_one_recovery_code_sets_one_password(store: Store) -> None:
    ann = factories.user(store)
    first, second = (read(code) for code in store.passwords.renew_codes(ann)[:2])
    answers = at_once([partial(store.passwords.use_code, ann, first, f"hash {number}") for number in range(20)])
    assert answers.count(CodeUsed) == 19
    (used,) = [number for number, answer in enumerate(answers) if answer is not CodeUsed]
    now = store.users.get("ann")
    assert (answers[used], now.password) == ((now.session, 9), f"hash {used}")
    assert store.passwords.use_code(ann, second, "last hash")[1] == 8


def test_of_sessions_that_end_all_others_at_once_one_stays(store: Store) -> None:
    ann = factories.user(store)
    voters = [Voter(ann.id, ann.name, ann.session, f"token {number}") for number in range(10)]
    for voter in voters:
        store.sessions.open(ann, voter.token)
    answers = at_once([partial(store.sessions.end_others, voter) for voter in voters])
    (stays,) = [number for number, answer in enumerate(answers) if answer is not LoggedOut]
    (session,) = store.read(store.sessions.queue_all, store.users.get("ann"))
    assert (session.digest, store.users.get("ann").session) == (digest(voters[stays].token), answers[stays])


def test_an_invitation_is_either_used_or_revoked(store: Store) -> None:
    ann = factories.user(store)
    for number in range(8):
        token = store.invitations.make(ann)
        join = partial(store.users.make, f"guest{number}", "", invitation=token)
        joined, revoked = at_once([join, partial(store.invitations.revoke, digest_of(token), ann)])
        invitation = store.invitations.find(token)
        assert invitation is not None
        assert (joined is NoInvitation) == invitation.revoked
        assert (revoked is InvitationUsed) == (invitation.used != "")
        assert (store.users.find(f"guest{number}") is None) == invitation.revoked
