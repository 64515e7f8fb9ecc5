"""Checks every invariant of the data; reads only, in bounded steps, and each step at one instant."""

from collections.abc import Iterator

from voteweb.config import Settings
from voteweb.store.connect import Connection
from voteweb.store.doctor import articles, log, members, owners, rankings, reports, shapes
from voteweb.store.doctor.look import Broken, Look

__all__ = ["Broken", "Doctor"]


class Doctor:
    """The examination of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def examine(self) -> Iterator[Broken]:
        """Yield every broken invariant, whatever else goes on in the database meanwhile.

        Where a key is of another type than it should be, nothing but types and lifetimes can be examined.
        """
        look = Look(self._connection)
        sound = yield from shapes.examine(look)
        if not sound:
            return
        groups = look.groups()
        yield from articles.examine(look, self._settings, groups)
        yield from owners.examine(look)
        yield from rankings.examine(look, groups)
        yield from reports.examine(look)
        yield from log.examine(look)
        yield from members.examine(look)
