"""The conversion of the log: every act keeps its id and its fields, also after ids that no act has."""

import pytest

from tests.conftest import MakeStore
from tests.store.examination import broken, run
from tests.store.queries import log_page
from tests.store.schema import version0
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.schema import moderation_log


@pytest.fixture
def old_site(make_store: MakeStore) -> Store:
    """A site of layout 0."""
    store = make_store(**version0.SETTINGS)
    version0.load_keys(store)
    return store


def convert(store: Store) -> int:
    """Convert the log and return how many acts were converted."""
    return sum(moderation_log.convert(store.connection, Settings(), dry_run=False))


def test_every_act_keeps_its_id_and_its_fields(old_site: Store) -> None:
    time = float(run(old_site, "HGET", "log-entry:3", "time"))
    assert convert(old_site) == 8
    assert run(old_site, "KEYS", "log-entry:*") == []
    assert [entry.id for entry in log_page(old_site).rows] == list(range(8, 0, -1))
    assert [entry.id for entry in log_page(old_site, kind="remove", who="mod").rows] == [3, 2]
    assert [entry.id for entry in log_page(old_site, about="Bob_-9").rows] == [4, 3]
    removal = old_site.moderation_log.get(3)
    assert removal is not None
    assert (removal.kind, removal.who, removal.time, removal.article) == (LogAction.REMOVE, "Mod", time, 14)
    assert (removal.about, removal.why, removal.undone) == ("bob_-9", "spam", True)


def test_ids_that_no_act_has_stay_empty(old_site: Store) -> None:
    run(old_site, "DEL", "log-entry:1", "log-entry:5", "log-entry:6", "log-entry:7")
    run(old_site, "RENAME", "log-entry:8", "log-entry:20008")
    assert convert(old_site) == 4
    assert [entry.id for entry in log_page(old_site).rows] == [20_008, 4, 3, 2]
    assert [old_site.moderation_log.get(id) for id in (0, 1, 5, 20_007, 20_009)] == [None] * 5
    assert [finding for finding in broken(old_site) if finding[0].startswith("log")] == []


def test_an_impossible_id_stops_the_conversion(old_site: Store) -> None:
    run(old_site, "RENAME", "log-entry:8", "log-entry:900000000000")
    with pytest.raises(ConfigError, match="up to the id 900000000000: delete those"):
        convert(old_site)
    assert run(old_site, "EXISTS", "log-entries:") == 0
