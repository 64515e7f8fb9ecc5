"""The site on the test server, and its readers and members."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from types import CodeType
from typing import Any, ClassVar

import pytest
from argon2 import PasswordHasher
from flask import Flask, request, request_started
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.routing import Rule

from tests.web.aging import AgingClock
from tests.web.browser import PASSWORD, Browser
from tests.web.fixed_index import FixedIndex
from tests.web.limits import stopped_scripts
from voteweb.app import create_app
from voteweb.core import passwords
from voteweb.core.errors import NoTitle
from voteweb.core.models import Role
from voteweb.core.settings import Settings
from voteweb.store import Store, build_store
from voteweb.store.connection import scripts
from voteweb.web.base.flask_app import SiteFlask
from voteweb.web.caching import shared_pages
from voteweb.web.requests import rate_limits, site_switches
from voteweb.web.requests.site_switches import KnownSwitches

MakeApp = Callable[..., Flask]
MakeBrowser = Callable[..., Browser]
MakeMember = Callable[..., Browser]


@dataclass
class Clock:
    """A clock that stands at ``now`` seconds."""

    now: float


CountRoundTrips = Callable[..., int]


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hash passwords at a hundredth of the cost."""
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    passwords._dummy_hash.cache_clear()
    yield
    passwords._dummy_hash.cache_clear()


@pytest.fixture(autouse=True)
def switch_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which processes read switches again; it stands until a test advances it."""
    clock = Clock(1_000.0)
    monkeypatch.setattr(site_switches, "monotonic", lambda: clock.now)
    return clock


@pytest.fixture
def _stopped_limits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of all scripts: a limit accepts no further act meanwhile, as after 0.6 s on a busy machine."""
    stopped = stopped_scripts(store)
    monkeypatch.setattr(scripts, "scripts", lambda: stopped)


@cache
def _password_hash() -> str:
    return passwords.hash_password(PASSWORD)


@pytest.fixture
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    """The settings of the mark "site"."""
    marker = request.node.get_closest_marker("site")
    changes: dict[str, Any] = marker.kwargs if marker else {}
    return replace(settings, **changes)


@pytest.fixture
def aging_clock() -> AgingClock | None:
    """The clock of kept pages, where the site keeps any."""
    return None


class CompiledTemplates(BytecodeCache):
    """The templates as compiled once in this process: that takes four fifths of the time to make an app."""

    def __init__(self) -> None:
        self._compiled: dict[str, CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._compiled.get(bucket.key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.code


class CompiledRule(Rule):
    """The rule of an address, with the functions that build it as compiled once: most of the time that is left."""

    _compiled: ClassVar[dict[tuple[Any, ...], Callable[..., tuple[str, str]]]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (self.rule, tuple(self._trace), str(self.defaults), append_unknown)
        if key not in self._compiled:
            self._compiled[key] = super()._compile_builder(append_unknown)
        return self._compiled[key]


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Share compiled templates and addresses among all apps of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SiteFlask, "jinja_options", {**SiteFlask.jinja_options, "bytecode_cache": CompiledTemplates()})
        patch.setattr(SiteFlask, "url_rule_class", CompiledRule)
        yield


@cache
def _app(settings: Settings) -> Flask:
    """Return one app for all tests of this process with these settings: its routes and templates are costly."""
    return create_app(settings)


@cache
def _aging_app(settings: Settings, clock: AgingClock) -> Flask:
    """Return one app, whose pages age, for all tests of this process with these settings."""
    app = create_app(settings)
    clock.watch(app)
    return app


class StoredTitles:
    """Stands for the fetcher of titles, so that no test requests a page of another site."""

    def fetch(self, link: str) -> str:
        """Return a title, for some links none."""
        if "untitled" in link:
            raise NoTitle()
        return "Kept title"


@pytest.fixture
def index() -> FixedIndex:
    """The index of the site, which finds what a test puts into it."""
    return FixedIndex()


@pytest.fixture
def make_app(settings: Settings, store: Store, index: FixedIndex, aging_clock: AgingClock | None) -> MakeApp:
    """A function that returns the site with settings that differ; its caches may be filled."""

    def make(**changes: Any) -> Flask:
        changed = replace(settings, **changes)
        app = _aging_app(changed, aging_clock) if aging_clock else _app(changed)
        app.extensions["voteweb.site_switches"] = KnownSwitches()  # another test may have set one
        rate_limits.refused.drop_oldest(lambda _: True)  # another test may have been refused
        for known in (shared_pages.of_app(app).kept, shared_pages.of_app(app).excluded):
            known.drop_oldest(lambda _: True)  # another test's articles and members had the same ids
        app.extensions["voteweb.title_fetcher"] = StoredTitles()
        app.extensions["voteweb.search"] = index if changed.search else None
        app.extensions["voteweb.store"] = build_store(store.connection, changed) if changes else store
        return app

    return make


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    """The site."""
    return make_app()


@pytest.fixture
def reader(app: Flask) -> Browser:
    """A browser of a reader, who has no account."""
    return Browser(app)


@pytest.fixture
def make_browser(make_app: MakeApp) -> MakeBrowser:
    """A function that returns a reader's browser at a site with settings that differ."""

    def make(**changes: Any) -> Browser:
        return Browser(make_app(**changes))

    return make


@pytest.fixture
def make_member(app: Flask, store: Store) -> MakeMember:
    """A function that returns the browser of a member, by name and role, who is logged in with PASSWORD."""

    def make(name: str, role: Role = Role.MEMBER) -> Browser:
        if store.users.find(name):
            store.users.set_role(name, role)
            store.connection.command("HSET", store.keys.user(name), "password", _password_hash())  # no act tells of it
        else:
            store.users.make(name, _password_hash(), role)
        return Browser(app).start_session(store.users.get(name))

    return make


@pytest.fixture
def ann(make_member: MakeMember) -> Browser:
    """The member who posts the articles of the factories."""
    return make_member("ann")


@pytest.fixture
def bob(make_member: MakeMember) -> Browser:
    """Another member."""
    return make_member("bob")


@pytest.fixture
def mod(make_member: MakeMember) -> Browser:
    """A moderator."""
    return make_member("mod", Role.MODERATOR)


@pytest.fixture
def reached(app: Flask) -> Iterator[list[str]]:
    """The paths of the requests that reach Flask."""
    paths: list[str] = []

    def record(_app: Flask, **_: Any) -> None:
        paths.append(request.path)

    with request_started.connected_to(record, app):
        yield paths


@pytest.fixture
def count_round_trips(store: Store, aging_clock: AgingClock | None) -> CountRoundTrips:
    """A function that calls another twice, and returns its round trips to Redis the second time, with no kept page."""
    round_trips: list[float] = []
    store.connection.on_round_trip = round_trips.append

    def count(act: Callable[..., object], *arguments: Any, **options: Any) -> int:
        act(*arguments, **options)  # from here on the scripts are loaded, and the caches are filled
        if aging_clock:
            aging_clock.pass_time()
        round_trips.clear()
        act(*arguments, **options)
        return len(round_trips)

    return count
