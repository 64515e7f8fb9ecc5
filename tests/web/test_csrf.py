"""Nothing changes by a GET, nor by a post without the token of this session: for every address there is."""

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import TOKEN, everything, know_token
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web import views

#: What fills the variable parts of any address, and fields that would make any post succeed.
PARTS: dict[str, Any] = {
    "id": 1,
    "name": "python",
    "names": "python",
    "token": TOKEN,
    "filename": "site.css",
    "form": "atom",
    "number": 1,
}
FIELDS = {
    "title": "A title",
    "link": "https://example.com",
    "text": "words",
    "name": "golang",
    "description": "words",
    "add": "redis",
    "remove": "python",
    "username": "carl",
    "password": PASSWORD,
    "old": PASSWORD,
    "new": "another password",
    "reason": "spam",
    "role": "admin",
    "articles": "delete",
    "next": "/",
    "once": TOKEN,
}


def addresses(method: str) -> list[str]:
    """Return every address of the site that takes *method*."""
    app = Flask("routes only")
    for module in vars(views).values():
        if hasattr(module, "blueprint"):
            app.register_blueprint(module.blueprint)
    adapter = app.url_map.bind("localhost")
    return [
        adapter.build(rule.endpoint, {name: PARTS[name] for name in rule.arguments})
        for rule in app.url_map.iter_rules()
        if method in (rule.methods or ())
    ]


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """An article of zoe's in one group, another group, and what the addresses below need: a member, an act, links."""
    factories.article(fake_store, factories.user(fake_store, "zoe"), groups=("python",))
    factories.group(fake_store, "redis")
    factories.user(fake_store, PARTS["name"])
    fake_store.articles.set_groups(1, ["redis"], [], NewLogEntry(LogAction.GROUPS, "mod", article=1))
    know_token(fake_store)


def test_the_tables_below_hold_every_address_of_the_site(app: Flask) -> None:
    posts = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    match = app.url_map.bind("localhost").match
    assert {match(address, "POST")[0] for address in addresses("POST")} == posts
    assert len(posts) >= 9


@pytest.mark.parametrize("address", addresses("GET"))
def test_nothing_changes_by_looking(address: str, mod: Browser, fake_store: Store) -> None:
    fields = FIELDS | {"csrf_token": mod.token()}
    before = everything(fake_store)
    for method in ("GET", "HEAD", "OPTIONS"):
        mod.client.open(address, method=method, query_string=fields, buffered=True)
        assert everything(fake_store) == before
        assert mod.open("/about").page.all("form", action="/logout"), "still logged in"


@pytest.mark.parametrize("address", addresses("POST"))
def test_nothing_changes_without_the_token(address: str, mod: Browser, ann: Browser, fake_store: Store) -> None:
    anothers = ann.token()
    before = everything(fake_store)
    for headers in ({}, JSON):
        for token in ({}, {"csrf_token": ""}, {"csrf_token": "0"}, {"csrf_token": anothers}):
            mod.post(address, FIELDS | token, headers=headers)
            assert everything(fake_store) == before, token
            assert mod.status in (400, 422, 303)
            assert mod.open("/about").page.all("form", action="/logout"), "still logged in"


@pytest.mark.parametrize("address", addresses("POST"))
def test_a_token_in_the_address_does_not_count(address: str, mod: Browser, fake_store: Store) -> None:
    token = mod.token()
    before = everything(fake_store)
    mod.post(f"{address}?csrf_token={token}", FIELDS)
    assert everything(fake_store) == before


@pytest.mark.parametrize("address", addresses("POST"))
def test_nothing_changes_by_a_reader_without_a_token(address: str, reader: Browser, fake_store: Store) -> None:
    before = everything(fake_store)
    reader.post(address, FIELDS)
    assert everything(fake_store) == before
    assert "_user_id" not in reader.answer.headers.get("Set-Cookie", "")
    assert reader.status in (400, 303, 422)


def test_a_cookie_that_we_did_not_sign_is_a_readers(app: Flask, fake_store: Store, settings: Settings) -> None:
    forger = Flask(__name__)
    forger.config.update(SECRET_KEY="another key", SESSION_COOKIE_NAME="voteweb")
    ann = factories.user(fake_store, "ann")
    with forger.test_client() as client:
        with client.session_transaction() as session:
            session["_user_id"] = f"{ann.session}:ann"
        forged = client.get_cookie("voteweb")
    assert forged is not None
    reader = Browser(create_app(settings, fake_store))
    reader.client.set_cookie("voteweb", forged.value)
    assert reader.open("/submit").status == 303
    reader.client.set_cookie("voteweb", "x" * 4_000)
    assert reader.open("/").status == 200


