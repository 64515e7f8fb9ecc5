"""The sites that are backed up."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.prepared import prepared
from tests.store.backup.busy_site import SETTINGS, build_site
from voteweb.store import Store


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store on which articles become good in a storm, and cease to be."""
    return make_store(**SETTINGS)


@pytest.fixture
def site(store: Store, server_url: str) -> Store:
    """A site on which everything has happened: see :func:`build_site`."""
    return prepared(store, server_url, build_site)


@pytest.fixture
def small(store: Store) -> Store:
    """A site with one article, one member and one group."""
    factories.article(store, groups=("go",))
    return store
