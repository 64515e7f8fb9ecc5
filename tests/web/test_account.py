"""The own account: password, my votes, my data, and its end."""

import json

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import TOKEN, know_token
from tests.web.test_articles import titles
from voteweb.core import config, passwords
from voteweb.core.models import LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

HOSTILE = "<b>&amp;</b> \"quotes\" 'too' {{ 7*7 }} %(x)s"


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("old", "not this one", "This is not your present password."),
        ("old", "", "This is not your present password."),
        ("new", "short", "A password has 8 to 256 characters."),
    ],
)
def test_a_password_is_changed_only_by_whoever_knows_it(
    field: str, typed: str, says: str, bob: Browser, fake_store: Store
) -> None:
    before = fake_store.users.get("bob")
    bob.open("/account").submit("/account", **{"old": PASSWORD, "new": "another password"} | {field: typed})
    assert (bob.status, bob.error_at(field)) == (422, says)
    assert not bob.page.one("input", name="old")["value"]
    assert "open" not in bob.page.one("details")
    assert fake_store.users.get("bob") == before


def test_my_votes_are_listed_for_me_alone_and_taken_back_from_there(bob: Browser, fake_store: Store) -> None:
    for title in ("First", HOSTILE, "Not voted for"):
        factories.article(fake_store, title=title)
    factories.article(fake_store, fake_store.users.get("bob"), title="My own")
    assert bob.open("/account").page.one("main").one("a", href="/new")
    for id in (1, 2):
        fake_store.votes.cast(id, fake_store.users.get("bob"))
    assert titles(bob.open("/account")) == [HOSTILE, "First"]
    bob.press("/a/2/unvote")
    assert bob.location == "/account#a2"
    assert bob.follow().flashes == ["Your vote is taken back."]
    assert titles(bob) == ["First"]
    assert "private" in bob.answer.headers["Cache-Control"]


def test_votes_that_are_closed_or_on_what_is_gone_are_not_listed(
    bob: Browser, fake_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "BATCH", 2)
    for i in range(5):
        factories.article(fake_store, title=f"Article {i}")
        fake_store.votes.cast(i + 1, fake_store.users.get("bob"))
    fake_store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "mod", article=2, why="Spam."))
    fake_store.removals.delete(5)
    assert titles(bob.open("/account")) == ["Article 3", "Article 2", "Article 0"]


def test_my_data_are_one_file_with_all_that_is_mine_and_no_secret(
    bob: Browser, reader: Browser, ann: Browser, fake_store: Store
) -> None:
    user = fake_store.users.get("bob")
    factories.article(fake_store, user, title=HOSTILE, link="", text="編 *words*", groups=("redis",))
    for title in ("Deleted", "Removed"):
        factories.article(fake_store, user, title=title)
    fake_store.removals.delete(2)
    fake_store.removals.remove(3, NewLogEntry(LogAction.REMOVE, "mod", article=3, why="Spam."))
    factories.article(fake_store, title="Of ann's")
    fake_store.votes.cast(4, user)
    fake_store.reports.make(4, user, Reason.TOPIC, "a note")
    know_token(fake_store, inviter="bob")
    bob.open(bob.open("/account").page.one("a", href="/account/data")["href"])
    assert bob.answer.content_type == "application/json"
    assert bob.answer.headers["Content-Disposition"] == 'attachment; filename="voteweb-bob.json"'
    assert bob.answer.headers["Cache-Control"] == "private, no-store"
    data = json.loads(bob.answer.text)
    assert list(data) == ["account", "articles", "reports", "invitations", "votes"]
    assert (data["account"]["name"], data["account"]["role"]) == ("bob", "member")
    found = {each["id"]: each for each in data["articles"]}
    assert sorted(found) == [1, 2, 3]
    assert (found[1]["title"], found[1]["text"], found[1]["groups"]) == (HOSTILE, "編 *words*", ["redis"])
    assert (found[2]["gone"], found[3]["gone"], found[3]["reason"]) == ("deleted", "removed", "Spam.")
    (report,) = data["reports"]
    assert (report["article"], report["reason"], report["note"]) == (4, "topic", "a note")
    assert len(data["invitations"]) == 1
    assert [each["title"] for each in data["votes"]] == ["Of ann's"]
    for secret in (user.password, user.session, TOKEN):
        assert secret not in bob.answer.text
    assert "bob" not in ann.open("/account/data").answer.text.replace("bob.json", "")
    assert reader.open("/account/data").location == "/login?next=/account/data"


