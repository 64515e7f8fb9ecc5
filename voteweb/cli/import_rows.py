"""Read the files of an import under a progress bar, name their bad rows, and move their times."""

import io
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import click

from voteweb.cli.import_file import STORY_COLUMNS, Columns, ImportRow, read_rows
from voteweb.cli.progress import track_file
from voteweb.core.errors import Invalid, VotewebError

T = TypeVar("T")

#: Distinct times for which the number of rows is remembered, so that memory is bounded.
MAX_TRACKED_SECONDS = 100_000


def read_file(
    file: Path, label: str, parse: Callable[[ImportRow], T], columns: Columns = STORY_COLUMNS
) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield the results of :func:`read_rows` for *file*, under a progress bar."""
    with file.open("rb") as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield from track_file(read_rows(text, file.suffix.lower(), parse, columns), label, stream)


def echo_error(file: Path, line: int, error: object) -> None:
    """Say what is wrong with a line of *file*, in place of the progress bar."""
    erase_bar = "\r\x1b[K" if sys.stderr.isatty() else ""
    click.echo(f"{erase_bar}{file}:{line}: {error}", err=True)


@dataclass
class ImportTimes:
    """The times of the rows of a file, moved by ``shift`` seconds; none may be after ``latest``."""

    latest: float
    shift: float = 0.0
    _count_at: Counter[float] = field(default_factory=Counter)

    def move(self, time: float) -> float | Invalid:
        """Return *time*, moved; rows of one second keep their order: each is a microsecond later than the one before.

        Returns an error if it is no time for a row.
        """
        moved = time + self.shift
        if not 0 <= moved <= self.latest:
            return Invalid("time is in the future" if moved > self.latest else "time is before 1970")
        if len(self._count_at) > MAX_TRACKED_SECONDS:
            self._count_at.clear()
        earlier = self._count_at[time]
        self._count_at[time] += 1
        return moved + earlier / 1_000_000
