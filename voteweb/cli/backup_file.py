"""The file format of a backup: JSON lines, compressed by gzip.

The first line has the format and the origin of the data, the last one the numbers of records and a checksum of all
lines before it, so that a truncated, damaged or edited file is detected.
"""

import gzip
import json
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from voteweb.core import clock
from voteweb.core.config import MAX_TIME
from voteweb.core.errors import Invalid
from voteweb.store import backup
from voteweb.store.backup import BackupRecord, records
from voteweb.store.scanner import finite_number

#: The format that is written, and the oldest that can be read: that of the first backups with layout 3.
FORMAT, OLDEST_FORMAT = 6, 4
#: Identifies a backup in its first line.
FILE_TYPE = "voteweb backup"
#: Bytes of the first line that are read to see whether a file is a backup.
MAX_FIRST_LINE_BYTES = 10_000
#: Bytes of one line: an article with three million voters.
MAX_LINE_BYTES = 32_000_000
#: Bytes of content for each byte of the file, of which texts have ten, and bytes up to which this is not looked
#: at: as JSON they may take thirty times as much memory.
MAX_EXPANSION, MIN_EXPANDED_BYTES = 100, 2_000_000


@contextmanager
def replace_atomically(file: Path) -> Iterator[IO[bytes]]:
    """Yield a stream for the new content of *file*, which replaces it, synced to disk, when the block ends.

    Only its owner can read it. If the block raises, *file* stays as it was.
    """
    try:
        temporary = tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False)  # noqa: SIM115
    except OSError as error:  # it names a file that nobody has asked for
        raise OSError(error.errno, error.strerror, str(file)) from None
    with temporary as stream:
        try:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            os.replace(stream.name, file)
        except BaseException:
            os.unlink(stream.name)
            raise


def write(stream: IO[bytes], engine: str, records: Iterable[BackupRecord], skipped: Sequence[str] = ()) -> Counter[str]:
    """Write *records*, which were read from *engine*, to *stream*; return how many of each kind there were.

    *skipped* are, once all records have been read, the keys that could not be: the last line has their number.
    """
    counts: Counter[str] = Counter()
    digest = sha256()
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6) as compressed:

        def write_line(fields: dict[str, Any]) -> None:
            line = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            compressed.write(line)

        write_line({"file": FILE_TYPE, "format": FORMAT, "engine": engine, "taken": clock.now()})
        for record in records:
            write_line(record.as_json())
            counts[record.kind] += 1
        partial = {"skipped": len(skipped)} if skipped else {}
        write_line({"end": counts, "sha256": digest.hexdigest(), **partial})
    return counts


class Reader:
    """Reads a backup; its data are those of ``engine`` at unix time ``created``, without ``skipped`` keys."""

    def __init__(self, file: str, stream: IO[bytes], *, bounded: bool = True) -> None:
        """Read the first line of *stream*; raise Invalid unless it is that of a backup in a known format.

        *bounded*: refuse lines and a content of a size that no site has, before they are in memory.
        """
        self._file = file
        self._bounded = bounded
        self._size = os.fstat(stream.fileno()).st_size
        self._compressed = gzip.GzipFile(fileobj=stream)
        self._digest = sha256()
        self.counts: Counter[str] = Counter()
        self.skipped = 0
        try:
            line = self._compressed.readline(MAX_FIRST_LINE_BYTES)
            header = json.loads(line)
        except (gzip.BadGzipFile, ValueError, RecursionError):
            header = None
        except (EOFError, zlib.error):
            raise self._damaged("it is truncated") from None
        if not isinstance(header, dict) or header.get("file") != FILE_TYPE or not isinstance(header.get("format"), int):
            raise Invalid("%(file)s is not a backup of voteweb.", file=file)
        if header["format"] > FORMAT:
            raise Invalid(
                "%(file)s was written by a newer voteweb (format %(format)s, this one reads up to %(max)s).",
                file=file,
                format=header["format"],
                max=FORMAT,
            )
        if header["format"] < OLDEST_FORMAT:
            raise Invalid(
                "%(file)s was written by an older voteweb (format %(format)s, this one reads from %(oldest)s on): "
                "docs/upgrading.md, From 0.1 to 0.2.",
                file=file,
                format=header["format"],
                oldest=OLDEST_FORMAT,
            )
        self._digest.update(line)
        self._is_older = header["format"] < FORMAT
        self.engine, self.created = str(header.get("engine", "")), finite_number(str(header.get("taken"))) or 0.0
        if not 0 <= self.created < MAX_TIME or not self.engine.isprintable():
            raise self._damaged("its first line has a value out of range")

    def records(self) -> Iterator[BackupRecord]:
        """Yield every record; raise Invalid at the first malformed line, or if the end does not match the records."""
        for number, line in enumerate(self._lines(), 2):
            try:
                fields = json.loads(line.decode())
                if b"\\ud" in line.lower():
                    json.dumps(fields, ensure_ascii=False).encode()  # ValueError: half a character
                if not isinstance(fields, dict):
                    raise Invalid("is not a record")
                if "end" in fields:
                    self._check_end(fields)
                    return
                record = backup.parse_record(fields, older=self._is_older)
            except (ValueError, RecursionError):
                raise self._damaged(f"line {number} cannot be read") from None
            except Invalid as error:
                raise self._damaged(f"line {number} {error}") from None
            self._digest.update(line)
            self.counts[record.kind] += 1
            yield record
        raise self._damaged("it is truncated")

    def _lines(self) -> Iterator[bytes]:
        read = 0
        try:
            while line := self._compressed.readline(MAX_LINE_BYTES + 1 if self._bounded else -1):
                read += len(line)
                if self._bounded and len(line) > MAX_LINE_BYTES:
                    raise self._oversized(f"a line of more than {MAX_LINE_BYTES:,} bytes")
                if self._bounded and read > max(MIN_EXPANDED_BYTES, MAX_EXPANSION * self._size):
                    raise self._oversized(f"more than {read:,} bytes of content in {self._size:,}")
                yield line
        except EOFError:
            raise self._damaged("it is truncated") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self._damaged(str(error)) from None

    def _check_end(self, end: dict[str, Any]) -> None:
        if end["end"] != self.counts:
            raise Invalid("does not match the number of records")
        if end.get("sha256") != self._digest.hexdigest():
            raise Invalid("does not match the checksum of the records")
        if any(True for _ in self._lines()):
            raise Invalid("is not the last one")
        if records.Key.kind in self.counts and len(self.counts) > 1:
            raise Invalid("ends whole keys among other records")
        skipped = end.get("skipped", 0)
        self.skipped = skipped if isinstance(skipped, int) else 1

    def _oversized(self, what: str) -> Invalid:
        return Invalid(
            "%(file)s has %(what)s, as no site does, but an attack may. If you trust it, use --force.",
            file=self._file,
            what=what,
        )

    def _damaged(self, reason: str) -> Invalid:
        return Invalid("%(file)s is damaged: %(reason)s.", file=self._file, reason=reason)