@pytest.mark.parametrize(
    ("fields", "at", "says"),
    [
        ({"password": "not this one", "articles": "keep"}, "password", "This is not your password."),
        ({"password": PASSWORD}, "articles", "Please choose what becomes of your articles."),
        ({"password": PASSWORD, "articles": "burn"}, "articles", "Please choose what becomes of your articles."),
    ],
)
def test_an_account_ends_only_with_its_password_and_a_choice(
    fields: dict[str, str], at: str, says: str, bob: Browser, fake_store: Store
) -> None:
    bob.open("/account").submit("/account/delete", **fields)
    assert (bob.status, bob.page.by_id(f"{at}-errors").words) == (422, says)
    assert "open" in bob.page.one("details")
    assert not fake_store.users.get("bob").left
    assert bob.submit("/account/delete", password=PASSWORD, articles="keep").location == "/"


def test_the_last_admin_cannot_leave_before_there_is_another(make_member: MakeMember, fake_store: Store) -> None:
    boss = make_member("boss", Role.ADMIN)
    make_member("mod", Role.MODERATOR)
    factories.user(fake_store, "barred", Role.ADMIN)
    fake_store.users.ban("barred", NewLogEntry(LogAction.BAN, "command line", about="barred", why="Spam."))
    boss.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    words = "You are the last admin here. Make another member an admin first, on the member's page."
    assert (boss.status, boss.page.one("div", role="alert").words) == (422, words)
    assert not fake_store.users.get("boss").left
    boss.open("/u/mod").submit("/u/mod/role", role="admin")
    assert boss.open("/account").submit("/account/delete", password=PASSWORD, articles="keep").location == "/"
    assert fake_store.users.get("boss").left


def test_an_ended_account_leaves_its_articles_under_no_name(bob: Browser, reader: Browser, fake_store: Store) -> None:
    factories.article(fake_store, fake_store.users.get("bob"), title="It stays")
    other = Browser(bob.client.application)
    other.log_in("BOB")
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    assert bob.location == "/"
    assert bob.follow().flashes == ["Your account is deleted. Nobody can take its name."]
    for browser in (bob, other):
        assert not browser.open("/about").page.all("form", action="/logout")
    row = reader.open("/new").page.by_id("a1")
    assert row.one(class_="by").words == "[deleted]"
    assert row.one(class_="by").tag == "span"
    assert row.all("button", class_="vote")
    assert not reader.open("/a/1").page.all("a", href="/u/bob")
    assert "bob" not in reader.page.one("main").words


def test_an_ended_account_takes_its_articles_along(bob: Browser, reader: Browser, fake_store: Store) -> None:
    for title in ("One", "Two"):
        factories.article(fake_store, fake_store.users.get("bob"), title=title)
    fake_store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "mod", about="bob", article=2, title="Two", why="Spam."))
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="delete")
    assert not titles(reader.open("/new"))
    for id in (1, 2):
        reader.open(f"/a/{id}")
        assert (reader.status, reader.page.one("p", class_="lead").words) == (
            410,
            "This article was deleted by its poster.",
        )


def test_the_name_of_an_ended_account_is_held_for_ever(bob: Browser, reader: Browser, fake_store: Store) -> None:
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles="keep")
    reader.open("/u/bob")
    assert (reader.status, reader.page.one("p", class_="lead").words) == (
        410,
        "This account was deleted by its owner.",
    )
    reader.open("/signup").submit("/signup", username="BOB", password="long enough")
    assert (reader.status, reader.error_at("username")) == (422, "The name BOB is taken.")
    assert reader.log_in("bob").status == 422
    fake_store.connection.client.hset("user:bob", "password", passwords.hash_password(PASSWORD))
    assert reader.log_in("bob").status == 422
    assert reader.page.one("div", role="alert").words == "No member has this name and this password."
