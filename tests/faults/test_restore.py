"""A restore onto three machines while their primary dies: the data are complete, or they are not served."""

from collections.abc import Iterator

import pytest

from tests import factories
from tests.helpers import until
from tests.machines import Machines
from tests.store.examination import broken
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.backup import Backup, KeyLine, Restore

pytestmark = pytest.mark.heavy


@pytest.fixture
def store(three: Machines) -> Iterator[Store]:
    """An empty site on the three machines, opened as a command of the operator opens it."""
    store = open_store(Settings(redis_url=three.url, redis_deadline=30.0))
    yield store
    store.connection.close()


@pytest.fixture
def records(store: Store) -> list[KeyLine]:
    """The records of a site that was on the machines; the database is empty again."""
    store.imports.add([factories.story(title=f"Story {number}") for number in range(500)])
    records = list(Backup(store.context).lines([]))
    store.connection.client.flushdb()
    return records


def lose_primary(three: Machines) -> None:
    """Kill the primary, and return when a replica has taken over."""
    primary, replicas = three.primary(), three.replicas()
    primary.kill()
    until(lambda: any(replica.is_primary() for replica in replicas))


def test_a_restore_that_lost_its_primary_can_be_repeated(three: Machines, store: Store, records: list[KeyLine]) -> None:
    restore = Restore(store.context)
    restore.begin()
    middle = len(records) // 2
    restore.write(records[:middle])
    lose_primary(three)
    restore.write(records[middle:])
    with pytest.raises(ConfigError, match="restarted or replaced while it was written"):
        restore.finish()
    with pytest.raises(ConfigError, match="did not finish"):
        store.health.refuse_unusable()
    three.recover()
    store.connection.client.flushdb()
    second = Restore(store.context)
    second.begin()
    second.write(records)
    second.finish()
    store.health.refuse_unusable()
    assert broken(store) == []
