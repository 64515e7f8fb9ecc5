"""Facts about the server: its program and run, and how much the site on it holds."""

from tests import factories
from tests.conftest import private_server
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store


def test_a_site_is_empty_until_somebody_joins(store: Store) -> None:
    assert (store.health.is_empty(), store.users.has_admin()) == (True, False)
    factories.user(store)
    assert (store.health.is_empty(), store.users.has_admin()) == (False, False)


def test_counts_are_those_of_articles_members_and_groups(store: Store) -> None:
    factories.article(store, factories.user(store), groups=("go", "redis"))
    factories.user(store, "bob")
    assert store.health.counts() == (1, 2, 2)


def test_sizes_are_those_of_listed_articles_and_member_ids(store: Store) -> None:
    assert store.health.sizes()[:2] == (0, 0)
    factories.article(store, factories.user(store))
    factories.user(store, "bob")
    assert store.health.sizes()[:2] == (1, 2)


def test_two_servers_do_not_share_data(store: Store) -> None:
    factories.article(store)
    with private_server("valkey") as url:
        other = open_store(Settings(redis_url=url))
        assert other.health.is_empty()
        other.connection.close()


def test_the_engine_has_a_program_and_a_run(store: Store) -> None:
    engine = store.health.engine()
    name, version = engine.program.split()
    assert name in ("redis", "valkey")
    assert version[0].isdigit()
    assert engine.run == store.health.engine().run != ""
