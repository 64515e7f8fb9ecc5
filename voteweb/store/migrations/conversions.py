"""All conversions of the data from one layout to the next."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.migrations import digests, invitations, settings

#: Converts all records of one kind in bounded steps, and yields after each how many it converted; with ``dry_run`` it
#: only counts. It may be stopped anywhere and run again: what is converted already is left alone.
Run = Callable[[Connection, Settings, bool], Iterator[int]]


class Conversion(NamedTuple):
    """One change of layout, with the words that tell an operator what it does."""

    title: str
    run: Run


#: The conversions that lead to each layout from the one before, in the order in which they run.
CONVERSIONS: dict[int, tuple[Conversion, ...]] = {
    # Who may list the names of keys must not learn a token.
    4: (
        Conversion("Keep invitations under digests of their links", invitations.convert),
        Conversion("Forget who wants digests by mail", digests.convert),
    ),
    # Who starts a command without the environment of the site must not compute other scores.
    5: (Conversion("Keep the settings that shape scores", settings.convert),),
}
#: The oldest layout that can be converted.
OLDEST = min(CONVERSIONS) - 1
