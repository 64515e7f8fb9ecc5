"""Lays the records of a backup into an empty database, which is marked until all of it is there."""

import time
from collections import Counter
from collections.abc import Sequence

from voteweb.config import Settings
from voteweb.errors import ConfigError
from voteweb.store import keys
from voteweb.store.backup import records
from voteweb.store.backup.laying import Batch
from voteweb.store.backup.records import Record
from voteweb.store.checks import Checks
from voteweb.store.connect import Connection
from voteweb.store.look import Look, steps
from voteweb.store.server import Counts, Server


class Writing:
    """One restore."""

    def __init__(self, connection: Connection, settings: Settings, server: Server, checks: Checks) -> None:
        self._connection = connection
        self._settings = settings
        self._server = server
        self._checks = checks
        self._look = Look(connection)
        self._listed = 0
        self._written: Counter[str] = Counter()
        self._undone: list[str] = []
        self._run = ""

    def begin(self) -> None:
        """Mark the database as one that is not whole; raise ConfigError unless it is empty."""
        self._checks.refuse_unfinished()
        count = self._connection.command("DBSIZE")
        if count:
            raise ConfigError(
                "The database is not empty (%(count)s keys): a backup is restored into an empty one only.", count=count
            )
        self._run = self._server.engine().run
        self._mark()

    def _mark(self) -> None:
        self._connection.command("SET", keys.restoring(), f"{time.time():.0f}", "NX")

    def write(self, batch: Sequence[Record]) -> None:
        """Write some records; to write them again changes nothing."""
        laid = Batch(self._settings)
        for record in batch:
            laid.add(record)
            self._written[record.kind] += 1
            if isinstance(record, records.Entry) and record.fields.get("undoes"):
                self._undone.append(keys.log_entry(record.fields["undoes"]))
        self._listed += laid.listed
        self._connection.pipeline(list(laid.commands()))

    def finish(self) -> None:
        """Settle what the seconds between the records left open, and take the mark away.

        Raises ConfigError when the database may not hold what was written; then the mark stays.
        """
        self._refuse_another_run()
        for pattern in (keys.posted("*"), keys.gone("*")):
            for step in steps(self._look.keys(pattern)):
                self._settle_owners(step)
        for step in steps(self._undone):
            self._settle_undone(step)
        wanted = Counts(self._listed, self._written["member"], self._written["group"])
        found = self._server.counts()
        # Settling and counting take minutes on a large site, in which the database may be lost as well.
        self._refuse_another_run()
        if found != wanted:
            raise ConfigError(
                "The database does not hold what was written: %(found)s instead of %(wanted)s.",
                found=_told(found),
                wanted=_told(wanted),
            )
        self._connection.command("DEL", keys.restoring())

    def _refuse_another_run(self) -> None:
        if self._server.engine().run != self._run:
            # What the other had not passed on, or not put on its disk, is lost, and the mark may be as well.
            self._mark()
            raise ConfigError(
                "The database was restarted or replaced while it was written, so that something may be missing. Empty "
                "it and restore again."
            )

    def _settle_owners(self, lists: list[str]) -> None:
        """Drop the lists of posters who are no members; who left in the middle of the backup is to leave again."""
        names = [key.partition(":")[2] for key in lists]
        owners = self._look.at_once([("HMGET", keys.user(name), "id", "left") for name in names])
        commands: list[tuple[str, ...]] = []
        for key, name, (id, left) in zip(lists, names, owners, strict=True):
            if id is None:
                commands.append(("UNLINK", key))
            elif left is not None:
                commands.append(("SADD", keys.leaving(), name))
        if commands:
            self._connection.pipeline(commands)

    def _settle_undone(self, entries: list[str]) -> None:
        """Mark as undone what was undone after it was read."""
        exist = self._look.at_once([("EXISTS", key) for key in entries])
        commands = [("HSET", key, "undone", "1") for key, is_there in zip(entries, exist, strict=True) if is_there]
        if commands:
            self._connection.pipeline(commands)


def _told(counts: Counts) -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in counts._asdict().items())
