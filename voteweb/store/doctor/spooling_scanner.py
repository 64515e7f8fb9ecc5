"""A scanner that lists the keys of a site once and keeps them by noun: each check reads those of its own nouns."""

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from voteweb.store.connection.connection import Connection
from voteweb.store.connection.unavailable import BrokenData
from voteweb.store.doctor.finding import Finding
from voteweb.store.scan.key_spool import KeySpool
from voteweb.store.scan.scanner import BATCH_SIZE, Scanner, batched
from voteweb.store.schema.nouns import TYPES


class SpoolingScanner(Scanner):
    """A scanner whose :meth:`keys` are those that :meth:`spool` found: some may have gone since, none is newer.

    ``mistyped`` are those of another type than the store gave them, which have no members.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._spool = KeySpool(connection.keys, TYPES)
        self.mistyped: set[str] = set()

    def __enter__(self) -> "SpoolingScanner":
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spool.__exit__(type, error, trace)

    def spool(self) -> Iterator[str]:
        """Yield every key of the site, and remember it."""
        for key in filter(self.site_keys.covers, super().keys(f"{self.site_keys.prefix}*:*")):
            self._spool.add(key)
            yield key

    def keys(self, pattern: str) -> Iterator[str]:
        """Yield the keys that match *pattern*, which begins with their noun."""
        return self._spool.matching(pattern)

    def members(self, key: str) -> Iterator[str]:
        """Yield the members of a set or sorted set."""
        return iter(()) if key in self.mistyped else super().members(key)

    def ranking_members(self, rankings: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield each key of *rankings* with each of its members; many small rankings cost little."""
        return super().ranking_members(key for key in rankings if key not in self.mistyped)

    def findings(
        self, items: Iterable[Any], check: Callable[..., Iterable[Finding]], *arguments: Any, size: int = BATCH_SIZE
    ) -> Iterator[Finding]:
        """Yield what *check*, called with this scanner, *arguments* and some items at a time, finds in *items*.

        Leaves out those that need a mistyped key.
        """
        for batch in batched(items, size):
            try:
                yield from list(check(self, *arguments, batch))
            except BrokenData:
                for item in batch:
                    yield from self.unless_mistyped(check(self, *arguments, [item]))

    def unless_mistyped(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield *findings* until a mistyped key is needed; none is about such a key, and no repair needs one."""
        try:
            for finding in findings:
                if finding.key in self.mistyped:
                    continue
                for key in self.mistyped.intersection(finding.fix):
                    finding = finding._replace(fix=(), why_not=f"its repair needs {key}, which is of another type")
                yield finding
        except BrokenData:
            if not self.mistyped:
                raise
