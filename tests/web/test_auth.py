"""Logging in and out; joining is in test_signup.py."""

from dataclasses import replace

import pytest
from argon2 import PasswordHasher

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.store import Store


def is_logged_in(browser: Browser) -> bool:
    """Tell whether the pages of this browser are a member's."""
    return bool(browser.open("/about").page.all("form", action="/logout"))


@pytest.mark.parametrize("name", ["bob", "BOB", "  Bob "])
def test_a_member_logs_in_whatever_the_case_of_the_name(name: str, bob: Browser, reader: Browser) -> None:
    assert reader.log_in(name).location == "/"
    assert is_logged_in(reader)
    assert reader.page.one("a", href="/account").words == "bob"


WRONG = [
    ("nobody", PASSWORD),
    ("bob", "wrong password"),
    ("bob", ""),
    ("", PASSWORD),
    ("bob", "x" * 10_000),
    ("x" * 10_000, PASSWORD),
    ("bob\x00", PASSWORD),
    ("编程", PASSWORD),
    ("user:bob", PASSWORD),
    ("imported", ""),
    ("broken", PASSWORD),
]


@pytest.mark.parametrize(("name", "password"), WRONG)
def test_a_wrong_name_and_a_wrong_password_look_and_cost_the_same(
    name: str,
    password: str,
    bob: Browser,
    reader: Browser,
    fake_store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    factories.user(fake_store, "imported")
    factories.user(fake_store, "broken", password_hash="$argon2id$rubbish")
    hashed: list[str] = []
    hasher = passwords._hasher

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:
            hashed.append("once")
            return hasher.verify(hash, password)

    passwords._dummy()
    monkeypatch.setattr(passwords, "_hasher", Counting())

    def refused(name: str, password: str) -> str:
        hashed.clear()
        reader.log_in(name, password, back="/new")
        token = reader.page.one("input", name="csrf_token")["value"]
        assert (reader.status, hashed) == (422, ["once"])
        assert reader.page.one("div", role="alert").words == "No member has this name and this password."
        assert reader.page.one("input", name="username")["value"] == name
        return reader.answer.text.replace(token, "").replace(f'name="username" value="{name}"', "")

    assert refused(name, password) == refused("bob", "not this one")
    assert not is_logged_in(reader)


def test_logging_in_makes_a_new_session_and_a_new_token(bob: Browser, reader: Browser) -> None:
    before = reader.open("/login").page.one("input", name="csrf_token")["value"]
    cookie = reader.client.get_cookie("voteweb")
    reader.submit("/login", username="bob", password=PASSWORD)
    renewed = reader.client.get_cookie("voteweb")
    assert cookie is not None
    assert renewed is not None
    assert cookie.value != renewed.value
    after = reader.follow().form("/logout").one("input", name="csrf_token")["value"]
    assert before.partition(".")[0] != after.partition(".")[0]
    reader.post("/logout", {"csrf_token": before})
    assert reader.status == 400
    assert is_logged_in(reader)


def test_a_cookie_from_before_the_log_in_is_no_members(bob: Browser, reader: Browser) -> None:
    reader.open("/login")
    before = reader.client.get_cookie("voteweb")
    reader.submit("/login", username="bob", password=PASSWORD)
    assert before is not None
    reader.client.set_cookie("voteweb", before.value)
    assert not is_logged_in(reader)


@pytest.mark.parametrize(("site_url", "secure"), [("", False), ("https://news.example", True)])
def test_the_cookies_last_and_are_kept_from_scripts_and_other_sites(
    site_url: str, secure: bool, settings: Settings, fake_store: Store
) -> None:
    factories.user(fake_store, "ann", password_hash=passwords.hash_password(PASSWORD))
    ann = Browser(create_app(replace(settings, site_url=site_url, session_days=3), fake_store))
    assert ann.log_in("ann").status == 303
    made = {each.partition("=")[0]: each.split("; ") for each in ann.answer.headers.getlist("Set-Cookie")}
    assert sorted(made) == ["known", "voteweb"]
    for name, path in (("voteweb", "Path=/"), ("known", "Path=/login")):
        assert {"HttpOnly", path, "SameSite=Lax"} <= set(made[name])
        assert ("Secure" in made[name]) is secure
        assert any(part.startswith("Expires=") for part in made[name])


def test_a_hash_of_older_parameters_is_renewed_without_ending_the_session(reader: Browser, fake_store: Store) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    before = factories.user(fake_store, "ann", password_hash=old)
    reader.log_in("ann")
    after = fake_store.users.get("ann")
    assert after.password != old
    assert passwords.verify(after.password, PASSWORD)
    assert after.session == before.session
    assert is_logged_in(reader)


def test_logging_out_ends_the_session_in_this_browser_only(bob: Browser, reader: Browser) -> None:
    reader.log_in("bob")
    bob.open("/new").submit("/logout")
    assert (bob.status, bob.location) == (303, "/")
    assert not is_logged_in(bob)
    assert is_logged_in(reader)
    assert "Set-Cookie" not in bob.open("/").answer.headers


def test_logging_out_by_a_stale_page_says_why_not(bob: Browser) -> None:
    bob.post("/logout", {"csrf_token": "stale"})
    assert bob.status == 400
    assert "from before your last log-in" in bob.page.one("p", class_="lead").words


def test_a_log_in_form_from_an_ended_session_keeps_the_name(bob: Browser, reader: Browser) -> None:
    reader.open("/login")
    reader.client.delete_cookie("voteweb")
    reader.submit("/login", username="bob", password=PASSWORD)
    assert reader.status == 422
    assert reader.page.one("input", name="username")["value"] == "bob"
    assert reader.submit("/login", password=PASSWORD).location == "/"
