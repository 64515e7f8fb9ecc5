"""What is written to the log names what happened, and holds nothing that opens a door."""

import json
import logging
from dataclasses import replace

import pytest
from argon2 import PasswordHasher
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.state import TOKEN, know_token
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.invitations import Joining
from voteweb.web.monitoring.access_log import loggable_path

NEW = "a new and secret password"


class Log:
    """All that any library of ours writes to the log, and the lines of requests."""

    def __init__(self, events: pytest.LogCaptureFixture, lines: pytest.CaptureFixture[str]) -> None:
        self._events, self._lines, self._read = events, lines, ""

    @property
    def text(self) -> str:
        self._read += self._lines.readouterr().err
        return self._events.text + self._read


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site where people come by invitation, with limits, that logs all it can."""
    return replace(settings, signup="invite", limits=1, log="json", log_kept=1, log_addresses=1)


@pytest.fixture(autouse=True)
def log(caplog: Log, capfd: pytest.CaptureFixture[str]) -> Log:
    caplog.set_level(logging.DEBUG)
    return Log(caplog, capfd)


def assert_silent(log: Log, settings: Settings, store: Store, *secrets: str) -> None:
    """Fail if the log holds any of *secrets*, a hash, a session's word, or the key."""
    members = [store.users.find(name) for name in ("boss", "bob", "carl")]
    kept = [word for each in members if each for word in (each.password, each.session) if word]
    for secret in (PASSWORD, NEW, TOKEN, settings.secret_key, *kept, *secrets):
        assert secret not in log.text


def test_no_log_in_joining_or_new_password_is_written_down(
    make_member: MakeMember, settings: Settings, fake_store: Store, log: Log
) -> None:
    boss, bob = make_member("boss", Role.ADMIN), make_member("bob")
    know_token(fake_store, inviter="boss", forgetful="bob")
    reader = Browser(boss.client.application)
    reader.log_in("bob", "wrong but secret")
    reader.open(f"/signup?invite={TOKEN}").submit("/signup", username="carl", password=PASSWORD)
    reader.open("/account").submit("/account", old=PASSWORD, new=NEW)
    bob.open(f"/reset/{TOKEN}").submit(f"/reset/{TOKEN}", new=NEW)
    boss.open("/invitations").submit("/invitations")
    for person in (reader, boss):
        person.open("/account").submit("/account/delete", password="wrong but secret")
        cookie = person.client.get_cookie("voteweb")
        assert_silent(log, settings, fake_store, "wrong but secret", *(cookie.value for _ in [0] if cookie))
    for line in ('"/login", "status": 422', '"/signup", "status": 303', '"/reset/***", "status": 303'):
        assert line in log.text


@pytest.mark.parametrize("address", [f"/reset/{TOKEN}", f"/signup?invite={TOKEN}&next=/"])
def test_a_mistake_is_logged_without_what_the_address_holds(
    address: str,
    reader: Browser,
    settings: Settings,
    fake_store: Store,
    log: Log,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a mistake")

    know_token(fake_store)
    for name in ("reset_name", "find"):
        monkeypatch.setattr(Joining, name, fail)
    assert reader.open(address).status == 500
    assert " failed" in log.text
    assert '"status": 500' in log.text
    assert_silent(log, settings, fake_store)


def test_a_database_that_is_away_is_logged_without_its_password(settings: Settings, log: Log) -> None:
    for url in ("redis://me:secret-word@127.0.0.1:1/0", "unix:///tmp/no-voteweb.sock?password=secret-word"):
        reader = Browser(create_app(replace(settings, redis_url=url, redis_deadline=0.1)))
        assert reader.open("/").status == 503
        assert "Redis is away" in log.text
        assert "secret-word" not in log.text + reader.answer.text + reader.open("/healthz").answer.text
        reader.client.application.extensions["voteweb.store"].connection.client.close()


def test_a_new_hash_is_logged_by_the_members_name_alone(
    reader: Browser, settings: Settings, fake_store: Store, log: Log
) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    factories.user(fake_store, "bob", password_hash=old)
    assert reader.log_in("bob").status == 303
    assert "the password of bob has a new hash" in log.text
    assert_silent(log, settings, fake_store, old)


def test_a_request_is_logged_with_the_member_who_sent_it(ann: Browser, reader: Browser, log: Log) -> None:
    id = ann.open("/account").answer.headers["X-Request-Id"]
    (line,) = [json.loads(line) for line in log.text.splitlines() if f'"{id}"' in line]
    assert (line["path"], line["status"], line["member"], line["address"]) == ("/account", 200, 1, "127.0.0.1")
    id = reader.open("/account").answer.headers["X-Request-Id"]
    (line,) = [json.loads(line) for line in log.text.splitlines() if f'"{id}"' in line]
    assert (line["status"], line["member"]) == (303, None)


def test_every_address_with_a_token_is_masked(app: Flask) -> None:
    """A new address of this kind belongs into logs.py."""
    adapter = app.url_map.bind("localhost")
    rules = [rule for rule in app.url_map.iter_rules() if "token" in rule.arguments]
    assert len(rules) >= 2
    for rule in rules:
        address = adapter.build(rule.endpoint, {"token": TOKEN}, method=next(iter(rule.methods or ())))
        assert TOKEN not in loggable_path(address, "")
