"""Restoring: only into an empty database, which stays marked until all of the backup is there."""

from typing import Any
from unittest.mock import Mock

import pytest
import redis

from tests import factories
from tests.store.backup.copying import back_up, begin_restore
from tests.store.backup.copying import restore as copy
from tests.store.examination import broken, refused, repair, run
from voteweb.core.errors import ConfigError, ServerChanged
from voteweb.store import Store
from voteweb.store.backup import Restore
from voteweb.store.connection import connection, transport
from voteweb.store.doctor import Doctor
from voteweb.store.scan.scanner import Scanner
from voteweb.store.site.context import Context


def test_a_database_that_is_not_empty_is_left_alone(small: Store) -> None:
    with refused(small, ConfigError, match="is not empty"):
        Restore(small.context).begin()


def test_an_unfinished_restore_is_marked(small: Store) -> None:
    backup = back_up(small)
    small.health.refuse_unusable()
    restore = begin_restore(small)
    restore.write(backup[:2])
    for use in (small.health.refuse_unusable, Restore(small.context).begin):
        with pytest.raises(ConfigError, match="did not finish"):
            use()


@pytest.mark.parametrize("damage", ["DEL article:1", "DEL user:ann", "HDEL thread:1 1"])
def test_a_database_that_lost_records_stays_marked(small: Store, damage: str) -> None:
    factories.comment(small, 1)
    backup = back_up(small)
    restore = begin_restore(small)
    restore.write(backup)
    run(small, *damage.split())
    with pytest.raises(ConfigError, match="does not hold what was written"):
        restore.finish()
    assert run(small, "EXISTS", "restoring:")


def test_a_database_replaced_while_it_was_derived_stays_marked(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    backup = back_up(small)
    restore = begin_restore(small)
    restore.write(backup)

    def derive_and_fail_over(_: Context) -> dict[str, int]:
        """Derive nothing; a server takes over that the mark had not reached."""
        monkeypatch.setattr(Scanner, "command_on_same_server", Mock(side_effect=ServerChanged))
        run(small, "DEL", "restoring:")
        return {"articles": 1, "members": 1, "comments": 0, "entries": 0}

    monkeypatch.setattr("voteweb.store.backup.restore.derive", derive_and_fail_over)
    with pytest.raises(ConfigError, match="restarted or replaced while it was written"):
        restore.finish()
    assert run(small, "EXISTS", "restoring:")


def test_a_repair_that_finds_its_work_disturbed_is_repeated(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection breaks before the script: the items of a list are twice beside it, and do not replace it."""
    factories.remove(small)
    backup, lost = back_up(small), list[object]()

    def break_once(client: redis.Redis, commands: Any, **options: Any) -> list[Any]:
        if not lost and any("ordering:" in str(command[1]) for command in commands):
            lost.append(transport.send(client, commands[:-1]))
            raise redis.ConnectionError("the script has not arrived")
        return transport.send(client, commands, **options)

    monkeypatch.setattr(connection, "send", break_once)
    copy(small, backup)
    assert len(lost) == 1
    assert broken(small) == []


def test_voters_of_another_program_get_no_list_of_open_votes(small: Store) -> None:
    run(small, "SADD", "voted:1", 9_000_001)
    run(small, "HINCRBY", "article:1", "votes", 1)
    repair(small)
    run(small, "DEL", "article:", "user:")  # lost counters are derived, too
    copy(small, back_up(small))
    assert list(Doctor(small.context).examine()) == []
    assert run(small, "SISMEMBER", "voted:1", 9_000_001)


def test_a_restore_begins_anew_over_keys_of_another_programs_posters(small: Store) -> None:
    begin_restore(small)
    run(small, "ZADD", "posted:user:7", 1, "article:1")
    again = Restore(small.context)
    again.clear()
    run(small, "SET", "search:", "the epoch that an indexer has begun")
    again.begin()
    assert set(run(small, "KEYS", "*")) == {"restoring:", "search:"}
