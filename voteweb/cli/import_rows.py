"""Read the files of an import under a progress bar, move the times of their rows, and send these in batches."""

import io
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

import click

from voteweb.cli.import_file import STORY_COLUMNS, Columns, ImportRow, read_rows
from voteweb.cli.progress import track_file
from voteweb.core import config
from voteweb.core.errors import Invalid, VotewebError
from voteweb.store.comments.imports import ImportedComment, Imports, Story

T = TypeVar("T")
Row = TypeVar("Row", Story, ImportedComment)

#: Rows sent to Redis at once: enough to make round trips cheap, few enough not to delay the site's own requests.
BATCH_SIZE = 500
#: Distinct times for which the number of rows is remembered, so that memory is bounded.
MAX_TRACKED_SECONDS = 100_000
#: What is said of a row that the store refused, by its answer.
REFUSALS = {
    "no-article": "no article here has this link",
    "no-parent": "answers a comment that was not imported before it",
    "parent-gone": "answers a comment that was deleted or removed",
    "too-deep": f"is a reply on level {config.MAX_COMMENT_LEVEL + 1}: no conversation is deeper than"
    f" {config.MAX_COMMENT_LEVEL}",
    "full": f"is one too many: a conversation takes {config.MAX_COMMENTS:,} comments",
    "gone": "its article was deleted or removed",
    "unknown": "its article has just been deleted",
}


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


@dataclass
class ImportRun(Generic[Row]):
    """A run of the importer: the rows of the current batch, and the numbers of those imported, known and bad.

    ``send`` imports rows and returns what became of each; ``parent_of`` returns the digest of the row that one answers,
    "" for none.
    """

    file: Path
    imports: Imports
    times: ImportTimes
    dry_run: bool
    send: Callable[[Sequence[Row]], Sequence[str]]
    parent_of: Callable[[Row], str] = lambda row: ""
    counts: Counter[str] = field(default_factory=Counter)
    _batch: list[tuple[int, Row]] = field(default_factory=list)
    #: The digests of all rows; only a dry run remembers them.
    _met: set[str] = field(default_factory=set)

    def add(self, line: int, row: Row) -> bool:
        """Add *row* to the batch, with its time moved; return whether that is a time for it."""
        time = self.times.move(row.time)
        if isinstance(time, Invalid):
            self.refuse(line, time)
            return False
        self._batch.append((line, replace(row, time=time)))
        if len(self._batch) >= BATCH_SIZE:
            self.flush()
        return True

    def flush(self) -> None:
        """Import the batch and count its rows."""
        rows = [row for _, row in self._batch]
        for (line, _), answer in zip(self._batch, (self._check if self.dry_run else self.send)(rows), strict=True):
            if answer in REFUSALS:
                self.refuse(line, REFUSALS[answer])
            else:
                self.counts[answer] += 1
        self._batch = []

    def refuse(self, line: int, error: object) -> None:
        """Count a bad row and say what is wrong with it."""
        self.counts["bad"] += 1
        echo_error(self.file, line, error)

    def _check(self, rows: Sequence[Row]) -> list[str]:
        """Return what would become of *rows*."""
        known = self.imports.known([row.digest for row in rows])
        parents = [self.parent_of(row) for row in rows]
        answers: list[str] = []
        for row, is_known, parent, has_parent in zip(rows, known, parents, self.imports.known(parents), strict=True):
            if is_known or row.digest in self._met:
                answers.append("known")
            elif parent and not has_parent and parent not in self._met:
                answers.append("no-parent")
            else:
                self._met.add(row.digest)
                answers.append("imported")
        return answers

    def echo_summary(self, what: str = "") -> None:
        """Say how many rows, of *what*, were imported."""
        summary = what + ", ".join(f"{name} {self.counts[name]}" for name in ("imported", "known", "bad"))
        click.echo(f"{summary} (dry run: nothing was written)" if self.dry_run else summary)
