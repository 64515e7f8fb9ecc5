"""A restore onto three machines while their primary dies: what is restored is all there, or is not served."""

from collections.abc import Iterator

import pytest

from tests import factories
from tests.helpers import until
from tests.machines import Machines, Server
from tests.store.examination import broken, snapshot
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store import Store, open_store
from voteweb.store.backup import Record
from voteweb.store.server_info import Counts
from voteweb.store.server_info import Server as DatabaseServer

pytestmark = pytest.mark.heavy


@pytest.fixture
def store(three: Machines) -> Iterator[Store]:
    """The site on them, as a command of the operator opens it."""
    found = open_store(Settings(redis_url=three.url, redis_deadline=30.0))
    yield found
    found.connection.close()


@pytest.fixture
def records(store: Store) -> list[Record]:
    """The records of a site that was on them; the database is empty again."""
    store.imports.add([factories.story(title=f"Story {number}") for number in range(500)])
    found = list(store.backup.records())
    store.connection.client.flushdb()
    return found


def lose(server: Server, others: list[Server]) -> None:
    """Kill a primary whose replicas have not heard of what it wrote last."""
    server.kill()
    until(lambda: any(each.leads() for each in others), patience=30)


def test_a_restore_that_lost_its_primary_says_so_and_is_made_again(
    three: Machines, store: Store, records: list[Record]
) -> None:
    restore = store.backup.restore()
    restore.begin()
    middle = len(records) // 2
    restore.write(records[:middle])
    primary, others = three.primary(), three.replicas()
    lose(primary, others)
    restore.write(records[middle:])
    with pytest.raises(ConfigError, match="restarted or replaced while it was written"):
        restore.finish()
    with pytest.raises(ConfigError, match="did not finish"):
        store.health.refuse_unfinished()
    three.heal()
    store.connection.client.flushdb()
    again = store.backup.restore()
    again.begin()
    again.write(records)
    again.finish()
    store.health.refuse_unfinished()
    assert broken(store) == []


def test_the_mark_of_a_restore_outlives_the_primary_that_alone_had_it(
    three: Machines, store: Store, records: list[Record]
) -> None:
    restore = store.backup.restore()
    restore.begin()
    store.connection.client.delete("restoring:")  # as if the replica that took over had never heard of it
    lose(three.primary(), three.replicas())
    restore.write(records)
    with pytest.raises(ConfigError, match="restarted or replaced"):
        restore.finish()
    assert "restoring:" in snapshot(store)


def test_a_restore_that_lost_its_primary_at_its_very_end_says_so(
    three: Machines, store: Store, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    restore = store.backup.restore()
    restore.begin()
    restore.write(records)
    count = DatabaseServer.counts

    def lost_meanwhile(server: DatabaseServer) -> Counts:
        lose(three.primary(), three.replicas())
        return count(server)

    monkeypatch.setattr(DatabaseServer, "counts", lost_meanwhile)
    with pytest.raises(ConfigError, match="restarted or replaced"):
        restore.finish()
    assert "restoring:" in snapshot(store)
