"""No form gives a way into an account to a session alone, however lately its member typed the password."""

from typing import Any

import pytest

from tests.store.examination import run
from tests.store.test_programs import programs
from tests.web.addresses.address import MEMBERS
from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS
from tests.web.state import PENDING
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.web.auth.authentication import GIVE_ACCESS

#: The fields of a member that let somebody in, or show what only the member sees.
WAYS_IN = ("password", "recovery", "second-factor", "email", "email-pending", *SecretFeed)
#: The fields of forms with the member's own password.
PASSWORDS = ("own-password", "password", "old", "proof")


def ways_in(store: Store) -> dict[str, dict[str, Any]]:
    """Return what lets each member in."""
    fields = {name: zip(WAYS_IN, run(store, "HMGET", f"user:{name}", *WAYS_IN), strict=True) for name in MEMBERS}
    return {name: {**dict(ways), "programs": programs(store, name)} for name, ways in fields.items()}


def test_no_session_alone_makes_a_way_in(everybody: Everybody, store: Store, subtests: pytest.Subtests) -> None:
    before, asking = ways_in(store), set[str]()
    for address in FORMS:
        for person in (person for person in address.allowed if person in MEMBERS):
            fields = {name: value for name, value in address.fields.items() if name not in PASSWORDS}
            with subtests.test(str(address), person=person):
                browser = everybody.browser(person)
                sent = {**fields, "csrf_token": everybody.tokens[person], "next": "/new"}
                browser.post(address.url(person), sent)
                after = ways_in(store)
                for name in MEMBERS:
                    made = {way for way in after[name] if after[name][way] not in (None, "", [], before[name][way])}
                    # This address was given with the password.
                    assert made <= ({"email"} if after[name]["email"] == PENDING.address else set())
                if address.endpoint in GIVE_ACCESS and "withdraw" not in fields.values():
                    asking.add(address.endpoint)
                    assert browser.status in (403, 409, 422)
                    assert "password" in browser.main.lower()
    assert asking == GIVE_ACCESS
