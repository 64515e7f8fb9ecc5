"""The file of a backup: JSON lines under gzip. The first says what it is, the last how many records there are.

The last line holds a checksum of all before it, so that a file that was cut off, damaged or put together by hand
is told from a whole one.
"""

import gzip
import json
import os
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from voteweb.core.errors import Invalid
from voteweb.store import backup
from voteweb.store.backup import BackupRecord

#: The format that is written. A reader takes this one and those before it.
FORMAT = 1
#: The word by which our files are known.
FILE_TYPE = "voteweb backup"
#: Bytes of the longest line that is looked at to see whether a file is ours.
MAX_FIRST_LINE_BYTES = 10_000


@contextmanager
def replace_atomically(file: Path) -> Iterator[IO[bytes]]:
    """Yield a stream for the new content of *file*, which takes its place, on disk and for its owner only, at the end.

    Whatever ends it before leaves *file* as it was.
    """
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
        try:
            yield draft
            draft.flush()
            os.fsync(draft.fileno())
            os.replace(draft.name, file)
        except BaseException:
            os.unlink(draft.name)
            raise


def write(stream: IO[bytes], engine: str, records: Iterable[BackupRecord]) -> Counter[str]:
    """Write *records* that an *engine* handed out; return how many of each kind there were."""
    counts: Counter[str] = Counter()
    digest = sha256()
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6) as packed:

        def put(told: dict[str, Any]) -> None:
            line = json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            packed.write(line)

        put({"file": FILE_TYPE, "format": FORMAT, "engine": engine, "taken": time.time()})
        for record in records:
            put(record.as_json())
            counts[record.kind] += 1
        put({"end": counts, "sha256": digest.hexdigest()})
    return counts


class Reader:
    """A file that is being read; ``engine`` and ``taken`` (unix time) tell where and when its data were read."""

    def __init__(self, file: Path, stream: IO[bytes]) -> None:
        """Read the first line of *stream*; raise Invalid unless it begins a backup that can be read."""
        self._file = file
        self._packed = gzip.GzipFile(fileobj=stream)
        self._digest = sha256()
        self.counts: Counter[str] = Counter()
        try:
            first = self._packed.readline(MAX_FIRST_LINE_BYTES)
            told = json.loads(first)
        except (gzip.BadGzipFile, ValueError):
            told = None
        except (EOFError, zlib.error):
            raise self._damaged("it is cut off") from None
        if not isinstance(told, dict) or told.get("file") != FILE_TYPE or not isinstance(told.get("format"), int):
            raise Invalid("%(file)s is no backup of voteweb.", file=file)
        if told["format"] > FORMAT:
            raise Invalid(
                "%(file)s was written by a newer voteweb (format %(format)s, this one reads up to %(max)s).",
                file=file,
                format=told["format"],
                max=FORMAT,
            )
        self._digest.update(first)
        self.engine, self.taken = str(told["engine"]), float(told["taken"])

    def records(self) -> Iterator[BackupRecord]:
        """Yield every record; raise Invalid at the first that is none, or at the end where the whole does not fit."""
        for number, line in enumerate(self._lines(), 2):
            try:
                told = json.loads(line)
                if not isinstance(told, dict):
                    raise Invalid("is no record")
                if "end" in told:
                    self._check_end(told)
                    return
                record = backup.parse_record(told)
            except ValueError:
                raise self._damaged(f"line {number} cannot be read") from None
            except Invalid as problem:
                raise self._damaged(f"line {number} {problem}") from None
            self._digest.update(line)
            self.counts[record.kind] += 1
            yield record
        raise self._damaged("it is cut off")

    def _lines(self) -> Iterator[bytes]:
        try:
            yield from self._packed
        except EOFError:
            raise self._damaged("it is cut off") from None
        except (gzip.BadGzipFile, zlib.error) as problem:
            raise self._damaged(str(problem)) from None

    def _check_end(self, told: dict[str, Any]) -> None:
        if told["end"] != self.counts:
            raise Invalid("counts other records than there are")
        if told.get("sha256") != self._digest.hexdigest():
            raise Invalid("has another checksum than the records")
        if any(True for _ in self._lines()):
            raise Invalid("is not the last one")

    def _damaged(self, why: str) -> Invalid:
        return Invalid("%(file)s is damaged: %(why)s.", file=self._file, why=why)
