"""Backups: a copy of the primary keys of a live site, and its restore into an empty database.

What can be computed from other keys (rankings, groups' articles, members' lists, the log's indexes) is left out and
computed again.
"""

from collections.abc import Iterator

from voteweb.store.backup.dump import Dump
from voteweb.store.backup.lines import KeyLine, LineChecks, parse_line
from voteweb.store.backup.restore import Restore, things
from voteweb.store.scan.scanner import Scanner
from voteweb.store.site.context import StorePart

__all__ = ["Backup", "KeyLine", "LineChecks", "parse_line", "things"]


class Backup(StorePart):
    """The backups of one site."""

    def total(self) -> int:
        """Return the approximate number of articles, members and acts in the log."""
        return Dump(self._connection, []).total()

    def lines(self, skipped: list[str] | None = None) -> Iterator[KeyLine]:
        """Yield every primary key, with what belongs together as it is at one instant; the site may be in use.

        Keys of a wrong type, or with bytes that are no text, are left out and appended to *skipped*, if that is a list.
        Raises ConfigError if the data cannot be read, ServerChanged if another server has them in the end.
        """
        return Dump(self._connection, skipped).lines()

    def key_total(self) -> int:
        """Return the approximate number of keys of the site."""
        return sum(1 for _ in Scanner(self._connection).all_keys())

    def all_lines(self) -> Iterator[KeyLine]:
        """Yield every key as it is, whatever the layout of the data; the site must not be in use.

        Raises ConfigError for a key of a type that voteweb does not write.
        """
        return Dump(self._connection).all_lines()

    def new_restore(self, whole_layout: int | None = None) -> Restore:
        """Return a restore of primary keys or, with the number of its layout, of a copy of every key."""
        return Restore(self._context, whole_layout)
