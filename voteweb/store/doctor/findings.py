"""Findings of the doctor: the reads of a thing at one instant decide on them, and guard its repair."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from voteweb.core import config
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.connection.unavailable import BrokenData
from voteweb.store.scan.looks import Kind, Look, look_at
from voteweb.store.scan.scanner import BATCH_SIZE, KeySpool, Scanner, batched, replacement
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Place, place_writes

#: Why nothing is done about a key whose name no site of voteweb would spell.
FOREIGN_KEY = "another program made this key"
#: Why something cannot be repaired beside a key of another type.
_NEEDS = "its repair needs {}, which is of another type"
#: Seconds by which a stored number may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001


class Finding(NamedTuple):
    """A broken invariant: the key that is wrong, and how.

    ``fix`` is the command that repairs it, unless something has changed by then, after the commands of ``prepare``. If
    there is none, ``why_not`` says why the doctor cannot repair this. ``now`` are the new values after a repair, where
    ``what`` does not name them. ``writes`` repair this finding alone: :func:`one_fix` joins those of one thing into a
    single ``fix``. A note (``is_note``) is no fault of the site: another program made this, and no repair changes it.
    """

    key: str
    what: str
    fix: Command = ()
    why_not: str = ""
    now: str = ""
    prepare: tuple[Command, ...] = ()
    writes: tuple[Command, ...] = ()
    is_note: bool = False


def check_place(keys: Keys, key: str, member: str, stored: Any, wanted: Place) -> Iterator[Finding]:
    """Yield the fault of the place of *member* in *key*; *stored* is the reply of SISMEMBER or ZSCORE."""
    is_set = isinstance(stored, int) or isinstance(wanted, bool)
    is_there = bool(stored) if is_set else stored is not None
    if wanted is None and is_there:
        what = f"holds {member}, which does not belong there"
    elif wanted is not None and not is_there:
        what = f"lacks {member}"
    elif wanted is not None and not is_set and abs(float(stored) - wanted) > TOLERANCE:
        what = f"has {member} at {float(stored):.3f} instead of {wanted:.3f}"
    else:
        return
    yield Finding(key, what, writes=tuple(place_writes(keys, key, member, wanted)))


def check_expiry(key: str, expires: int, end: int) -> Iterator[Finding]:
    """Yield the fault of a key that expires before *end*, or never; *expires* is the reply of PEXPIRETIME."""
    if expires < 1000 * (end - 1):
        what = "never expires" if expires == -1 else f"expires at {expires // 1000}, but is needed until {end}"
        yield Finding(key, what, writes=(("EXPIREAT", key, end + config.VOTERS_GRACE_SECONDS),))


def list_faults(items: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the faults of a list with these *items* that should hold those *wanted*; another order alone is none."""
    counts, right = Counter(items), set(wanted)
    return [
        *(f"lacks {item}" for item in wanted if item not in counts),
        *(f"holds {item:.60}, which does not belong there" for item in counts if item not in right),
        *(f"holds {item} {count} times" for item, count in counts.items() if count > 1 and item in right),
    ]


def remade(scanner: Scanner, key: str, items: Sequence[str], wanted: Sequence[str], *other: str) -> Iterator[Finding]:
    """Yield the faults of a list that has these *items*, and *other* ones; *wanted* in its place repairs it."""
    if problems := [*list_faults(items, wanted), *other]:
        prepare, fix = replacement(scanner.site_keys, key, items, wanted)
        yield from (Finding(key, what, fix, prepare=prepare) for what in problems)


def one_fix(fix: Callable[[Sequence[Command]], Command], found: Sequence[Finding], *more: Command) -> Iterator[Finding]:
    """Yield what was *found*: one command, the *fix* that does them, has all of the writes and *more*.

    Findings with a fix or a reason of their own keep it, and come first.
    """
    if not found:
        return
    yield from (finding for finding in found if finding.fix or finding.why_not)
    rest = [finding for finding in found if not (finding.fix or finding.why_not)]
    writes = dict.fromkeys([*more, *(write for finding in rest for write in finding.writes)])
    command = fix(list(writes)) if rest else ()
    yield from (finding._replace(fix=command, writes=()) for finding in rest)


