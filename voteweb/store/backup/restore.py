"""Restore the records of a backup into an empty database, which is marked as incomplete until all of it is there."""

import time
from collections import Counter
from collections.abc import Sequence

from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.store.backup import records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.backup.restore_batch import RestoreBatch
from voteweb.store.connection.connection import Connection
from voteweb.store.health import HealthChecks
from voteweb.store.scanner import Scanner, batched
from voteweb.store.server_info import Counts, ServerInfo


class Restore:
    """One restore."""

    def __init__(
        self, connection: Connection, settings: Settings, server_info: ServerInfo, health: HealthChecks
    ) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._server_info = server_info
        self._health = health
        self._scanner = Scanner(connection)
        self._listed = 0
        self._written: Counter[str] = Counter()
        self._undone: list[str] = []
        self._run = ""

    def begin(self) -> None:
        """Mark the database as incomplete; raise ConfigError unless it is empty."""
        self._health.refuse_unfinished_restore()
        count = self._connection.command("DBSIZE")
        if count:
            raise ConfigError(
                "The database is not empty (%(count)s keys): a backup is restored into an empty one only.", count=count
            )
        self._run = self._server_info.engine().run
        self._mark()

    def _mark(self) -> None:
        self._connection.command("SET", self._keys.restoring(), f"{time.time():.0f}", "NX")

    def write(self, batch: Sequence[BackupRecord]) -> None:
        """Write some records; writing them again changes nothing."""
        writer = RestoreBatch(self._keys, self._settings)
        for record in batch:
            writer.add(record)
            self._written[record.kind] += 1
            if isinstance(record, records.LogEntry) and record.fields.get("undoes"):
                self._undone.append(self._keys.log_entry(record.fields["undoes"]))
        self._listed += writer.listed
        self._connection.run(list(writer.commands()))

    def finish(self) -> None:
        """Repair what changed in the seconds between the records, and remove the mark.

        Raises ConfigError when the database may not hold what was written; then the mark stays.
        """
        self._refuse_another_run()
        for pattern in (self._keys.posted("*"), self._keys.gone("*")):
            for batch in batched(self._scanner.keys(pattern)):
                self._repair_owners(batch)
        for undone in batched(self._undone):
            self._mark_undone(undone)
        wanted = Counts(self._listed, self._written["member"], self._written["group"])
        actual = self._server_info.counts()
        # Repairing and counting take minutes on a large site, in which the database may be lost as well.
        self._refuse_another_run()
        if actual != wanted:
            raise ConfigError(
                "The database does not hold what was written: %(found)s instead of %(wanted)s.",
                found=_in_words(actual),
                wanted=_in_words(wanted),
            )
        self._connection.command("DEL", self._keys.restoring())

    def _refuse_another_run(self) -> None:
        if self._server_info.engine().run != self._run:
            # What the other server had not replicated or synced is lost, and the mark may be as well.
            self._mark()
            raise ConfigError(
                "The database was restarted or replaced while it was written, so that something may be missing. Empty "
                "it and restore again."
            )

    def _repair_owners(self, rankings: list[str]) -> None:
        """Delete the rankings of posters who are no members; a member who left during the backup is to leave again."""
        names = [self._keys.split(key)[1] for key in rankings]
        owners = self._scanner.run_atomic([("HMGET", self._keys.user(name), "id", "left") for name in names])
        commands: list[tuple[str, ...]] = []
        for key, name, (id, left) in zip(rankings, names, owners, strict=True):
            if id is None:
                commands.append(("UNLINK", key))
            elif left is not None:
                commands.append(("SADD", self._keys.leaving(), name))
        if commands:
            self._connection.run(commands)

    def _mark_undone(self, entries: list[str]) -> None:
        """Mark log entries as undone that were undone after they were read."""
        exist = self._scanner.run_atomic([("EXISTS", key) for key in entries])
        commands = [("HSET", key, "undone", "1") for key, exists in zip(entries, exist, strict=True) if exists]
        if commands:
            self._connection.run(commands)


def _in_words(counts: Counts) -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in counts._asdict().items())
