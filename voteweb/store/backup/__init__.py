"""Backups: a logical copy of a live site, and the way back into an empty database.

What is worked out from other things (rankings, groups' articles, members' lists, the log's indexes) is left out and
built anew.
"""

from collections.abc import Iterator

from voteweb.config import Settings
from voteweb.store.backup.reading import Reading
from voteweb.store.backup.records import Record, read
from voteweb.store.backup.references import References
from voteweb.store.backup.writing import Writing
from voteweb.store.checks import Checks
from voteweb.store.connect import Connection
from voteweb.store.server import Server

__all__ = ["Backup", "Record", "References", "read"]


class Backup:
    """The backups of one site."""

    def __init__(self, connection: Connection, settings: Settings, server: Server, checks: Checks) -> None:
        self._connection = connection
        self._settings = settings
        self._server = server
        self._checks = checks
        self._reading = Reading(connection, server)

    def total(self) -> int:
        """Return about how many records there are."""
        return self._reading.total()

    def records(self) -> Iterator[Record]:
        """Yield every record, each as it is at one instant; the site may be used meanwhile.

        Raises ConfigError when the data cannot be read, or lie on another server by the end.
        """
        return self._reading.records()

    def restore(self) -> Writing:
        """Return a restore that can begin."""
        return Writing(self._connection, self._settings, self._server, self._checks)
