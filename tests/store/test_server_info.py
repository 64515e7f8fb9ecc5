"""Facts about the server: its program and run, and how much the site on it holds."""

from tests import factories
from voteweb.store import Store


def test_a_site_is_empty_until_somebody_joins_and_counts_articles_members_and_groups(store: Store) -> None:
    assert (store.health.is_empty(), store.users.has_admin()) == (True, False)
    ann = factories.user(store)
    assert (store.health.is_empty(), store.users.has_admin()) == (False, False)
    factories.article(store, ann, groups=("go", "redis"))
    factories.user(store, "bob")
    assert store.health.counts() == (1, 2, 2)
    assert store.health.sizes()[:2] == (1, 2)


def test_the_engine_has_a_program_and_a_run(store: Store) -> None:
    engine = store.health.engine()
    name, version = engine.program.split()
    assert name in ("redis", "valkey")
    assert version[0].isdigit()
    assert engine.run == store.health.engine().run != ""
