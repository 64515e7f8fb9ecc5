"""Admins: there is always one who can log in, whatever they do to each other at once."""

from collections.abc import Callable

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core.errors import LastAdmin
from voteweb.core.models import Role
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


def demote(store: Store, name: str) -> None:
    store.users.set_role(name, Role.MEMBER)


def leave(store: Store, name: str) -> None:
    store.account_deletion.start(store.users.get(name), delete_articles=False)


@pytest.mark.parametrize("act", [demote, factories.ban, leave])
def test_the_last_admin_stays_one(store: Store, act: Callable[[Store, str], None]) -> None:
    store.users.make("Boss", "", Role.ADMIN)
    factories.ban(store, store.users.make("barred", "", Role.ADMIN).name)
    leave(store, store.users.make("left", "", Role.ADMIN).name)
    before = store.users.get("boss")
    with pytest.raises(LastAdmin, match="The last admin here is Boss"):
        act(store, "Boss")
    assert store.users.get("boss") == before
    factories.lift(store, "barred")
    act(store, "Boss")
    assert run(store, "SMEMBERS", "admins:") == {"barred"}
