"""Looks at things: what is read of a thing at one instant decides on its writes, and guards them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
    """A kind of things: the key of the hash of each, its fields, and what else is read, which these may tell.

    Its fields and the *reads* guard what is written; the replies to *more* may be others by then.
    """

    key: Callable[[str], str]
    fields: Sequence[str]
    reads: Callable[[str, Fields], list[Command]]
    more: Callable[[str, Fields], list[Command]] = lambda _name, _fields: []


class Look(NamedTuple):
    """One thing at the unix time ``now``: its name, its fields, and the replies to the other commands."""

    keys: Keys
    name: str
    fields: dict[str, str | None]
    replies: list[Any]
    more: list[Any]
    guards: list[Command]
    now: float

    def fix(self, writes: Sequence[Command], *, without: Collection[str] = ()) -> Command:
        """Return the command that does *writes* if the thing is still as it was seen, but for the keys *without*."""
        seen = zip(self.guards, [list(self.fields.values()), *self.replies], strict=True)
        kept = [(guard, reply) for guard, reply in seen if not any(part in without for part in guard)]
        return guarded(self.keys, [guard for guard, _ in kept], [reply for _, reply in kept], writes)


def look_at(scanner: Scanner, names: Sequence[str], kind: Kind) -> Iterator[Look]:
    """Yield the things *names*, each at one instant; again those that changed so that other keys belong to them."""

    def commands(name: str, values: Sequence[str | None]) -> tuple[list[Command], list[Command]]:
        fields = dict(zip(kind.fields, values, strict=True))
        return [("HMGET", kind.key(name), *kind.fields), *kind.reads(name, fields)], kind.more(name, fields)

    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        stored = scanner.run_atomic([("HMGET", kind.key(name), *kind.fields) for name in names])
        reads = {name: commands(name, values) for name, values in zip(names, stored, strict=True)}
        flat = [command for guards, more in reads.values() for command in (*guards, *more)]
        (seconds, _), *replies = scanner.run_atomic([("TIME",), *flat])
        rest, changed = iter(replies), list[str]()
        for name, (guards, more) in reads.items():
            (values, *own), others = list(islice(rest, len(guards))), list(islice(rest, len(more)))
            if (guards, more) == commands(name, values):
                fields = dict(zip(kind.fields, values, strict=True))
                yield Look(scanner.site_keys, name, fields, own, others, guards, float(seconds))
            else:
                changed.append(name)
        if not changed:
            return
        names = changed
