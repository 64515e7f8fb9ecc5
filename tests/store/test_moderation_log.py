"""The moderation log: every act once, found by moderator, kind and member."""

import pytest

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import log_page, logged_act
from voteweb.core.models import LogAction, LogEntry
from voteweb.store import Store


def entry_ids(store: Store, **filters: str) -> list[int]:
    return [entry.id for entry in log_page(store, **filters).rows]


@pytest.fixture
def log_of_five(store: Store) -> Store:
    """A log of five acts: Mod makes "go" and bans bob, Sue makes "redis" and bans cid, Mod unbans bob."""
    for name in ("bob", "cid"):
        factories.user(store, name)
    store.groups.make("go", "Go", "", LogEntry(LogAction.GROUP, "Mod", title="go"))
    factories.ban(store, "Bob")
    store.groups.make("redis", "Redis", "", LogEntry(LogAction.GROUP, "Sue", title="redis"))
    factories.ban(store, "cid", by="Sue")
    factories.lift(store, "bob")
    assert broken(store) == []
    return store


def test_entries_are_found_by_moderator_kind_and_member(log_of_five: Store, subtests: pytest.Subtests) -> None:
    ids_by_filters: list[tuple[dict[str, str], list[int]]] = [
        ({"who": "mod"}, [5, 2, 1]),
        ({"who": "SUE"}, [4, 3]),
        ({"who": "nobody"}, []),
        ({"kind": "ban"}, [4, 2]),
        ({"who": "Mod", "kind": "ban"}, [2]),
        ({"who": "Sue", "kind": "unban"}, []),
        ({"about": "BOB"}, [5, 2]),
    ]
    for filters, ids in ids_by_filters:
        with subtests.test(**filters):
            assert (entry_ids(log_of_five, **filters), log_page(log_of_five, **filters).total) == (ids, len(ids))
    entry = logged_act(log_of_five, 2)
    assert entry == LogEntry(LogAction.BAN, "mod", "Bob", why="Spam.", id=2, time=entry.time)
    assert log_page(log_of_five).rows[3] == entry
    assert log_of_five.log.get(77) is None


def test_what_is_no_entry_counts_as_older_than_any_time(log_of_five: Store) -> None:
    for text in ("5", "null", "[]", "{"):
        run(log_of_five, "LSET", "log-entries:", 2, text)
        assert [entry.id for entry in log_of_five.read(log_of_five.log.queue_search, (), times=("1", "")).rows] == [
            5,
            4,
        ]


def test_acts_that_change_nothing_are_not_logged(log_of_five: Store) -> None:
    factories.ban(log_of_five, "cid", "another reason", by="Sue")
    factories.lift(log_of_five, "bob")
    log_of_five.groups.change("go", "Go", "", LogEntry(LogAction.GROUP, "Mod", title="go"))
    assert entry_ids(log_of_five) == [5, 4, 3, 2, 1]
    assert log_of_five.users.get("cid").ban_reason == "Spam."
