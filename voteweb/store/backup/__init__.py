"""Backups: a logical copy of a live site, and its restore into an empty database.

What can be computed from other data (rankings, groups' articles, members' lists, the log's indexes) is left out and
rebuilt.
"""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.backup.dump import Dump
from voteweb.store.backup.field_checks import field_faults
from voteweb.store.backup.key_copy import read_keys
from voteweb.store.backup.records import BackupRecord, parse_record
from voteweb.store.backup.references import References
from voteweb.store.backup.restore import Restore
from voteweb.store.connection.connection import Connection
from voteweb.store.health import HealthChecks
from voteweb.store.scanner import Scanner
from voteweb.store.server_info import ServerInfo

__all__ = ["Backup", "BackupRecord", "References", "field_faults", "parse_record"]


class Backup:
    """The backups of one site."""

    def __init__(
        self, connection: Connection, settings: Settings, server_info: ServerInfo, health: HealthChecks
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._server_info = server_info
        self._health = health

    def total(self) -> int:
        """Return the approximate number of records."""
        return Dump(self._connection, []).total()

    def records(self, skipped: list[str] | None = None) -> Iterator[BackupRecord]:
        """Yield every record as it is at one instant; the site may be in use.

        Keys of a wrong type, or with bytes that are no text, are left out and appended to *skipped*, if that is a list.
        Raises ConfigError if the data cannot be read, ServerChanged if another server has them in the end.
        """
        return Dump(self._connection, skipped).records()

    def key_total(self) -> int:
        """Return the approximate number of keys of the site."""
        return sum(1 for _ in Scanner(self._connection).all_keys())

    def key_records(self) -> Iterator[BackupRecord]:
        """Yield every key as it is, whatever the layout of the data; the site must not be in use.

        Raises ConfigError for a key of a type that voteweb does not write.
        """
        return read_keys(self._connection)

    def new_restore(self) -> Restore:
        """Return a restore that can begin."""
        return Restore(self._connection, self._settings, self._server_info, self._health)