@pytest.mark.parametrize("address", ["/a/1/vote", "/a/1/groups"])
def test_a_button_of_a_page_from_before_the_last_log_in_leads_back(
    address: str, make_member: MakeMember, fake_store: Store, mod: Browser
) -> None:
    stale = mod.token()
    mod.submit("/logout")
    mod.log_in("mod")
    before = everything(fake_store)
    mod.post(address, {"csrf_token": stale, "next": "/new?page=1", "add": "redis"})
    assert (mod.status, mod.location) == (303, "/new?page=1#a1")
    assert everything(fake_store) == before
    assert mod.follow().flashes == [
        "This page was from before your last log-in, so nothing was done. Please press the button again."
    ]


def test_a_readers_page_pressed_after_logging_in_elsewhere_leads_back(bob: Browser) -> None:
    bob.post("/a/1/vote", {"next": "/"})
    assert (bob.status, bob.location) == (303, "/#a1")
    assert bob.follow().press("/a/1/vote").follow().flashes == ["Your vote is counted."]


def test_a_token_that_was_taken_once_is_taken_from_nobody_else(bob: Browser, mod: Browser, fake_store: Store) -> None:
    fields = {"csrf_token": bob.token(), "next": "/"}
    assert bob.post("/a/1/vote", fields).follow().flashes == ["Your vote is counted."]
    before = everything(fake_store)
    mod.post("/a/1/vote", fields)
    assert mod.follow().flashes[0].startswith("This page was from before your last log-in")
    assert bob.submit("/logout").log_in("bob").post("/a/1/unvote", fields).status == 303
    assert bob.follow().flashes[0].startswith("This page was from before your last log-in")
    assert everything(fake_store) == before


@pytest.mark.parametrize(
    "came_from", ["", "https://evil.example/", "http://news.example/", "https://news.example:8443/"]
)
def test_under_https_a_good_token_must_come_from_a_page_of_ours(
    came_from: str, settings: Settings, fake_store: Store
) -> None:
    bob = Browser(create_app(replace(settings, site_url="https://news.example"), fake_store))
    bob.open("/signup").submit("/signup", username="bob", password=PASSWORD)
    fields = {"csrf_token": bob.token(), "next": "/"}
    ours = {"Referer": "https://news.example/new"}
    for act in ("vote", "unvote"):
        bob.post(f"/a/1/{act}", fields, headers=ours)
        assert fake_store.articles.get(1).votes == (2 if act == "vote" else 1)
        bob.post("/a/1/vote", fields, headers={"Referer": came_from})
        assert fake_store.articles.get(1).votes == (2 if act == "vote" else 1)


def test_script_with_a_stale_token_is_told(bob: Browser) -> None:
    bob.post("/a/1/vote", {"next": "/"}, headers=JSON)
    assert bob.status == 400
    assert bob.answer.json["error"]["code"] == "stale-form"


def test_a_session_that_was_ended_is_a_readers(bob: Browser, fake_store: Store) -> None:
    assert bob.open("/").page.all("form", action="/logout")
    fake_store.users.set_password("bob", "another")
    assert not bob.open("/").page.all("form", action="/logout")
    assert "voteweb=;" in bob.answer.headers["Set-Cookie"]
    assert bob.open("/submit").location == "/login?next=/submit"


def test_a_button_after_the_session_was_ended_leads_to_log_in_and_back(bob: Browser, fake_store: Store) -> None:
    bob.open("/new")
    fake_store.users.set_password("bob", "another")
    assert bob.press("/a/1/vote").location == "/login?next=/new%23a1"


def test_a_form_after_the_session_was_ended_keeps_what_was_typed(bob: Browser, fake_store: Store) -> None:
    bob.open("/submit")
    fake_store.users.set_password("bob", "another")
    bob.submit("/submit", title="My long thoughts", text="of an hour")
    assert bob.status == 422
    assert bob.page.one("input", name="title")["value"] == "My long thoughts"
    assert bob.page.one("textarea", name="text").raw.strip() == "of an hour"
    assert "logged out" in bob.page.one("div", role="alert").words
