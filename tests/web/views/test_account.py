"""The viewer's own account: password, votes, data, and its deletion."""

import json
from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.escaping import HOSTILE
from tests.web.state import TOKEN, make_links
from tests.web.test_data_export import DOWNLOAD
from voteweb.core import config, passwords
from voteweb.core.models import LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.accounts.users import Users
from voteweb.store.schema.log_entries import NewLogEntry


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
    assert "open" not in bob.page.one("details")
    assert store.users.get("bob") == before


def test_password_set_by_the_operator_meanwhile_stays(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = passwords.verify

    def reset_meanwhile(stored_hash: str, password: str) -> bool:
        store.users.set_password("bob", "the operator's hash")
        return verify(stored_hash, password)

    bob.open("/account")
    monkeypatch.setattr(passwords, "verify", reset_meanwhile)
    bob.submit("/account", old=PASSWORD, new="the thief's password")
    assert (bob.status, bob.field_error("old")) == (
        422,
        "Your password was changed in the meantime. Please try again.",
    )
    assert store.users.get("bob").password == "the operator's hash"
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


def test_votes_on_deleted_and_removed_articles_are_not_listed(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "READ_BATCH_SIZE", 2)
    for i in range(5):
        factories.article(store, title=f"Article {i}")
        store.votes.cast(i + 1, store.users.get("bob"))
    store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "mod", article=2, why="Spam."))
    store.removals.delete(5)
    assert bob.open("/account").titles == ["Article 3", "Article 2", "Article 0"]


def test_data_file_has_everything_of_the_member_and_no_secret(
    bob: Browser, reader: Browser, ann: Browser, store: Store
) -> None:
    user = store.users.get("bob")
    factories.article(store, user, title=HOSTILE, link="", text="編 *words*", groups=("redis",))
    for title in ("Deleted", "Removed"):
        factories.article(store, user, title=title)
    store.removals.delete(2)
    store.removals.remove(3, NewLogEntry(LogAction.REMOVE, "mod", article=3, why="Spam."))
    factories.article(store, title="Of ann's")
    store.votes.cast(4, user)
    store.reports.make(4, user, Reason.TOPIC, "a note")
    make_links(store, inviter="bob")
    bob.open(bob.open("/account").page.one("a", href="/account/data")["href"])
    assert bob.response.content_type == "application/json"
    assert bob.response.headers["Content-Disposition"] == 'attachment; filename="voteweb-bob.json"'
    assert bob.response.headers["Cache-Control"] == "private, no-store"
    data = json.loads(bob.response.text)
    assert list(data) == list(DOWNLOAD)
    assert (data["account"]["name"], data["account"]["role"]) == ("bob", "member")
    articles = {article["id"]: article for article in data["articles"]}
    assert sorted(articles) == [1, 2, 3]
    assert (articles[1]["title"], articles[1]["text"], articles[1]["groups"]) == (HOSTILE, "編 *words*", ["redis"])
    assert (articles[2]["gone"], articles[3]["gone"], articles[3]["reason"]) == ("deleted", "removed", "Spam.")
    (report,) = data["reports"]
    assert (report["article"], report["reason"], report["note"]) == (4, "topic", "a note")
    assert len(data["invitations"]) == 1
    assert [article["title"] for article in data["votes"]] == ["Of ann's"]
    for secret in (user.password, user.session, TOKEN):
        assert secret not in bob.response.text
    assert "bob" not in ann.open("/account/data").response.text.replace("bob.json", "")
    assert reader.open("/account/data").location == "/login?next=/account/data"


def test_account_whose_password_changes_meanwhile_is_not_deleted(
    bob: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = passwords.verify

    def reset_meanwhile(stored_hash: str, password: str) -> bool:
        store.users.set_password("bob", "the operator's hash")
        return verify(stored_hash, password)

    bob.open("/account")
    monkeypatch.setattr(passwords, "verify", reset_meanwhile)
    bob.submit("/account/delete", password=PASSWORD, articles="delete")
    assert bob.status == 422
    assert not store.users.get("bob").left


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
    assert "open" in bob.page.one("details")
    assert not store.users.get("bob").left
    assert bob.submit("/account/delete", password=PASSWORD, articles="keep").location == "/"


def test_last_admin_cannot_delete_the_account(make_member: MakeMember, store: Store) -> None:
    boss = make_member("boss", Role.ADMIN)
    make_member("mod", Role.MODERATOR)
    factories.user(store, "barred", Role.ADMIN)
    store.bans.ban("barred", NewLogEntry(LogAction.BAN, "command line", about="barred", why="Spam."))
    boss.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    message = "You are the last admin here. Make another member an admin first, on the member's page."
    assert (boss.status, boss.alert) == (422, message)
    assert not store.users.get("boss").left
    boss.open("/u/mod").submit("/u/mod/role", role="admin")
    assert boss.open("/account").submit("/account/delete", password=PASSWORD, articles="keep").location == "/"
    assert store.users.get("boss").left


def test_articles_of_a_deleted_account_stay_without_its_name(bob: Browser, reader: Browser, store: Store) -> None:
    factories.article(store, store.users.get("bob"), title="It stays")
    other = Browser(bob.client.application).log_in("BOB")
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    assert bob.location == "/"
    assert bob.follow().flashes == ["Your account has been deleted. Nobody can take its name."]
    for browser in (bob, other):
        assert not browser.is_logged_in()
    row = reader.open("/new").page.by_id("a1")
    assert row.one(class_="by").text == "[deleted]"
    assert row.one(class_="by").tag == "span"
    assert row.all("button", class_="vote")
    assert not reader.open("/a/1").page.all("a", href="/u/bob")
    assert "bob" not in reader.page.one("main").text


def test_articles_are_deleted_with_the_account_if_so_chosen(bob: Browser, reader: Browser, store: Store) -> None:
    for title in ("One", "Two"):
        factories.article(store, store.users.get("bob"), title=title)
    store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "mod", about="bob", article=2, title="Two", why="Spam."))
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="delete")
    assert not reader.open("/new").titles
    for id in (1, 2):
        reader.open(f"/a/{id}")
        assert (reader.status, reader.intro) == (410, "This article was deleted by its poster.")


def test_reports_of_a_deleted_account_leave_the_queue(bob: Browser, make_member: MakeMember, store: Store) -> None:
    mod = make_member("mod", Role.MODERATOR)
    article = factories.article(store, title="Reported")
    store.reports.make(article.id, store.users.get("bob"), Reason.SPAM, "words of bob")
    assert "words of bob" in mod.open("/reports").response.text
    assert "Your reports are withdrawn" in bob.open("/account").page.one("details").text
    bob.submit("/account/delete", password=PASSWORD, articles="keep")
    assert "words of bob" not in mod.open("/reports").response.text
    assert mod.titles == []


def test_name_of_a_deleted_account_cannot_be_taken(bob: Browser, reader: Browser, store: Store) -> None:
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    reader.open("/u/bob")
    assert (reader.status, reader.intro) == (410, "This account was deleted by its owner.")
    reader.open("/signup").submit("/signup", username="BOB", password="long enough")
    assert (reader.status, reader.field_error("username")) == (422, "The name BOB is taken. If this is you, log in.")
    assert reader.log_in("bob").status == 422
    store.connection.client.hset("user:bob", "password", passwords.hash_password(PASSWORD))
    assert reader.log_in("bob").status == 422
    assert reader.alert == "No member has this name and this password."
