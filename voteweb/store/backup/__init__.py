"""Backups: a copy of the primary keys of a live site, and its restore into an empty database.

What can be computed from other keys (rankings, groups' articles, members' lists, the log's indexes) is left out and
computed again.
"""

from voteweb.store.backup.dump import Backup
from voteweb.store.backup.lines import KeyLine, LineChecks, parse_line
from voteweb.store.backup.restore import Restore, things

__all__ = ["Backup", "KeyLine", "LineChecks", "Restore", "parse_line", "things"]
