"""The site on a fake Redis, and the people who come to it."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from argon2 import PasswordHasher
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.config import Settings
from voteweb.core.models import Role
from voteweb.store import Store

MakeMember = Callable[..., Browser]


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same hash at a hundredth of its cost."""
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    passwords._dummy.cache_clear()
    yield
    passwords._dummy.cache_clear()


@cache
def _site(settings: Settings) -> Flask:
    """Return one app for all tests of this process: routes and templates are most of what a first page costs."""
    return create_app(settings)


@pytest.fixture
def app(settings: Settings, fake_store: Store) -> Flask:
    """The site on a fake Redis."""
    app = _site(settings)
    app.extensions["voteweb.store"] = fake_store
    return app


@pytest.fixture
def reader(app: Flask) -> Browser:
    """Somebody without an account."""
    return Browser(app)


@pytest.fixture
def make_member(app: Flask) -> MakeMember:
    """Makes members who are logged in, by name; *role* says what they may do."""

    def make(name: str, role: Role = Role.MEMBER) -> Browser:
        store = app.extensions["voteweb.store"]
        factories.user(store, name)
        store.users.set_role(name, role)
        store.users.set_password(name, passwords.hash_password(PASSWORD))
        member = Browser(app)
        assert member.log_in(name).location == "/"
        return member

    return make


@pytest.fixture
def ann(make_member: MakeMember) -> Browser:
    """The member whom the factories let post articles."""
    return make_member("ann")


@pytest.fixture
def bob(make_member: MakeMember) -> Browser:
    """Another member."""
    return make_member("bob")


@pytest.fixture
def mod(make_member: MakeMember) -> Browser:
    """A moderator."""
    return make_member("mod", Role.MODERATOR)
