"""Joining: what a name and a password may be, and what is said when they are not."""

from dataclasses import replace

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.test_accounts import is_logged_in
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.models import Role
from voteweb.store import Store


def test_whoever_joins_is_logged_in_and_welcomed(reader: Browser, fake_store: Store) -> None:
    reader.open("/signup").submit("/signup", username=" Carl_9 ", password="eight ch")
    assert (reader.status, reader.location) == (303, "/")
    assert reader.follow().flashes == ["Welcome, Carl_9. Your account is made, and you are logged in."]
    user = fake_store.users.get("carl_9")
    assert (user.name, user.role) == ("Carl_9", Role.MEMBER)
    assert passwords.verify(user.password, "eight ch")
    assert user.password.startswith("$argon2id$")


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("username", "", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "x", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "x" * 10_000, "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "编程", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "a b", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "<b>x</b>", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "user:1", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "carl\u202e", "A user name has 2 to 20 letters (a to z), digits, - or _."),
        ("username", "Admin", "The name Admin is reserved. Please choose another."),
        ("username", "ANN", "The name ANN is taken."),
        ("password", "", "A password has 8 to 256 characters."),
        ("password", "seven c", "A password has 8 to 256 characters."),
        ("password", "x" * 257, "A password has 8 to 256 characters."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    field: str, typed: str, says: str, reader: Browser, fake_store: Store
) -> None:
    factories.user(fake_store, "ann")
    fields = {"username": "carl", "password": "long enough"} | {field: typed}
    reader.open("/signup?next=/new").submit("/signup", **fields)
    assert (reader.status, reader.error_at(field)) == (422, says)
    assert reader.page.one("input", name="username")["value"] == fields["username"].strip()
    assert reader.page.one("input", name="password")["value"] == ""
    assert reader.form("/signup").one("input", name="next")["value"] == "/new"
    assert not is_logged_in(reader)


@pytest.mark.parametrize("password", ["编程之美编程之美", "🎉" * 8, " with blanks ", "nul\x00inside", "x" * 256])
def test_any_long_enough_password_works_as_typed(password: str, reader: Browser) -> None:
    reader.open("/signup").submit("/signup", username="carl", password=password)
    reader.follow().submit("/logout")
    assert reader.log_in("carl", password).status == 303
    assert is_logged_in(reader)


def test_a_site_can_be_closed_to_new_members(settings: Settings, fake_store: Store) -> None:
    closed = Browser(create_app(replace(settings, signup="closed"), fake_store))
    assert closed.open("/signup").status == 403
    assert closed.heading == "Not taking new members"
    assert not closed.page.all("a", href="/signup")
    closed.post("/signup", {"username": "carl", "password": "long enough"})
    assert (closed.status, fake_store.users.find("carl")) == (403, None)
    assert not closed.open("/login").page.all("a", href="/signup?next=/")
