"""Bans: the member is logged out everywhere until the ban is lifted."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests import factories
from tests.store.examination import refused, run, snapshot
from tests.store.queries import logged_act
from voteweb.core.comments import CommentId
from voteweb.core.errors import Held, LoggedOut, NotAllowed, VotewebError
from voteweb.core.models import Reason, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed

pytestmark = pytest.mark.usefixtures("sound")


def test_a_ban_ends_all_sessions_and_stores_time_and_reason(store: Store) -> None:
    bob = factories.user(store, "bob", password_hash="hash")
    store.users.end_sessions("bob")
    before = store.users.get("bob")
    assert before == replace(bob, session=before.session)
    factories.ban(store, "BOB")
    after = store.users.get("bob")
    assert len({user.session for user in (bob, before, after)}) == 3
    assert after.banned == pytest.approx(time.time(), abs=60)
    assert after == replace(before, banned=after.banned, ban_reason="Spam.", session=after.session)
    factories.lift(store, "bob")
    assert store.users.get("bob") == replace(before, session=after.session)


#: Acts of bob: on article 1, by ann, on article 2, which was removed, and on what is his alone. Of those that scripts
#: of their own do, which check the actor, one stands for all.
ACTS: dict[str, Callable[[Store, User], object]] = {
    "vote": lambda store, bob: store.votes.cast(1, bob),
    "edit a comment": lambda store, bob: store.comments.edit(CommentId(1, 2), "Better said.", bob),
    "silence": lambda store, bob: store.comments.set_quiet(1, 2, bob, is_quiet=True),
    "report": lambda store, bob: store.reports.make(1, bob, Reason.SPAM, ""),
    "invite": lambda store, bob: store.invitations.make(bob),
    "answer": lambda store, bob: store.waiting.answer(2, bob, "It is no spam."),
    "follow": lambda store, bob: store.my_sites.follow("go", bob),
    "hide": lambda store, bob: store.my_sites.hide(hidden_member("ann"), bob),
    "save": lambda store, bob: store.my_sites.save(1, bob),
    "make a feed": lambda store, bob: store.feeds.renew(SecretFeed.INBOX, bob),
    "describe": lambda store, bob: store.users.describe(bob, "I am Bob."),
    "report lines": lambda store, bob: store.waiting.report_about("ann", bob),
    "read an inbox": lambda store, bob: store.inbox.mark_all_read(bob, run(store, "LINDEX", "inbox:bob", 0)),
}


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize(("field", "refusal"), [("banned", LoggedOut), ("held", Held)])
def test_who_is_banned_or_waits_cannot_act(
    store: Store, bob: User, name: str, field: str, refusal: type[VotewebError]
) -> None:
    factories.article(store, groups=("go",))
    store.users.describe(store.users.get("ann"), "I am Ann.")
    factories.remove(store, factories.article(store, bob, link="").id)
    for author in (factories.user(store), bob):
        factories.comment(store, 1, author, text="Well said, @bob.")
    run(store, "HSET", "user:bob", field, 1)
    with refused(store, refusal):
        ACTS[name](store, bob)
    run(store, "HDEL", "user:bob", field)
    before = snapshot(store)
    ACTS[name](store, bob)
    assert snapshot(store) != before


def test_a_ban_with_an_end_is_none_after_it(store: Store, bob: User) -> None:
    factories.article(store)
    factories.ban(store, "bob", days=3)
    banned = store.users.get("bob")
    assert logged_act(store).until == banned.banned_until == pytest.approx(time.time() + 3 * 86_400, abs=60)
    with pytest.raises(LoggedOut):
        ACTS["vote"](store, bob)
    run(store, "HSET", "user:bob", "banned-until", int(time.time()))
    bob = store.users.get("bob")
    assert (bob.banned, bob.session) == (0, banned.session)
    ACTS["vote"](store, bob)
    factories.ban(store, "bob")
    assert (store.users.get("bob").banned > 0, store.users.get("bob").banned_until) == (True, 0)


def test_a_ban_needs_a_higher_role_by_now(store: Store) -> None:
    actor = factories.user(store, "mod", Role.ADMIN)
    factories.user(store, "bob", Role.MODERATOR)
    run(store, "HSET", "user:mod", "role", "moderator")
    with pytest.raises(NotAllowed):
        factories.ban(store, "bob", actor=actor)
    assert not store.users.get("bob").banned
    run(store, "HSET", "user:mod", "role", "admin")
    factories.ban(store, "bob", actor=actor)
    assert store.users.get("bob").banned
