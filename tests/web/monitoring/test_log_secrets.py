"""The log of a site contains no passwords, tokens or cookies."""

import json
import logging
from dataclasses import replace

import pytest
from argon2 import PasswordHasher
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import TOKEN, make_links
from voteweb.app import create_app
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.accounts.secret_links import Invitations, Passwords
from voteweb.web.monitoring.access_log import loggable_path

pytestmark = pytest.mark.site(signup="invite", limits=1, log="json", log_addresses=1)

NEW_PASSWORD = "a new and secret password"
WRONG_PASSWORD = "wrong but secret"


class Log:
    """The events of all libraries and the lines of requests."""

    def __init__(self, events: pytest.LogCaptureFixture, lines: pytest.CaptureFixture[str]) -> None:
        self._events, self._lines, self._text = events, lines, ""

    @property
    def text(self) -> str:
        self._text += self._lines.readouterr().err
        return self._events.text + self._text


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Log:
    caplog.set_level(logging.DEBUG)
    return Log(caplog, capfd)


def assert_no_secrets(log: Log, settings: Settings, store: Store, *secrets: str) -> None:
    """Fail if the log contains one of *secrets*, a password or its hash, a session id, or the key."""
    members = [store.users.find(name) for name in ("boss", "bob", "carl")]
    stored = [secret for member in members if member for secret in (member.password, member.session) if secret]
    for secret in (PASSWORD, NEW_PASSWORD, TOKEN, settings.secret_key, *stored, *secrets):
        assert secret not in log.text


def test_login_signup_and_new_password_are_logged_without_secrets(
    make_member: MakeMember, settings: Settings, store: Store, log: Log
) -> None:
    boss, bob = make_member("boss", Role.ADMIN), make_member("bob")
    make_links(store, inviter="boss", forgetful="bob")
    reader = Browser(boss.client.application)
    reader.log_in("bob", WRONG_PASSWORD)
    reader.open(f"/signup?invite={TOKEN}").submit("/signup", username="carl", password=PASSWORD)
    reader.fill_in("/account", old=PASSWORD, new=NEW_PASSWORD)
    bob.fill_in(f"/reset/{TOKEN}", new=NEW_PASSWORD)
    boss.fill_in("/invitations")
    for person in (reader, boss):
        person.open("/account").submit("/account/delete", password=WRONG_PASSWORD)
        assert_no_secrets(log, settings, store, WRONG_PASSWORD, person.session_cookie)
    for line in ('"/login", "status": 422', '"/signup", "status": 303', '"/reset/***", "status": 303'):
        assert line in log.text


@pytest.mark.parametrize("address", [f"/reset/{TOKEN}", f"/signup?invite={TOKEN}&next=/"])
def test_server_error_is_logged_without_the_token(
    address: str, reader: Browser, settings: Settings, store: Store, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    factories.user(store, "mod", Role.MODERATOR)
    factories.user(store, "ann")
    make_links(store, inviter="mod", forgetful="ann")
    monkeypatch.setattr(Invitations, "find", fail)
    monkeypatch.setattr(Passwords, "linked_member", fail)
    assert reader.open(address).status == 500
    assert " failed" in log.text
    assert '"status": 500' in log.text
    assert_no_secrets(log, settings, store)


def test_unavailable_database_is_logged_without_its_password(settings: Settings, log: Log) -> None:
    for url in ("redis://me:secret-word@127.0.0.1:1/0", "unix:///tmp/no-voteweb.sock?password=secret-word"):
        reader = Browser(create_app(replace(settings, redis_url=url, redis_deadline=0.1)))
        assert reader.open("/").status == 503
        assert "Redis is unavailable" in log.text
        assert "secret-word" not in log.text + reader.text + reader.open("/healthz").text
        reader.client.application.extensions["voteweb.store"].connection.close()


def test_login_is_logged_with_its_member_without_the_old_hash(
    reader: Browser, settings: Settings, store: Store, log: Log
) -> None:
    outdated = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    factories.user(store, "bob", password_hash=outdated)
    ids = [reader.open("/account").headers["X-Request-Id"]]
    assert reader.log_in("bob").status == 303
    assert "rehashed the password of bob" in log.text
    assert_no_secrets(log, settings, store, outdated)
    ids.append(reader.open("/account").headers["X-Request-Id"])
    lines = [json.loads(line) for line in log.text.splitlines() if line.startswith("{")]
    logged = [(line["path"], line["status"], line["member"], line["address"]) for line in lines if line["id"] in ids]
    assert logged == [("/account", 303, None, "127.0.0.1"), ("/account", 200, 1, "127.0.0.1")]


def test_every_address_with_a_token_is_masked(app: Flask) -> None:
    """An address with a token of a new kind must be added to access_log.py."""
    adapter = app.url_map.bind("localhost")
    rules = [rule for rule in app.url_map.iter_rules() if "token" in rule.arguments]
    assert len(rules) >= 2
    for rule in rules:
        values = {name: TOKEN if name == "token" else "atom" for name in rule.arguments}
        path = adapter.build(rule.endpoint, values, method=next(iter(rule.methods or ())))
        assert TOKEN not in loggable_path(path, "")
