"""Held accounts: they wait for a moderator, who lets them in or refuses them."""

import time
from dataclasses import replace

import pytest

from tests import factories
from tests.store.examination import broken, run
from voteweb.core.errors import Held, NoSuchMember
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")

REQUEST = "I write about compilers."


@pytest.fixture
def hal(store: Store) -> User:
    """A member whose account is held."""
    return store.users.make("Hal", "hash", network="", request=REQUEST)


def admission() -> LogEntry:
    return LogEntry(LogAction.ADMIT, "mod", about="Hal")


def refusal(reason: str = "An advertisement.") -> LogEntry:
    return replace(admission(), kind=LogAction.REFUSE, why=reason)


def waiting(store: Store) -> tuple[list[str], int]:
    """Return the names on the first page of the queue, and the number of who waits."""
    page = store.read(store.waiting.queue_accounts, 1)
    assert page.total == store.read(store.waiting.queue_counts).accounts
    return list(page.rows), page.total


def test_admitted_member_can_act_and_nothing_of_the_request_stays(store: Store, hal: User) -> None:
    assert (hal.request, hal.held) == (REQUEST, hal.since)
    assert time.time() - 60 < hal.held < time.time() + 60
    store.users.make("ann", "hash", network="")
    assert waiting(store) == (["hal"], 1)
    article = factories.article(store)
    with pytest.raises(Held):
        store.votes.cast(article.id, hal)
    assert [store.waiting.judge_account("hal", admission()) for _ in range(2)] == [True, False]
    admitted = store.users.get("hal")
    assert (admitted.held, admitted.request, admitted.session) == (0, "", hal.session)
    assert waiting(store) == ([], 0)
    assert store.votes.cast(article.id, admitted) == 2


def test_refused_member_is_logged_out_with_reason_until_let_in(store: Store, hal: User) -> None:
    assert store.waiting.judge_account("hal", refusal())
    assert not store.waiting.judge_account("hal", refusal("Another reason."))
    refused = store.users.get("hal")
    assert (bool(refused.banned), refused.ban_reason, bool(refused.held)) == (True, "An advertisement.", True)
    assert refused.session != hal.session
    assert (waiting(store), broken(store)) == (([], 0), [])
    assert store.waiting.judge_account("hal", admission())
    admitted = store.users.get("hal")
    assert (admitted.banned, admitted.ban_reason, admitted.held) == (0, "", 0)


def test_held_member_gets_no_ban_or_role_and_can_leave(store: Store, hal: User) -> None:
    """An admin who cannot act would count as one who is left."""
    factories.ban(store, "hal")
    store.users.set_role("hal", Role.ADMIN)
    assert (store.users.get("hal"), waiting(store)) == (hal, (["hal"], 1))
    store.account_deletion.start(hal, delete_articles=False)
    assert waiting(store) == ([], 0)
    assert REQUEST not in str(run(store, "HGETALL", "user:hal"))
    with pytest.raises(NoSuchMember):
        store.waiting.judge_account("hal", admission())
