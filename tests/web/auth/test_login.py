"""Logging in and out."""

import unicodedata

import pytest
from argon2 import PasswordHasher

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core import passwords
from voteweb.store import Store

WRONG_CREDENTIALS = [
    ("nobody", PASSWORD),
    ("bob", "wrong password"),
    ("bob", "x" * 10_000),
    ("x" * 10_000, PASSWORD),
    ("bob\x00", PASSWORD),
    ("imported", ""),
    ("nobody", "größer als dieses"),
    ("bob", "größer als dieses"),
    ("broken", PASSWORD),
]


def test_wrong_name_and_wrong_password_look_and_cost_the_same(
    bob: Browser, reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    factories.user(store, "imported")
    factories.user(store, "broken", password_hash="$argon2id$rubbish")
    passwords.verify("", "makes the hash that stands in for none")
    verified: list[str | bytes] = []
    verify = PasswordHasher.verify

    def record(self: PasswordHasher, hash: str | bytes, password: str | bytes) -> bool:
        verified.append(password)
        return verify(self, hash, password)

    monkeypatch.setattr(PasswordHasher, "verify", record)

    def refused_page(name: str, password: str) -> str:
        verified.clear()
        reader.log_in(name, password, next="/new")
        token = reader.value("csrf_token")
        assert (reader.status, len(verified)) == (422, 1 if password.isascii() else 2)
        assert reader.alert == "No member has this name and this password."
        assert reader.value("username") == name
        return reader.text.replace(token, "").replace(f'name="username" value="{name}"', "")

    for name, password in WRONG_CREDENTIALS:
        with subtests.test(name=name[:20], password=password[:20]):
            assert refused_page(name, password) == refused_page("bob", "not this one")
            assert not reader.is_logged_in()


def test_login_makes_a_new_session_and_a_new_token(bob: Browser, reader: Browser) -> None:
    before = reader.open("/login").value("csrf_token")
    cookie = reader.session_cookie
    reader.submit("/login", username="bob", password=PASSWORD)
    assert reader.session_cookie != cookie
    after = reader.open("/account").form("/logout").one("input", name="csrf_token")["value"]
    assert before.partition(".")[0] != after.partition(".")[0]
    reader.post("/logout", {"csrf_token": before})
    assert reader.status == 400
    assert "from before your last log-in" in reader.intro
    assert reader.is_logged_in()


def test_outdated_hash_is_renewed_without_ending_the_session(
    reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    before = factories.user(store, "ann", password_hash=old)
    reader.log_in("  ANN ")
    after = store.users.get("ann")
    assert after.password != old
    assert passwords.verify(after.password, PASSWORD)
    assert after.session == before.session
    assert reader.is_logged_in()
    new = passwords.hash_password("the operator's")

    def change_meanwhile(*_: str) -> bool:
        store.users.set_password("ann", new)
        return True

    monkeypatch.setattr(passwords, "needs_rehash", change_meanwhile)
    reader.log_out().log_in("ann")
    assert store.users.get("ann").password == new
    assert not reader.is_logged_in()


def test_hash_of_a_decomposed_password_is_renewed(reader: Browser, store: Store) -> None:
    typed = "größer als dieses"
    hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
    factories.user(store, "ann", password_hash=hasher.hash(unicodedata.normalize("NFD", typed)))
    for _ in range(2):
        assert reader.log_in("ann", typed).status == 303
        reader.log_out()
    assert hasher.verify(store.users.get("ann").password, typed)


def test_login_form_without_session_keeps_the_name(bob: Browser, reader: Browser) -> None:
    reader.open("/login")
    reader.client.delete_cookie("voteweb")
    reader.submit("/login", username="bob", password=PASSWORD)
    assert reader.status == 422
    assert reader.value("username") == "bob"
    assert reader.submit("/login", password=PASSWORD).location == "/"


def test_login_and_signup_say_what_a_form_needs_them_for(reader: Browser, store: Store) -> None:
    factories.article(store)
    needed = {"/submit?title=x": "post your article", "/a/1/comment": "write your comment", "/inbox": ""}
    for path, said in needed.items():
        log_in = reader.open(path).follow().main
        sign_up = reader.open(reader.page.one("main").all("a")[0]["href"]).main
        assert [f"After that you can {said}." in text for text in (log_in, sign_up)] == [bool(said)] * 2, path
