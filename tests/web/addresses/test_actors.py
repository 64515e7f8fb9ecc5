"""Acts in flight: somebody who is banned, or loses their role, while their form is on its way changes nothing."""

from typing import Any

import pytest

from tests.store.examination import run
from tests.web.addresses.address import MEMBER, MEMBERS, STAFF
from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS
from voteweb.store import Store

#: The forms with which members change only their own account, and those of readers.
OWN_ACCOUNT = ("account.", "auth.", "language.", "mail.index", "mail.stop")
ACTS = [
    (address, person)
    for address in FORMS
    if address.writes and not address.endpoint.startswith(OWN_ACCOUNT)
    for person in address.allowed
    if person in MEMBERS
]
#: What only moderators and admins may do; the moderator edits the article of another.
STAFF_ACTS = [act for act in ACTS if act[1] in STAFF and MEMBER not in act[0].allowed]


def before_first_script(store: Store, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    """Run *command* before the next script."""
    script, commands = store.connection.script, [command]

    def change_first(name: str, /, **values: Any) -> Any:
        if commands:
            run(store, *commands.pop())
        return script(name, **values)

    monkeypatch.setattr(store.connection, "script", change_first)


def test_act_of_somebody_gone_meanwhile_changes_nothing(
    everybody: Everybody, store: Store, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Every script distinguishes who is banned from who has left: see tests/store/scripts/test_actors.py."""
    for number, (address, person) in enumerate(ACTS):
        field = ("banned", "left")[number % 2]
        with subtests.test(str(address), person=person, field=field), monkeypatch.context() as patch:
            change = ("HSET", f"user:{person}", field, "1")
            before_first_script(store, patch, change)
            browser = everybody.send(address, person)
            assert everybody.is_unchanged_but_for(*change)
            if address.keeps_typed:
                assert browser.status == 422
                assert all(typed in browser.text for typed in address.kept)
                assert browser.page.all("input", name="log-in-password")
            else:
                assert browser.location.startswith("/login?next=")


def test_act_of_somebody_demoted_meanwhile_changes_nothing(
    everybody: Everybody, store: Store, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for address, person in STAFF_ACTS:
        with subtests.test(str(address), person=person), monkeypatch.context() as patch:
            change = ("HSET", f"user:{person}", "role", "member")
            before_first_script(store, patch, change)
            browser = everybody.send(address, person)
            assert everybody.is_unchanged_but_for(*change)
            assert browser.status == 403
