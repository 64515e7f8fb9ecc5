"""What is written to the log names what happened, and holds nothing that opens a door."""

import logging
from dataclasses import replace

import pytest
from argon2 import PasswordHasher

from tests import factories
from tests.views.browser import PASSWORD, Browser
from tests.views.conftest import MakeMember
from tests.views.state import TOKEN, know_token
from voteweb.app import create_app
from voteweb.config import Settings
from voteweb.models import Role
from voteweb.store import Store
from voteweb.store.joining import Joining

NEW = "a new and secret password"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A site where people come by invitation, with limits."""
    return replace(settings, signup="invite", limits=1)


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """All that any library of ours writes to the log."""
    caplog.set_level(logging.DEBUG)
    return caplog


def assert_silent(log: pytest.LogCaptureFixture, settings: Settings, store: Store, *secrets: str) -> None:
    """Fail if the log holds any of *secrets*, a hash, a session's word, or the key."""
    members = [store.users.find(name) for name in ("boss", "bob", "carl")]
    kept = [word for each in members if each for word in (each.password, each.session) if word]
    for secret in (PASSWORD, NEW, TOKEN, settings.secret_key, *kept, *secrets):
        assert secret not in log.text


def test_no_log_in_joining_or_new_password_is_written_down(
    make_member: MakeMember, settings: Settings, fake_store: Store, log: pytest.LogCaptureFixture
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


@pytest.mark.parametrize("address", [f"/reset/{TOKEN}", f"/signup?invite={TOKEN}&next=/"])
def test_a_mistake_is_logged_without_what_the_address_holds(
    address: str,
    reader: Browser,
    settings: Settings,
    fake_store: Store,
    log: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a mistake")

    know_token(fake_store)
    for name in ("reset_name", "find"):
        monkeypatch.setattr(Joining, name, fail)
    assert reader.open(address).status == 500
    assert " failed" in log.text
    assert_silent(log, settings, fake_store)


def test_a_database_that_is_away_is_logged_without_its_password(
    settings: Settings, log: pytest.LogCaptureFixture
) -> None:
    for url in ("redis://me:secret-word@127.0.0.1:1/0", "unix:///tmp/no-voteweb.sock?password=secret-word"):
        reader = Browser(create_app(replace(settings, redis_url=url, redis_deadline=0.1)))
        assert reader.open("/").status == 503
        assert "Redis is away" in log.text
        assert "secret-word" not in log.text + reader.answer.text + reader.open("/healthz").answer.text
        reader.client.application.extensions["voteweb.store"].connection.client.close()


def test_a_new_hash_is_logged_by_the_members_name_alone(
    reader: Browser, settings: Settings, fake_store: Store, log: pytest.LogCaptureFixture
) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    factories.user(fake_store, "bob", password_hash=old)
    assert reader.log_in("bob").status == 303
    assert "the password of bob has a new hash" in log.text
    assert_silent(log, settings, fake_store, old)