T = TypeVar("T")


class SpoolingScanner(Scanner):
    """A scanner whose :meth:`names` are those that :meth:`spool` found: some may have gone since, none is newer.

    ``mistyped`` are those of another type than the store gave them, which have no members.
    """

    def __init__(self, connection: Connection, spool: KeySpool) -> None:
        super().__init__(connection)
        self._spool = spool
        self.mistyped: set[str] = set()

    def spool(self) -> Iterator[str]:
        """Yield every key of the site, and remember it unless another program made it."""
        for key in filter(self.site_keys.covers, self.keys(f"{self.site_keys.prefix}*:*")):
            if self.site_keys.is_ours(key):
                self._spool.add(key)
            yield key

    def names(self, noun: str) -> Iterator[str]:
        """Yield the id or name in each key of a *noun*."""
        return self._spool.names(noun)

    def members(self, key: str) -> Iterator[str]:
        """Yield the members of a set or sorted set, or the items of a list."""
        return iter(()) if key in self.mistyped else super().members(key)

    def findings(
        self, items: Iterable[Any], check: Callable[..., Iterable[Finding]], size: int = BATCH_SIZE
    ) -> Iterator[Finding]:
        """Yield what *check*, called with this scanner and some items at a time, finds in *items*.

        Leaves out those that need a mistyped key.
        """
        for batch in batched(items, size):
            try:
                yield from list(check(self, batch))
            except BrokenData:
                for item in batch:
                    yield from self.unless_mistyped(check(self, [item]))

    def check_each(
        self,
        items: Iterable[T],
        reads: Callable[[T], Sequence[Command]],
        check: Callable[..., Iterable[Finding]],
        size: int = BATCH_SIZE,
    ) -> Iterator[Finding]:
        """Yield what *check*, called with each of *items* and the replies to its *reads* at one instant, finds.

        These replies guard the writes.
        """

        def check_batch(_: Scanner, batch: list[T]) -> Iterator[Finding]:
            commands = [reads(item) for item in batch]
            replies = iter(self.run_atomic([command for own in commands for command in own]))
            for item, own in zip(batch, commands, strict=True):
                seen = list(islice(replies, len(own)))
                yield from one_fix(partial(guarded, self.site_keys, own, seen), list(check(item, *seen)))

        yield from self.findings(items, check_batch, size=size)

    def check_looks(
        self, names: Iterable[str], kind: Kind, check: Callable[[Look], Iterable[Finding]], size: int = BATCH_SIZE
    ) -> Iterator[Finding]:
        """Yield what *check* finds in each of the things *names* that exists."""

        def check_batch(_: Scanner, batch: list[str]) -> Iterator[Finding]:
            for seen in look_at(self, batch, kind):
                if any(value is not None for value in seen.fields.values()):
                    found = list(map(self._unless_mistyped, check(seen)))
                    yield from one_fix(partial(seen.fix, without=self.mistyped), found)

        yield from self.findings(names, check_batch, size=size)

    def _unless_mistyped(self, finding: Finding) -> Finding:
        """Return *finding*, without its writes if they need a mistyped key: the others of its thing are done."""
        for key in self.mistyped.intersection(str(part) for write in finding.writes for part in write):
            finding = finding._replace(writes=(), why_not=_NEEDS.format(key))
        return finding

    def unless_mistyped(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield *findings* until a mistyped key is needed; none is about such a key, and no repair needs one."""
        try:
            for finding in findings:
                if finding.key in self.mistyped:
                    continue
                for key in self.mistyped.intersection(finding.fix):
                    finding = finding._replace(fix=(), why_not=_NEEDS.format(key))
                yield finding
        except BrokenData:
            if not self.mistyped:
                raise
