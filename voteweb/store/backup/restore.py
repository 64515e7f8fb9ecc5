"""Restore the records of a backup into an empty site, which is marked as incomplete until all of it is there.

Other sites on the same database are left alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from voteweb.core import clock
from voteweb.core.config import SCHEMA, Settings
from voteweb.core.errors import ConfigError, ServerChanged
from voteweb.store import covered_reports, open_votes
from voteweb.store.account_deletion import keys_left_behind
from voteweb.store.backup import records, restore_log, restore_threads
from voteweb.store.backup.records import BackupRecord
from voteweb.store.backup.restore_batch import RestoreBatch
from voteweb.store.changes import begin_epoch
from voteweb.store.connection.connection import Connection
from voteweb.store.health import HealthChecks
from voteweb.store.key_types import key_type
from voteweb.store.moderation_log import ModerationLog
from voteweb.store.scanner import Scanner, batched
from voteweb.store.server_info import Counts, ServerInfo

#: The nouns whose keys are lists of one member, and go with the member.
_LISTS_OF_MEMBERS = frozenset(
    {"posted", "gone", "commented", "inbox", "unread", "seen", "follows", "hides", "saved", "notes"}
)


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

    def begin(self) -> None:
        """Mark the site as incomplete; raise ConfigError unless it is empty."""
        self._health.refuse_unfinished_restore()
        # An empty site that was started has the number of the layout.
        # An indexer that waits for articles has given it an epoch.
        known = {self._keys.schema(), self._keys.search_epoch()}
        present = next((key for key in self._scanner.all_keys() if key not in known), None)
        if present is not None:
            raise ConfigError(
                "The database is not empty, it has %(key)s: a backup is restored into an empty one only. Beside "
                "another site, give this one a name of its own, VOTEWEB_SITE.",
                key=present,
            )
        self._mark()
        # The records bring the number of their layout, or finish() writes it.
        self._connection.command("UNLINK", self._keys.schema())

    def clear(self) -> None:
        """Delete what a restore that did not finish has written, if there was one; begin() comes next."""
        if not self._connection.command("EXISTS", self._keys.restoring()):
            return
        # Names of another program's posters, such as user:7, are no names of members.
        written = (key for key in self._scanner.all_keys() if key_type(self._keys, key))
        for batch in batched(key for key in written if key != self._keys.restoring()):
            self._connection.command("UNLINK", *batch)
        self._connection.command("UNLINK", self._keys.restoring())

    def _mark(self) -> None:
        self._connection.command("SET", self._keys.restoring(), f"{clock.now():.0f}", "NX")

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
        try:
            self._finish()
        except ServerChanged:
            # What the other server had not replicated or synced is lost, and the mark may be as well.
            self._mark()
            raise ConfigError(
                "The database was restarted or replaced while it was written, so that something may be missing: run "
                "`voteweb restore --again FILE`."
            ) from None

    def _finish(self) -> None:
        self._scanner.command_on_same_server("TIME")
        if self._written["key"]:  # whole keys, and the number of their layout among them, if they have one
            self._connection.run([*begin_epoch(self._keys), ("UNLINK", self._keys.restoring())], atomic=True)
            return
        for pattern in keys_left_behind(self._keys, "*"):
            for batch in batched(self._scanner.keys(pattern)):
                self._repair_owners(batch)
        for undone in batched(self._undone):
            self._mark_undone(undone)
        if self._written["entry"]:
            restore_log.make_log(self._connection)
        open_votes.rebuild(self._connection, self._settings)
        restore_threads.make_lists(self._connection, self._scanner)
        comments = restore_threads.count_comments(self._connection, self._scanner)
        covered_reports.settle(self._connection, ModerationLog(self._connection))
        wanted = Counts(self._listed, self._written["member"], self._written["group"])._asdict()
        wanted["comments"] = self._written["comment"]
        actual = self._server_info.counts()._replace(members=self._count_members())._asdict() | {"comments": comments}
        # Repairing and counting take minutes on a large site, in which the database may be lost as well.
        self._scanner.command_on_same_server("TIME")
        if actual != wanted:
            raise ConfigError(
                "The database does not hold what was written: %(found)s instead of %(wanted)s.",
                found=_in_words(actual),
                wanted=_in_words(wanted),
            )
        commands = [
            ("SET", self._keys.schema(), SCHEMA),
            *begin_epoch(self._keys),
            ("UNLINK", self._keys.restoring()),
        ]
        self._connection.run(commands, atomic=True)

    def _count_members(self) -> int:
        """Count the records of members, those who left too."""
        return len(set(self._scanner.keys(self._keys.user("?*"))))

    def _repair_owners(self, rankings: list[str]) -> None:
        """Delete the lists of those who are no members; a member who left something behind is to leave again."""
        names = [self._keys.split(key)[1] for key in rankings]
        owners = self._scanner.run_atomic([("HMGET", self._keys.user(name), "id", "left") for name in names])
        commands: list[tuple[str, ...]] = []
        for key, name, (id, left) in zip(rankings, names, owners, strict=True):
            if id is None and self._keys.split(key)[0] in _LISTS_OF_MEMBERS:
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


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in counts.items())
