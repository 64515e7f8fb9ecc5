"""Databases of the store's tests: by default Valkey with a key prefix; Redis, a Sentinel and a cluster are heavy.

Without a prefix on Valkey run the tests of pages and commands. What a script or a connection does on Redis is tested
there; what else the store does with them is the same on each.
"""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import pytest

from tests import factories
from tests.clusters import cluster
from tests.conftest import private_server
from tests.machines import machines
from tests.store.examination import broken
from voteweb.core.models import Role, User
from voteweb.store import Store
from voteweb.store.connection.commit import Attempt, Decision, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.schema.keys import Keys

#: Modules whose tests also run where servers change, under Sentinel and on a cluster: of each kind of command some.
WHERE_SERVERS_CHANGE = frozenset({
    "test_account_deletion", "test_backup", "test_book", "test_combined_groups", "test_comments",
    "test_concurrent_repair", "test_dump", "test_groups", "test_imports", "test_listings", "test_lost_answers",
    "test_overtaken", "test_pipeline", "test_rescoring", "test_script_loading", "test_storm", "test_votes",
})  # fmt: skip
#: Further modules, by the beginnings of their names, whose tests also run on Redis.
ON_REDIS = ("tests.store.scripts", "tests.store.connection", "tests.store.test_seeds")


class Database(NamedTuple):
    """A kind of database server, and the prefix of the site's keys on it."""

    kind: str
    prefix: str = ""


class RunningDatabase(NamedTuple):
    """The URL of a database server, and the prefix of the site's keys on it."""

    url: str
    prefix: str


PREFIXED, REDIS = Database("valkey", prefix="{site}:"), Database("redis")
SENTINEL, CLUSTER = Database("sentinel"), Database("cluster", prefix="{site}:")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that uses a database on Valkey, that of a script or a connection on Redis, and some elsewhere.

    Those that use ``single_server`` need one that stands alone.
    """
    if "database" not in metafunc.fixturenames:
        return
    module, others = metafunc.module.__name__, []
    needs_single = "single_server" in metafunc.fixturenames
    servers_change = module.split(".")[-1] in WHERE_SERVERS_CHANGE
    if needs_single or servers_change or module.startswith(ON_REDIS):
        others = [("redis", REDIS)]
    if servers_change and not needs_single:
        others += [("sentinel", SENTINEL), ("cluster", CLUSTER)]
    heavy = [pytest.param(database, id=id, marks=pytest.mark.heavy) for id, database in others]
    databases = [pytest.param(PREFIXED, id="prefix"), *heavy]
    metafunc.parametrize("database", databases, indirect=True, scope="session")


@pytest.fixture(scope="session")
def database(request: pytest.FixtureRequest) -> Iterator[RunningDatabase]:
    """A private server; under Sentinel, a primary with two replicas; a cluster of three primaries, each with one."""
    kind, prefix = request.param
    if kind == "sentinel":
        with machines(down_after=60) as three:
            yield RunningDatabase(three.url, prefix)
        return
    if kind == "cluster":
        with cluster(node_timeout=60) as nodes:
            yield RunningDatabase(nodes.url, prefix)
        return
    with private_server(kind) as url:
        yield RunningDatabase(url, prefix)


@pytest.fixture(scope="session")
def server_url(database: RunningDatabase) -> str:
    """The URL of the private server."""
    return database.url


@pytest.fixture(scope="session")
def single_server(database: RunningDatabase) -> str:
    """The URL of a server that stands alone."""
    return database.url


@pytest.fixture
def keys(database: RunningDatabase) -> Keys:
    """The keys of the test site, with the prefix under test."""
    return Keys(database.prefix)


#: Whether an act decides now, and reads by its attempt only.
_decides = ContextVar("decides", default=False)


@contextmanager
def deciding(decides: bool) -> Iterator[None]:
    """Say whether an act decides meanwhile."""
    token = _decides.set(decides)
    try:
        yield
    finally:
        _decides.reset(token)


@pytest.fixture(scope="session", autouse=True)
def acts_that_read_by_their_attempt() -> Iterator[None]:
    """Refuse the commands that an act sends past its attempt while it decides: changes of what they read go unnoticed.

    Removals._hide_covered may send some: by its attempt it reads the revision of the conversation.
    """
    send = Connection.retry_until_deadline

    def send_watched(*args: Any, **options: Any) -> Any:
        assert not _decides.get() or "_hide_covered" in {frame.name for frame in traceback.extract_stack()}
        return send(*args, **options)

    def commit_watched(connection: Connection, decide: Decision, **options: Any) -> bool:
        return commit(connection, deciding(True)(decide), **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "retry_until_deadline", send_watched)
        for name in ("read", "read_after", "read_sample"):
            patch.setattr(Attempt, name, deciding(False)(getattr(Attempt, name)))
        for module in [
            module
            for name, module in sys.modules.items()
            if name.startswith("voteweb.store.") and vars(module).get("commit") is commit
        ]:
            patch.setattr(module, "commit", commit_watched)
        yield


@pytest.fixture
def sound(store: Store) -> Iterator[None]:
    """Check after the test that the doctor finds nothing."""
    yield
    assert broken(store) == []


@pytest.fixture
def bob(store: Store) -> User:
    """A member."""
    return factories.user(store, "bob")


@pytest.fixture
def mod(store: Store) -> User:
    """A moderator."""
    return factories.user(store, "mod", Role.MODERATOR)
