"""Groups: made, changed, listed, and the names that moderators choose from."""

from collections.abc import Sequence

from voteweb.errors import GroupExists, NoSuchGroup
from voteweb.models import Group
from voteweb.store import keys
from voteweb.store.connect import Connection, Outcome
from voteweb.store.log import Deed, Log
from voteweb.store.trip import Reply, Trip


class Groups:
    """The groups of one site."""

    def __init__(self, connection: Connection, log: Log) -> None:
        self._connection = connection
        self._log = log

    def make(self, name: str, title: str, description: str, deed: Deed | None = None) -> None:
        """Make a group; raise GroupExists."""
        outcome = self._write("make", name, title, description, deed)
        if outcome.word == "exists" and not outcome.repeated:
            raise GroupExists(name=name)

    def change(self, name: str, title: str, description: str, deed: Deed | None = None) -> None:
        """Give a group another title and description; raise NoSuchGroup."""
        if self._write("change", name, title, description, deed).word == "unknown":
            raise NoSuchGroup(names=name)

    def _write(self, act: str, name: str, title: str, description: str, deed: Deed | None) -> Outcome:
        record = self._log.record(deed)
        return self._connection.script(
            "make_group",
            [keys.groups(), keys.group_info(name), *record.keys],
            [*record.arguments, act, name, title, description],
        )

    def ask_names(self, trip: Trip) -> Reply[tuple[str, ...]]:
        """Queue the question for the names of all groups, in the order of the alphabet."""
        return trip.ask([("SMEMBERS", keys.groups())], lambda answers: tuple(sorted(answers[0])))

    def ask(self, trip: Trip, names: Sequence[str]) -> Reply[tuple[Group | None, ...]]:
        """Queue the question for the groups *names*; None for each that does not exist."""
        commands: list[tuple[str, ...]] = []
        for name in names:
            commands += [
                ("SISMEMBER", keys.groups(), name),
                ("HMGET", keys.group_info(name), "title", "description"),
                ("ZCARD", keys.group_by_time(name)),
            ]

        def read(answers: list[object]) -> tuple[Group | None, ...]:
            found = []
            for at, name in enumerate(names):
                exists, info, count = answers[3 * at : 3 * at + 3]
                found.append(_group(name, info, count) if exists else None)
            return tuple(found)

        return trip.ask(commands, read)

    def all(self, trip: Trip) -> tuple[Group, ...]:
        """Return all groups in the order of the alphabet, in two round trips: *trip*, which goes, and another."""
        names = self.ask_names(trip)
        trip.go()
        groups = self.ask(trip, names.value)
        trip.go()
        return tuple(group for group in groups.value if group)


def _group(name: str, info: object, count: object) -> Group:
    title, description = info if isinstance(info, list) else (None, None)
    # A program after the book knows no titles: its groups are called by their names.
    return Group(name, title or name, description or "", int(str(count)))
