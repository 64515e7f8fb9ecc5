"""A site moves from each kind of database to the next, with and without a name, and stays the same key by key."""

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import output
from tests.clusters import Cluster, cluster
from tests.conftest import private_server
from tests.machines import machines
from tests.store.backup.busy_site import SETTINGS, build_site
from tests.store.backup.copying import lasting
from tests.store.examination import broken, snapshot
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store
from voteweb.store.backup import Backup, Restore
from voteweb.store.migrations import Migrations
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import Keys

pytestmark = pytest.mark.heavy


class Place:
    """A place for a site: its name, "" for none, and the URL of a server or the folder of the embedded database."""

    def __init__(self, site: str, *, url: str = "", folder: Path = Path()) -> None:
        self._settings = Settings(site=site, redis_url=url, data_dir=str(folder), **SETTINGS)
        names = {"site": site, "redis_url": url, "data_dir": folder, **SETTINGS}
        self.env = {f"VOTEWEB_{name.upper()}": str(value) for name, value in names.items()}

    @contextmanager
    def store(self) -> Iterator[Store]:
        """Open the store of the site."""
        with open_database(self._settings) as settings:
            store = open_store(settings)
            with closing(store.connection):
                Migrations(store.context).state()  # an empty database gets the number of the layout
                yield store

    def content(self) -> dict[str, Any]:
        """Return everything that a backup of the site has; the doctor finds nothing."""
        with self.store() as store:
            assert broken(store) == []
            return lasting(store, is_shared=True)


@pytest.fixture(scope="module")
def shared_url() -> Iterator[str]:
    """The URL of a single server for several sites."""
    with private_server("redis") as url:
        yield url


@pytest.fixture(scope="module")
def sentinel_url() -> Iterator[str]:
    """The URL with which the commands find a primary under Sentinel."""
    with machines(down_after=60) as three:
        yield three.url


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    """A cluster."""
    with cluster() as nodes:
        yield nodes


def test_a_site_moved_through_all_kinds_of_database_is_unchanged(
    invoke_alone: Invoke, folder: Path, tmp_path: Path, shared_url: str, sentinel_url: str, nodes: Cluster
) -> None:
    first, neighbour = Place("", folder=folder / "first"), Place("other", url=shared_url)
    with first.store() as store, neighbour.store() as other:
        store.site_settings.take_settings()
        build_site(store)
        factories.article(other)
        other_keys = snapshot(other)
    content = first.content()
    source = first
    for number, target in enumerate(
        [
            Place("books", url=shared_url),
            Place("", url=sentinel_url),
            Place("books", url=nodes.url),
            Place("books", folder=folder / "named"),
            Place("", url=shared_url),
        ]
    ):
        file = tmp_path / f"{number}.gz"
        for command, place in (("backup", source), ("restore", target)):
            assert output(invoke_alone(command, file, **place.env))
        assert b"{books}" not in gzip.decompress(file.read_bytes())
        assert target.content() == content
        source = target
    with neighbour.store() as other:
        assert snapshot(other, is_shared=True) == other_keys


def test_a_restore_whose_slot_moves_is_repeated(invoke_alone: Invoke, nodes: Cluster, tmp_path: Path) -> None:
    file, source, target = tmp_path / "site.gz", Place("source", url=nodes.url), Place("moving", url=nodes.url)
    key = Keys.of_site("moving").prefix
    with source.store() as store:
        store.imports.add([factories.story(title=f"Story {number}") for number in range(1_500)])
        records = list(Backup(store.context).lines([]))
    assert invoke_alone("backup", file, **source.env).exit_code == 0
    with target.store() as store, ThreadPoolExecutor(1) as mover:
        restore = Restore(store.context)
        restore.begin()
        first, *others = batched(records, 500)
        restore.write(first)
        moved = mover.submit(nodes.move, key, nodes.others(key)[0], batch=50)

        def go_on() -> None:
            for batch in others:
                restore.write(batch)
            moved.result()
            restore.finish()

        # What meets the move ends with an error, at once or at the end.
        with pytest.raises((Unavailable, ConfigError)):
            go_on()
        moved.result()
    assert invoke_alone("restore", file, **target.env).exit_code == 1
    assert invoke_alone("restore", "--again", file, **target.env).exit_code == 0
    assert target.content() == source.content()
