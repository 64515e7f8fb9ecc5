"""Times that are stored are the server's, whatever the clock of the site's machine says."""

import time

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core import config
from voteweb.store import Store


@pytest.fixture
def wrong_clock(monkeypatch: pytest.MonkeyPatch) -> float:
    """The time, while the clock of this machine says that it is 1970."""
    now = time.time()
    monkeypatch.setattr("time.time", lambda: 17.0)
    return now


def test_ban_has_the_time_of_the_server(store: Store, wrong_clock: float) -> None:
    factories.user(store, "bob")
    factories.ban(store, "bob")
    assert store.users.get("bob").banned == pytest.approx(wrong_clock, abs=60)


def test_invitation_ends_by_the_clock_of_the_server(store: Store, wrong_clock: float) -> None:
    invitation = store.invitations.find(store.invitations.make(factories.user(store)))
    assert invitation is not None
    assert invitation.until == pytest.approx(wrong_clock + config.INVITATION_SECONDS, abs=60)
    assert run(store, "ZSCORE", "invites:ann", f"invite:{invitation.digest}") == invitation.until
