"""A scanner that lists the keys of a site once and keeps them by noun: each check reads those of its own nouns."""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from tempfile import SpooledTemporaryFile
from types import TracebackType

from voteweb.store.connection.connection import Connection
from voteweb.store.key_types import TYPES
from voteweb.store.scanner import Scanner

#: Bytes of the keys of one noun that are kept in memory, such as a million articles; more are kept in a file.
MAX_SPOOL_BYTES = 8_000_000
#: Bytes that are read from a file at a time.
READ_BYTES = 65_536


class SpoolingScanner(Scanner):
    """A scanner whose :meth:`keys` are those that :meth:`spool` found: some may have gone since, none is newer."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        # Closed by __exit__.
        self._files = {noun: SpooledTemporaryFile(MAX_SPOOL_BYTES) for noun in TYPES}  # noqa: SIM115

    def __enter__(self) -> "SpoolingScanner":
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.close()

    def spool(self) -> Iterator[str]:
        """Yield every key of the site, and remember it."""
        for key in filter(self.site_keys.covers, super().keys(f"{self.site_keys.prefix}*:*")):
            noun, name = self.site_keys.split(key)
            if noun in self._files:
                self._files[noun].write(json.dumps(name).encode() + b"\n")
            yield key

    def keys(self, pattern: str) -> Iterator[str]:
        """Yield the keys that match *pattern*, which begins with their noun."""
        noun, name_pattern = self.site_keys.split(pattern)
        file, at, is_complete = self._files[noun], 0, False
        while not is_complete:
            file.seek(at)  # another check may read the same file in turns
            lines = file.readlines(READ_BYTES)
            at, is_complete = file.tell(), not lines
            names = (json.loads(line) for line in lines)
            yield from (f"{self.site_keys.prefix}{noun}:{name}" for name in names if fnmatchcase(name, name_pattern))
