"""Names of keys that one scan has found, kept by noun: several readers need only that one scan."""

import json
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from tempfile import SpooledTemporaryFile
from types import TracebackType

from voteweb.store.schema.keys import Keys

#: Bytes of the keys of one noun that are kept in memory, such as a million articles; more are kept in a file.
MAX_SPOOL_BYTES = 8_000_000
#: Bytes that are read from a file at a time.
READ_BYTES = 65_536


class KeySpool:
    """The keys of some *nouns*: some may have gone since they were added, none is newer."""

    def __init__(self, keys: Keys, nouns: Iterable[str]) -> None:
        self._keys = keys
        # Closed by __exit__.
        self._files = {noun: SpooledTemporaryFile(MAX_SPOOL_BYTES) for noun in nouns}  # noqa: SIM115

    def __enter__(self) -> "KeySpool":
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.close()

    def add(self, key: str) -> None:
        """Keep *key*, unless it is of another noun."""
        noun, name = self._keys.split(key)
        if noun in self._files:
            self._files[noun].write(json.dumps(name).encode() + b"\n")

    def matching(self, pattern: str) -> Iterator[str]:
        """Yield the keys that match *pattern*, which begins with their noun."""
        noun, name_pattern = self._keys.split(pattern)
        file, at, is_complete = self._files[noun], 0, False
        while not is_complete:
            file.seek(at)  # another reader may read the same file in turns
            lines = file.readlines(READ_BYTES)
            at, is_complete = file.tell(), not lines
            names = (json.loads(line) for line in lines)
            yield from (f"{self._keys.prefix}{noun}:{name}" for name in names if fnmatchcase(name, name_pattern))
