"""Restoring: only into an empty database, which stays marked until all of the backup is there."""

from unittest.mock import Mock

import pytest

from tests.store.backup.copying import back_up, begin_restore
from tests.store.backup.copying import restore as copy
from tests.store.examination import broken, run, snapshot
from tests.store.queries import log_page
from voteweb.core.errors import ConfigError, ServerChanged
from voteweb.store import Store
from voteweb.store.backup import records
from voteweb.store.scanner import Scanner
from voteweb.store.server_info import Counts, ServerInfo


def test_a_database_that_is_not_empty_is_left_alone(small: Store) -> None:
    before = snapshot(small)
    with pytest.raises(ConfigError, match="is not empty"):
        small.backup.new_restore().begin()
    assert snapshot(small) == before


def test_an_unfinished_restore_is_marked(small: Store) -> None:
    backup = back_up(small)
    small.health.refuse_unfinished_restore()
    restore = begin_restore(small)
    restore.write(backup[:2])
    for use in (small.health.refuse_unfinished_restore, small.backup.new_restore().begin):
        with pytest.raises(ConfigError, match="did not finish"):
            use()


@pytest.mark.parametrize(
    "damage", ["ZREMRANGEBYRANK time: 0 0", "DEL user:ann", "SPOP groups:"], ids=["article", "member", "group"]
)
def test_a_database_that_lost_records_stays_marked(small: Store, damage: str) -> None:
    backup = back_up(small)
    restore = begin_restore(small)
    restore.write(backup)
    run(small, *damage.split())
    with pytest.raises(ConfigError, match="does not hold what was written"):
        restore.finish()
    assert run(small, "EXISTS", "restoring:")


def test_a_database_replaced_while_it_was_counted_stays_marked(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    backup, counts = back_up(small), small.server_info.counts()
    restore = begin_restore(small)
    restore.write(backup)

    def count_and_fail_over(_: ServerInfo) -> Counts:
        """Count; then a server takes over that the mark had not reached."""
        monkeypatch.setattr(Scanner, "command_on_same_server", Mock(side_effect=ServerChanged))
        run(small, "DEL", "restoring:")
        return counts

    monkeypatch.setattr(ServerInfo, "counts", count_and_fail_over)
    with pytest.raises(ConfigError, match="restarted or replaced while it was written"):
        restore.finish()
    assert run(small, "EXISTS", "restoring:")


def test_a_site_that_was_started_gets_the_layout_of_the_copy(small: Store) -> None:
    run(small, "SET", "schema:", 3)
    copy = list(small.backup.key_records())
    run(small, "FLUSHDB")
    assert small.schema.state().is_current
    restore = small.backup.new_restore()
    restore.begin()
    restore.write(copy)
    restore.finish()
    assert small.schema.state().number == 3


def test_log_entries_keep_their_ids_after_gaps(small: Store) -> None:
    fields = {"kind": "ban", "who": "Mod", "time": "1700000000.5"}
    copy(small, [*back_up(small), *(records.LogEntry(id, fields) for id in (3, 20_008, 2))])
    assert [entry.id for entry in log_page(small, who="mod").rows] == [20_008, 3, 2]
    assert [small.moderation_log.get(id) for id in (0, 1, 20_007, 20_009)] == [None] * 4
    assert broken(small) == []


def test_a_copy_has_no_key_of_another_program(small: Store) -> None:
    run(small, "SET", "celery:x", "1")
    assert "celery:" not in repr(list(small.backup.key_records()))


def test_voters_of_another_program_get_no_list_of_open_votes(small: Store) -> None:
    run(small, "SADD", "voted:1", 9_000_001)
    run(small, "HINCRBY", "article:1", "votes", 1)
    list(small.doctor.repair())
    copy(small, back_up(small))
    assert all(finding.is_warning for finding in small.doctor.examine())


def test_a_restore_begins_anew_over_keys_of_another_programs_posters(small: Store) -> None:
    run(small, "HSET", "article:1", "poster", "user:7")
    backup = back_up(small)
    begin_restore(small).write(backup)
    assert run(small, "EXISTS", "posted:user:7")
    again = small.backup.new_restore()
    again.clear()
    again.begin()
    assert set(run(small, "KEYS", "*")) == {"restoring:"}
