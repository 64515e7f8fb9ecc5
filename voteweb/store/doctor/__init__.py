"""Checks every invariant of the data, and mends it: in bounded steps, and each step at one instant."""

from collections.abc import Iterator

from voteweb.config import Settings
from voteweb.store.connect import Connection
from voteweb.store.doctor import articles, counters, log, members, rankings, reports, shapes
from voteweb.store.doctor.broken import Broken
from voteweb.store.doctor.repair import repair
from voteweb.store.look import Look

__all__ = ["Broken", "Doctor"]


class Doctor:
    """The examination of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def examine(self) -> Iterator[Broken]:
        """Yield every broken invariant, whatever else goes on in the database meanwhile; only reads.

        Where a key is of another type than it should be, nothing but types and lifetimes can be examined.
        """
        look = Look(self._connection)
        sound = yield from shapes.examine(look)
        if not sound:
            return
        yield from articles.examine(look, self._settings)
        yield from rankings.examine(look, look.groups())
        yield from reports.examine(look)
        yield from log.examine(look)
        yield from members.examine(look)
        yield from counters.examine(look)

    def repair(self) -> Iterator[tuple[Broken, bool]]:
        """Mend from the source of truth, the articles and their voters; yield each fault and whether it is mended.

        Those that no machine can mend come last. May run while the site is used, and again.
        """
        return repair(self._connection, self.examine)
