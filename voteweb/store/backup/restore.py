"""Restore a backup into an empty site, which is marked as incomplete until all of it is there.

Other sites on the same database are left alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from voteweb.core import clock
from voteweb.core.config import SCHEMA, Settings
from voteweb.core.errors import ConfigError, ServerChanged
from voteweb.store.backup.derive import Derivation
from voteweb.store.backup.key_lines import KeyLine
from voteweb.store.backup.key_writes import KeyWrites
from voteweb.store.connection.connection import Connection
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.nouns import key_type
from voteweb.store.server.health import HealthChecks
from voteweb.store.site.changes import begin_epoch
from voteweb.store.site.context import Context
from voteweb.store.site.site_settings import SiteSettings


class Restore:
    """One restore."""

    def __init__(
        self, connection: Connection, settings: Settings, health: HealthChecks, whole_layout: int | None = None
    ) -> None:
        """Prepare a restore of primary keys or, with the number of its layout, of a copy of every key."""
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._health = health
        self._whole_layout = whole_layout
        self._scanner = Scanner(connection)
        self._written: Counter[str] = Counter()

    def begin(self) -> None:
        """Mark the site as incomplete; raise ConfigError unless it is empty."""
        self._health.refuse_unfinished_restore()
        # An empty site that was started has the number of the layout, and settings.
        # An indexer that waits for articles has given it an epoch.
        known = {self._keys.schema(), self._keys.search_epoch(), self._keys.site()}
        present = next((key for key in self._scanner.all_keys() if key not in known), None)
        if present is not None:
            raise ConfigError(
                "The database is not empty, it has %(key)s: a backup is restored into an empty one only. Beside "
                "another site, give this one a name of its own, VOTEWEB_SITE.",
                key=present,
            )
        self._mark()
        self._connection.command("UNLINK", self._keys.schema(), self._keys.site())

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

    def write(self, batch: Sequence[KeyLine]) -> None:
        """Write some lines; writing them again changes nothing."""
        writes = KeyWrites(self._keys.prefix)
        for line in batch:
            writes.add_line(line, is_whole=self._whole_layout is not None)
            self._written.update(things(line))
        self._connection.run(list(writes.commands()))

    def finish(self, *, force: bool = False) -> None:
        """Write what is computed from the lines, and remove the mark.

        Raises ConfigError when the database may not hold what was written; then the mark stays. With *force* it may
        hold something else, for the doctor to name.
        """
        try:
            self._finish(force)
        except ServerChanged:
            # What the other server had not replicated or synced is lost, and the mark may be as well.
            self._mark()
            raise ConfigError(
                "The database was restarted or replaced while it was written, so that something may be missing: run "
                "`voteweb restore --again FILE`."
            ) from None

    def _finish(self, force: bool) -> None:
        self._scanner.command_on_same_server("TIME")
        if self._whole_layout is None:
            settings = SiteSettings(Context.of(self._connection, self._settings)).read_settings()
            derived = Derivation(self._connection, settings).run()
            # Deriving takes minutes on a large site, in which the database may be lost as well.
            self._scanner.command_on_same_server("TIME")
            wanted = {name: self._written[name] for name in derived._fields}
            if derived._asdict() != wanted and not force:
                raise ConfigError(
                    "The database does not hold what was written: %(found)s instead of %(wanted)s.",
                    found=_in_words(derived._asdict()),
                    wanted=_in_words(wanted),
                )
        layout = SCHEMA if self._whole_layout is None else self._whole_layout
        number = [("SET", self._keys.schema(), layout)] if layout else []
        self._connection.run([*number, *begin_epoch(self._keys), ("UNLINK", self._keys.restoring())], atomic=True)


def things(line: KeyLine) -> dict[str, int]:
    """Return how many articles, comments, members, groups or acts in the log a line of a backup holds."""
    match line.noun:
        case "article" | "user" if line.name:
            return {"articles" if line.noun == "article" else "members": 1}
        case "group-info":
            return {"groups": 1}
        case "thread":
            return {"comments": sum(name.isascii() and name.isdigit() for name in line.value)}
        case "log-entries":
            return {"entries": sum(map(bool, line.value))}
    return {}


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in counts.items())
