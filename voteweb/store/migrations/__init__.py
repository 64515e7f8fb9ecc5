"""The layout of the data: its number in Redis, and the conversion of older layouts.

Data without a number are new, those of a program written after the book, or of layout 0: what voteweb 0.1 wrote. The
first two get the number when they are first served, because there is nothing to convert.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import redis

from voteweb.core.config import SCHEMA
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.store.migrations.conversions import CONVERSIONS, OLDEST, Conversion
from voteweb.store.site.context import StorePart


class State(NamedTuple):
    """The layout of the data, and the backup that a migration made before it began, "" unless one is unfinished."""

    number: int
    backup: str

    @property
    def is_current(self) -> bool:
        """Whether this version can serve the data."""
        return self.number == SCHEMA and not self.backup


class Migrations(StorePart):
    """The layout of one site's data."""

    def state(self) -> State:
        """Return the layout of the data; the number is written if there is nothing to convert.

        Raises ConfigError if a newer version wrote the data, or one that is too old.
        """
        keys = self._keys
        # Every site of voteweb that was ever used has one of the latter, and no program after the book has any.
        used = (keys.last_user_id(), keys.log(), keys.groups(), keys.imported(""))
        number, backup, is_used = self._connection.run(
            [("GET", keys.schema()), ("GET", keys.migrating()), ("EXISTS", *used)]
        )
        if number is None and not is_used:
            # A replica, a full server or one with a full disk refuses the number: the next start writes it.
            with suppress(redis.ResponseError, Unavailable):
                self._connection.command("SET", keys.schema(), SCHEMA, "NX")
            number = SCHEMA
        known = int(number or 0) if str(number or 0).isdecimal() else SCHEMA + 1
        if known > SCHEMA:
            raise ConfigError(
                "The data have layout %(number)s, and this version reads up to %(current)s: a newer version of voteweb "
                "wrote them. Install that version.",
                number=number,
                current=SCHEMA,
            )
        if known < OLDEST:
            raise ConfigError(
                "The data have layout %(number)s, and this version converts those from %(oldest)s on. Convert them "
                "with an older version first: docs/upgrading.md, From 0.1 to 0.2.",
                number=known,
                oldest=OLDEST,
            )
        return State(known, backup or "")

    def refuse_other(self) -> None:
        """Raise ConfigError unless the data have the current layout.

        Silent if the database is unavailable or refuses us: the next command reports that.
        """
        with suppress(Unavailable, redis.ResponseError):
            state = self.state()
            if state.is_current:
                return
            reason = "A migration did not finish" if state.backup else "An older version of voteweb wrote the data"
            raise ConfigError(
                "%(reason)s: they have layout %(number)s, and this version needs %(current)s. Stop the site and run "
                "`voteweb migrate`, which makes a backup first.",
                reason=reason,
                number=state.number,
                current=SCHEMA,
            )

    def begin(self, backup: str) -> None:
        """Note that *backup* is complete and the conversion begins; nothing else uses the data until it ends."""
        self._connection.command("SET", self._keys.migrating(), backup, "NX")

    def conversions(self, number: int) -> list[Conversion]:
        """Return what turns layout *number* into the current one, in this order."""
        return [conversion for version in range(number + 1, SCHEMA + 1) for conversion in CONVERSIONS[version]]

    def convert(self, conversion: Conversion, *, dry_run: bool = False) -> Iterator[int]:
        """Run one conversion in bounded steps; yield how many records each converted, or would convert.

        May be stopped anywhere and run again.
        """
        return conversion.run(self._connection, self._settings, dry_run)

    def finish(self) -> None:
        """Note that the data have the current layout."""
        commands = [("SET", self._keys.schema(), SCHEMA), ("UNLINK", self._keys.migrating())]
        self._connection.run(commands, atomic=True)
