"""Backups: a logical copy of a live site, and its restore into an empty database.

What can be computed from other data (rankings, groups' articles, members' lists, the log's indexes) is left out and
rebuilt.
"""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.backup.dump import Dump
from voteweb.store.backup.records import BackupRecord, parse_record
from voteweb.store.backup.references import References
from voteweb.store.backup.restore import Restore
from voteweb.store.connection.connection import Connection
from voteweb.store.health import HealthChecks
from voteweb.store.server_info import ServerInfo

__all__ = ["Backup", "BackupRecord", "References", "parse_record"]


class Backup:
    """The backups of one site."""

    def __init__(
        self, connection: Connection, settings: Settings, server_info: ServerInfo, health: HealthChecks
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._server_info = server_info
        self._health = health
        self._dump = Dump(connection, server_info)

    def total(self) -> int:
        """Return the approximate number of records."""
        return self._dump.total()

    def records(self) -> Iterator[BackupRecord]:
        """Yield every record as it is at one instant; the site may be in use.

        Raises ConfigError if the data cannot be read, or are on another server in the end.
        """
        return self._dump.records()

    def new_restore(self) -> Restore:
        """Return a restore that can begin."""
        return Restore(self._connection, self._settings, self._server_info, self._health)
