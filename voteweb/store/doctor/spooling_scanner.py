"""A scanner that lists the keys of a site once and keeps them by noun: each check reads those of its own nouns."""

from collections.abc import Iterator
from types import TracebackType

from voteweb.store.connection.connection import Connection
from voteweb.store.key_spool import KeySpool
from voteweb.store.key_types import TYPES
from voteweb.store.scanner import Scanner


class SpoolingScanner(Scanner):
    """A scanner whose :meth:`keys` are those that :meth:`spool` found: some may have gone since, none is newer."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._spool = KeySpool(connection.keys, TYPES)

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
