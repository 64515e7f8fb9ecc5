"""The viewer's own account: password, votes, data, and its deletion."""

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.escaping import HOSTILE
from tests.web.test_data_export import DOWNLOAD
from voteweb.core import passwords
from voteweb.core.models import Role
from voteweb.store import Store


def test_password_is_changed_only_with_the_current_one(bob: Browser, store: Store) -> None:
    before = bob.user
    bob.fill_in("/account", old="not this one", new="another password")
    assert (bob.status, bob.field_error("old")) == (422, "This is not your password.")
    assert ["open" in part for part in bob.page.all("details", class_="disclosure")] == [True, False]
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


def test_a_chosen_theme_is_on_the_members_pages_alone(bob: Browser, ann: Browser) -> None:
    for theme, shown in (("dark", "dark"), ("nonsense", None)):
        bob.open("/account").submit("/account/theme", theme=theme).follow()
        assert bob.page.one("button", name="theme", aria_pressed="true")["value"] == (shown or "")
        links = [page.open("/new").page.one("nav", class_="account") for page in (bob, ann)]
        assert [link.attrs.get("data-theme") for link in links] == [shown, None]


def test_votes_are_listed_and_can_be_taken_back(bob: Browser, ann: Browser, store: Store) -> None:
    for title in ("First", "Second", "Not voted for"):
        factories.article(store, title=title)
    factories.article(store, bob.user, title="My own")
    for id in (1, 2):
        store.votes.cast(id, bob.user)
    assert bob.open(bob.open("/account").page.all("a", href="/votes")[0]["href"]).titles == ["Second", "First"]
    bob.press("/a/2/unvote")
    assert bob.location == "/votes#a2"
    assert bob.follow().titles == ["First"]
    assert ann.open("/votes").page.one("div", class_="empty").one("a")["href"] == "/new"


def test_data_file_has_everything_of_the_member_alone(bob: Browser, ann: Browser, store: Store) -> None:
    factories.article(store, bob.user, title=HOSTILE)
    bob.open(bob.open("/account").page.one("a", href="/account/data")["href"])
    assert bob.headers["Content-Disposition"] == 'attachment; filename="voteweb-bob.json"'
    assert (list(bob.json), bob.json["articles"][0]["title"]) == (list(DOWNLOAD), HOSTILE)
    assert "bob" not in ann.open("/account/data").text


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"password": "not this one", "articles": "keep"}, "password", "This is not your password."),
        ({"password": PASSWORD}, "articles", "Please choose what happens to what you wrote."),
    ],
)
def test_deletion_needs_the_password_and_a_choice(
    fields: dict[str, str], field: str, message: str, bob: Browser, store: Store
) -> None:
    bob.open("/account").submit("/account/delete", **fields)
    assert (bob.status, bob.page.by_id(f"{field}-errors").text) == (422, message)
    assert ["open" in part for part in bob.page.all("details", class_="disclosure")] == [False, True]
    assert not store.users.get("bob").left
    store.users.set_role("bob", Role.ADMIN)
    bob.submit("/account/delete", password=PASSWORD, articles="keep")
    assert (bob.status, "last admin here" in bob.alert) == (422, True)
    factories.user(store, "root", Role.ADMIN)
    assert bob.submit("/account/delete", password=PASSWORD, articles="keep").location == "/"


@pytest.mark.parametrize("articles", ["keep", "delete"])
def test_account_is_deleted_with_its_articles_or_without(
    articles: str, bob: Browser, reader: Browser, store: Store
) -> None:
    factories.article(store, bob.user)
    bob.open("/account").submit("/account/delete", password=PASSWORD, articles=articles)
    assert bob.follow().flashes == ["Your account has been deleted. Nobody can take its name."]
    assert not bob.is_logged_in()
    reader.open("/a/1")
    if articles == "keep":
        assert reader.page.one("article").one("span", class_="by").text == "by [deleted]"
    assert reader.status == (200 if articles == "keep" else 410)
    assert (reader.open("/u/bob").status, reader.intro) == (410, "This account was deleted by its owner.")
