"""The last good backup: when it was made and how large it is, so that the site can say when there is none for days."""

from typing import NamedTuple

import redis

from voteweb.core import clock
from voteweb.store.schema.numbers import finite_number
from voteweb.store.site.context import Context, StorePart


class BackupFacts(NamedTuple):
    """The unix time as of which a backup was made, and its size in bytes."""

    time: float
    size: int


class LastBackup(StorePart):
    """The memory of one site of its last good backup."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._key = context.keys.last_backup()
        self._days = context.settings.backup_days

    def record(self, made: BackupFacts) -> None:
        """Record a backup that is complete and, if it has to be copied elsewhere, copied."""
        fields = ("time", f"{made.time:.0f}", "size", made.size)
        self._connection.run([("UNLINK", self._key), ("HSET", self._key, *fields)], atomic=True)

    def get(self) -> BackupFacts | None:
        """Return the last good backup; None if there never was one, or what is stored is none: the doctor tells."""
        try:
            made, size = map(finite_number, self._connection.command("HMGET", self._key, "time", "size"))
        except redis.ResponseError:
            return None
        return None if made is None or size is None else BackupFacts(made, int(size))

    def warnings(self) -> list[str]:
        """Return that the last backup is older than VOTEWEB_BACKUP_DAYS, if it is.

        Silent about a site that never had one: it may be saved in another way.
        """
        last = self.get() if self._days else None
        days = (clock.now() - last.time) / 86_400 if last else 0.0
        if days <= self._days:
            return []
        return [f"The last good backup was made {days:.0f} days ago: see why `voteweb backup` fails, or does not run."]
