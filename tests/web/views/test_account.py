"""The viewer's own account: password, votes, data, and its deletion."""

import json
from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import HOSTILE
from tests.web.test_data_export import DOWNLOAD
from voteweb.core import passwords
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.accounts.users import Users


@pytest.mark.parametrize(
    ("field", "typed", "message"),
    [
        ("old", "not this one", "This is not your current password."),
        ("old", "", "This is not your current password."),
        ("new", "short", "A password must have 8 to 256 characters."),
    ],
)
def test_password_is_changed_only_with_the_current_one(
    field: str, typed: str, message: str, bob: Browser, store: Store
) -> None:
    before = store.users.get("bob")
    bob.open("/account").submit("/account", **{"old": PASSWORD, "new": "another password"} | {field: typed})
    assert (bob.status, bob.field_error(field)) == (422, message)
    assert not bob.page.one("input", name="old")["value"]
    assert ["open" in part for part in bob.page.all("details")] == [True, False]
    assert store.users.get("bob") == before


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("/account", {"old": PASSWORD, "new": "the thief's password"}),
        ("/account/delete", {"password": PASSWORD, "articles": "delete"}),
    ],
)
def test_password_set_by_the_operator_meanwhile_stays(
    form: str, fields: dict[str, str], bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = passwords.verify

    def reset_meanwhile(stored_hash: str, password: str) -> bool:
        store.users.set_password("bob", "the operator's hash")
        return verify(stored_hash, password)

    bob.open("/account")
    monkeypatch.setattr(passwords, "verify", reset_meanwhile)
    bob.submit(form, **fields)
    assert bob.status == 422
    if form == "/account":
        assert bob.field_error("old") == "Your password was changed in the meantime. Please try again."
    assert (store.users.get("bob").password, store.users.get("bob").left) == ("the operator's hash", 0)
    assert not bob.is_logged_in()


def test_session_of_a_new_password_ends_with_the_next(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password = Users.set_password

    def reset_afterwards(users: Users, name: str, *arguments: Any, **options: Any) -> Any:
        result = set_password(users, name, *arguments, **options)
        set_password(users, name, "the operator's hash")
        return result

    bob.open("/account")
    monkeypatch.setattr(Users, "set_password", reset_afterwards)
    bob.submit("/account", old=PASSWORD, new="the thief's password")
    assert not bob.is_logged_in()


def test_a_chosen_theme_is_on_every_page_of_the_member_alone(bob: Browser, ann: Browser) -> None:
    for theme, shown in (("dark", "dark"), ("nonsense", None)):
        bob.open("/account").submit("/account/theme", theme=theme).follow()
        assert bob.page.one("button", name="theme", aria_pressed="true")["value"] == (shown or "")
        links = [page.open("/new").page.one("nav", class_="account") for page in (bob, ann)]
        assert [link.attrs.get("data-theme") for link in links] == [shown, None]


def test_votes_are_listed_and_can_be_taken_back(bob: Browser, store: Store) -> None:
    for title in ("First", HOSTILE, "Not voted for"):
        factories.article(store, title=title)
    factories.article(store, store.users.get("bob"), title="My own")
    assert bob.open("/account").page.one("main").one("a", href="/new")
    for id in (1, 2):
        store.votes.cast(id, store.users.get("bob"))
    assert bob.open("/account").titles == [HOSTILE, "First"]
    bob.press("/a/2/unvote")
    assert bob.location == "/account#a2"
    assert bob.follow().flashes == ["Your vote has been taken back."]
    assert bob.titles == ["First"]
    assert "private" in bob.response.headers["Cache-Control"]


def test_data_file_has_everything_of_the_member_alone(bob: Browser, ann: Browser, store: Store) -> None:
    factories.article(store, store.users.get("bob"), title=HOSTILE, text="編 *words*")
    bob.open(bob.open("/account").page.one("a", href="/account/data")["href"])
    assert bob.response.content_type == "application/json"
    assert bob.response.headers["Content-Disposition"] == 'attachment; filename="voteweb-bob.json"'
    assert bob.response.headers["Cache-Control"] == "private, no-store"
    data = json.loads(bob.response.text)
    assert (list(data), data["account"]["name"]) == (list(DOWNLOAD), "bob")
    assert [(article["title"], article["text"]) for article in data["articles"]] == [(HOSTILE, "編 *words*")]
    assert "bob" not in ann.open("/account/data").response.text


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"password": "not this one", "articles": "keep"}, "password", "This is not your password."),
        ({"password": PASSWORD}, "articles", "Please choose what happens to what you wrote."),
        ({"password": PASSWORD, "articles": "burn"}, "articles", "Please choose what happens to what you wrote."),
    ],
)
def test_deletion_needs_the_password_and_a_choice(
    fields: dict[str, str], field: str, message: str, bob: Browser, store: Store
) -> None:
    bob.open("/account").submit("/account/delete", **fields)
    assert (bob.status, bob.page.by_id(f"{field}-errors").text) == (422, message)
    assert ["open" in part for part in bob.page.all("details")] == [False, True]
    assert not store.users.get("bob").left
    assert bob.submit("/account/delete", password=PASSWORD, articles="keep").location == "/"


def test_last_admin_cannot_delete_the_account(make_member: MakeMember, store: Store) -> None:
    boss = make_member("boss", Role.ADMIN)
    boss.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    message = "You are the last admin here. Make another member an admin first, on the member's page."
    assert (boss.status, boss.alert) == (422, message)
    assert not store.users.get("boss").left


def test_articles_of_a_deleted_account_stay_without_its_name(bob: Browser, reader: Browser, store: Store) -> None:
    factories.article(store, store.users.get("bob"), title="It stays")
    other = Browser(bob.client.application).log_in("BOB")
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    assert bob.location == "/"
    assert bob.follow().flashes == ["Your account has been deleted. Nobody can take its name."]
    for browser in (bob, other):
        assert not browser.is_logged_in()
    row = reader.open("/new").page.by_id("a1")
    assert row.one(class_="by").text == "by [deleted]"
    assert row.one(class_="by").tag == "span"
    assert row.all("button", class_="vote")
    assert not reader.open("/a/1").page.all("a", href="/u/bob")
    assert "bob" not in reader.page.one("main").text


def test_articles_go_with_the_account_but_its_name_stays_taken(bob: Browser, reader: Browser, store: Store) -> None:
    factories.article(store, store.users.get("bob"))
    assert "Your reports are withdrawn" in bob.open("/account").page.by_id("delete").text
    bob.submit("/account/delete", password=PASSWORD, articles="delete")
    reader.open("/a/1")
    assert (reader.status, reader.intro) == (410, "This article was deleted by its poster.")
    reader.open("/u/bob")
    assert (reader.status, reader.intro) == (410, "This account was deleted by its owner.")
    reader.open("/signup").submit("/signup", username="BOB", password="long enough")
    assert (reader.status, reader.field_error("username")) == (422, "The name BOB is taken. If this is you, log in.")
    assert reader.log_in("bob").status == 422
    store.connection.client.hset("user:bob", "password", passwords.hash_password(PASSWORD))
    assert reader.log_in("bob").status == 422
    assert reader.alert == "No member has this name and this password."
