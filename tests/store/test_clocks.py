"""Times that are stored are the server's, whatever the clock of the site's machine says."""

import time

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core import config
from voteweb.core.models import User
from voteweb.store import Store


def test_times_are_those_of_the_server(store: Store, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr("time.time", lambda: 17.0)
    store.invitations.make(bob)
    ((_, until),) = run(store, "ZRANGE", "invites:bob", 0, -1, "WITHSCORES")
    assert until == pytest.approx(now + config.INVITATION_SECONDS, abs=60)
    factories.ban(store, "bob")
    assert store.users.get("bob").banned == pytest.approx(now, abs=60)
