"""Recovery codes: shown once, made anew with the password, used once to set another."""

import re
from urllib.parse import unquote

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeApp
from tests.web.limits import assert_too_fast
from voteweb.core import config
from voteweb.core.errors import PasswordNeeded
from voteweb.core.rate_limits import RECOVERY_BY_ADDRESS
from voteweb.store import Store

NEW = "another long password"
WRONG = "No member has this name and this recovery code. Each code works once."


def codes_on(browser: Browser) -> list[str]:
    return browser.page.one("ol", class_="codes").texts("code")


def recover(browser: Browser, name: str, code: str, password: str = NEW) -> Browser:
    return browser.open("/recover?next=/new").submit("/recover", username=name, code=code, new=password)


def sign_up(reader: Browser) -> Browser:
    """Sign up on the way to /new."""
    return reader.open("/signup?next=/new").submit("/signup", username="Carl", password=PASSWORD).follow()


def test_codes_are_shown_once_when_they_are_made(reader: Browser, store: Store) -> None:
    later = sign_up(reader).page.one("p", class_="buttons").one("a")
    assert (later.text, later["href"]) == ("Later", "/new")
    assert "You have no recovery codes." in reader.open("/account").page.one("p", role="note").text
    codes = codes_on(reader.open("/account/recovery-codes?next=/new").submit("/account/recovery-codes"))
    assert len(set(codes)) == 10
    assert all(re.fullmatch("[0-9a-z]{4}(-[0-9a-z]{4}){3}", code) for code in codes)
    assert reader.headers["Cache-Control"] == "private, no-store"
    assert reader.page.one("meta", name="robots")["content"] == "noindex"
    assert reader.page.one("a", class_="button", href="/new").text == "Go on"
    link = reader.page.one("a", download="voteweb-Carl-recovery-codes.txt")
    text = unquote(link["href"].removeprefix("data:text/plain;charset=utf-8,"))
    assert text.splitlines()[0] == "Recovery codes of Carl on voteweb"
    assert [line for line in text.splitlines() if line in codes] == codes
    assert not reader.open("/account/recovery-codes?next=//evil.example").page.all("a", href="//evil.example")
    stored = " ".join(map(str, store.connection.command("HGETALL", "user:carl")))
    assert not reader.open("/account").page.all("p", role="note")
    for page in (reader.open("/account"), reader.open("/account/recovery-codes")):
        assert "Left: 10 recovery codes." in page.main
        assert not any(code in page.text or code.replace("-", "") in stored for code in codes)


def test_only_the_first_codes_after_signing_up_need_no_password(
    reader: Browser, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, other = "/account/recovery-codes", Browser(app)
    sign_up(reader)
    assert other.log_in("carl").status == 303
    assert other.fill_in(page).heading == "Your password, please", "a log-in has made this session"
    with monkeypatch.context() as patch:
        patch.setattr(config, "SIGNED_UP_SECONDS", 0)
        assert reader.fill_in(page).status == 403
    assert len(codes_on(reader.fill_in(page))) == 10
    assert reader.send(page).status == 403
    assert reader.fill_in(page, **{"own-password": PASSWORD}).status == 200


def test_first_codes_are_made_once_however_many_ask(store: Store) -> None:
    member = factories.user(store, "ann")
    store.passwords.renew_codes(member, are_first=True)
    with pytest.raises(PasswordNeeded):
        store.passwords.renew_codes(member, are_first=True)


def test_code_sets_a_password_once_and_ends_all_sessions(bob: Browser, reader: Browser, store: Store) -> None:
    first, *_ = store.passwords.renew_codes(bob.user)
    recover(reader, " BOB ", first.upper().replace("-", " "))
    assert (reader.status, reader.location) == (303, "/new")
    done = "Your new password is set, and all other sessions have ended. Left: 9 recovery codes."
    assert reader.follow().flashes == [done]
    assert not bob.is_logged_in()
    assert "A code was last used on" in reader.open("/account").main
    reader.submit("/logout")
    assert (recover(reader, "bob", first).status, reader.alert) == (422, WRONG)
    assert reader.log_in("bob", PASSWORD).status == 422
    assert reader.log_in("bob", NEW).status == 303


def test_new_codes_need_the_password_and_replace_the_old(bob: Browser, reader: Browser, store: Store) -> None:
    (old, *_) = store.passwords.renew_codes(bob.user)
    for typed in ({}, {"own-password": "not this one"}):
        bob.fill_in("/account/recovery-codes", **typed)
        assert (bob.status, bob.heading) == (403, "Your password, please")
    bob.submit("/account/recovery-codes", **{"own-password": PASSWORD})
    new = codes_on(bob)[0]
    assert recover(reader, "bob", old).alert == WRONG
    assert recover(reader, "bob", new).status == 303


def test_wrong_name_and_wrong_code_look_the_same(bob: Browser, reader: Browser, store: Store) -> None:
    (code, *_) = store.passwords.renew_codes(bob.user)
    for name, typed in (("nobody", code), ("bob", "0" * 16), ("", code), ("x" * 9_999, "x" * 9_999)):
        assert (recover(reader, name, typed).status, reader.alert) == (422, WRONG), name
        assert store.read(store.passwords.queue_codes_left, "bob").number == 10, name
    factories.ban(store, "bob")
    assert recover(reader, "bob", code).alert == "This account is banned: Spam."
    assert store.read(store.passwords.queue_codes_left, "bob").number == 10


def test_weak_password_keeps_the_code_and_wrong_ones_are_limited(bob: Browser, make_app: MakeApp, store: Store) -> None:
    reader = Browser(make_app(limits=1))
    codes = store.passwords.renew_codes(bob.user)
    for weak in ("short", "bob"):
        assert recover(reader, "bob", codes[0], weak).field_error("new")
        assert reader.value("code") == codes[0]
    for number in range(RECOVERY_BY_ADDRESS.burst):
        assert recover(reader, f"name{number}", codes[0]).status == 422
    assert_too_fast(recover(reader, "bob", codes[0]), RECOVERY_BY_ADDRESS)


def test_code_does_not_work_after_the_secret_key_changed(make_app: MakeApp, store: Store) -> None:
    bob = factories.user(store, "bob")
    code = store.passwords.renew_codes(bob)[0]
    browser = Browser(make_app(secret_key="another secret key of this site, long enough"))
    assert recover(browser, "bob", code).alert == WRONG
    assert store.read(store.passwords.queue_codes_left, "bob").number == 10
