"""Looks at things: what is read of a thing at one instant decides on its writes, and guards them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import Keys

#: The fields of a hash as they are stored; None for a missing one.
Fields = Mapping[str, str | None]


class Kind(NamedTuple):
    """A kind of things: the key of the hash of each, its fields, and what else is read, which these may tell."""

    key: Callable[[str], str]
    fields: Sequence[str]
    reads: Callable[[str, Fields], list[Command]]

    def commands(self, name: str, fields: Fields) -> list[Command]:
        """Return all that is read of a thing with these *fields*."""
        return [("HMGET", self.key(name), *self.fields), *self.reads(name, fields)]


class Look(NamedTuple):
    """One thing at the unix time ``now``: its name, its fields, and the replies to the other commands."""

    keys: Keys
    name: str
    fields: dict[str, str | None]
    replies: list[Any]
    reads: list[Command]
    now: float

    @property
    def exists(self) -> bool:
        """Tell whether there is any of the fields."""
        return any(value is not None for value in self.fields.values())

    def fix(self, writes: Sequence[Command], guards: int | None = None) -> Command:
        """Return the command that does *writes* if the thing is still as it was seen, at least by some *guards*."""
        seen = [list(self.fields.values()), *self.replies]
        return guarded(self.keys, self.reads[:guards], seen[:guards], writes)


def look_at(scanner: Scanner, names: Sequence[str], kind: Kind) -> Iterator[Look]:
    """Yield the things *names*, each at one instant; again those that changed so that other keys belong to them."""
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        stored = scanner.run_atomic([("HMGET", kind.key(name), *kind.fields) for name in names])
        commands = {
            name: kind.commands(name, dict(zip(kind.fields, values, strict=True)))
            for name, values in zip(names, stored, strict=True)
        }
        (seconds, _), *replies = scanner.run_atomic([("TIME",), *(read for own in commands.values() for read in own)])
        rest, changed = iter(replies), []
        for name, own in commands.items():
            values, *others = islice(rest, len(own))
            fields = dict(zip(kind.fields, values, strict=True))
            if own == kind.commands(name, fields):
                yield Look(scanner.site_keys, name, fields, others, own, float(seconds))
            else:
                changed.append(name)
        if not changed:
            return
        names = changed
