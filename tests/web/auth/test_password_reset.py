"""The one-time link for a forgotten password."""

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.core import config
from voteweb.store import Store


def test_link_works_once_and_ends_all_sessions(bob: Browser, reader: Browser, store: Store) -> None:
    link = f"/reset/{store.passwords.make_link('bob')}"
    assert reader.open(link).heading == "New password for bob"
    reader.submit(link, new="short")
    assert (reader.status, reader.field_error("new")) == (422, "A password must have 8 to 256 characters.")
    reader.submit(link, new="another password")
    assert (reader.status, reader.location) == (303, "/login")
    assert reader.follow().flashes == ["The password has been set. Please log in with it."]
    assert reader.log_in("bob", "another password").status == 303
    assert not bob.is_logged_in()
    for method in (reader.open, reader.post):
        assert method(link).status == 410
        assert reader.heading == "No longer available"


@pytest.mark.parametrize("token", ["nonsense", "x" * 3_000, "%00", "<b>"])
def test_unknown_link_is_410(token: str, reader: Browser) -> None:
    assert reader.open(f"/reset/{token}").status == 410


def test_link_does_not_lift_a_ban(bob: Browser, store: Store) -> None:
    assert config.RESET_SECONDS == 86_400
    link = f"/reset/{store.passwords.make_link('bob')}"
    factories.ban(store, "bob")
    bob.open(link).submit(link, new="another password")
    bob.log_in("bob", "another password")
    assert bob.alert == "This account is banned: Spam."
