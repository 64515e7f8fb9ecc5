"""``voteweb import``: import stories of other sites from a file, in batches."""

import io
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from voteweb.cli.import_file import ImportRow, parse_story, parse_time, read_rows
from voteweb.cli.progress import track_file
from voteweb.cli.site import Site, with_site
from voteweb.core.errors import Invalid, VotewebError
from voteweb.store.imports import Imports, Story

T = TypeVar("T")

#: Stories sent to Redis at once: enough to make round trips cheap, few enough not to delay the site's own requests.
IMPORT_BATCH_SIZE = 500
#: Seconds before now at which --shift-to-now puts the newest story.
NEWEST_AGE_SECONDS = 300
#: Seconds by which other sites' clocks may be ahead.
CLOCK_SKEW_SECONDS = 86_400
#: Distinct times for which the number of stories is remembered, so that memory is bounded.
MAX_TRACKED_SECONDS = 100_000


def _check_file(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    """Return *file* if it can be read, before any database is started for it; raise OSError if not."""
    if file.suffix.lower() not in (".csv", ".jsonl"):
        raise click.BadParameter("the name must end in .csv or .jsonl")
    file.open("rb").close()
    return file


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path), callback=_check_file)
@click.option(
    "--shift-to-now",
    is_flag=True,
    help=f"Move all times so that the newest story is {NEWEST_AGE_SECONDS // 60} minutes old.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; only count what would be imported.")
@with_site(new=True)
def import_(site: Site, file: Path, shift_to_now: bool, dry_run: bool) -> None:
    """Import the stories of FILE, a .csv or .jsonl.

    Columns: title, poster, time (unix seconds); optional: link, text, votes, groups. Groups are separated by spaces;
    in JSON they may be a list. Groups and posters that do not exist yet are made; posters cannot log in until
    "voteweb user password" gives them a password.

    Two stories with the same link, title, poster and time are one: importing it again adds nothing. A row with an
    error is reported and left out.
    """
    now = time.time()
    shift = 0.0
    if shift_to_now:
        times = (result for _, result in _read(file, "Reading times", parse_time) if isinstance(result, float))
        shift = int(now) - NEWEST_AGE_SECONDS - max(times, default=0.0)
    run, latest = _ImportRun(site.store.imports, dry_run), now + CLOCK_SKEW_SECONDS
    parse = partial(parse_story, max_groups=site.settings.max_groups)
    for line, result in _read(file, "Importing", parse):
        error = result if isinstance(result, VotewebError) else run.add(result, shift, latest)
        if error:
            run.bad += 1
            erase_bar = "\r\x1b[K" if sys.stderr.isatty() else ""
            click.echo(f"{erase_bar}{file}:{line}: {error}", err=True)
    run.flush()
    summary = f"imported {run.imported}, known {run.known}, bad {run.bad}"
    click.echo(f"{summary} (dry run: nothing was written)" if dry_run else summary)


def _read(file: Path, label: str, parse: Callable[[ImportRow], T]) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield the results of :func:`read_rows` for *file*, under a progress bar."""
    with file.open("rb") as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield from track_file(read_rows(text, file.suffix.lower(), parse), label, stream)


@dataclass
class _ImportRun:
    """A run of the importer: the stories of the current batch, and the counts so far."""

    imports: Imports
    dry_run: bool
    imported: int = 0
    known: int = 0
    bad: int = 0

    def __post_init__(self) -> None:
        self._batch: list[Story] = []
        self._dry_run_digests: set[str] = set()
        self._count_at: Counter[float] = Counter()

    def add(self, story: Story, shift: float, latest: float) -> VotewebError | None:
        """Add *story*, moved by *shift* seconds, to the batch; return an error if it is then after *latest*."""
        published = story.time + shift
        if not 0 <= published <= latest:
            return Invalid("time is in the future" if published > latest else "time is before 1970")
        if len(self._count_at) > MAX_TRACKED_SECONDS:
            self._count_at.clear()
        # Stories of one second keep their order: each is a microsecond later than the one before.
        earlier = self._count_at[story.time]
        self._count_at[story.time] += 1
        self._batch.append(replace(story, time=published + earlier / 1_000_000))
        if len(self._batch) >= IMPORT_BATCH_SIZE:
            self.flush()
        return None

    def flush(self) -> None:
        """Import the batch and count its stories."""
        new = self._count_new() if self.dry_run else self.imports.add(self._batch)
        self.imported += new
        self.known += len(self._batch) - new
        self._batch = []

    def _count_new(self) -> int:
        """Return how many stories of the batch would be imported; only a dry run remembers all digests."""
        digests = [story.digest for story in self._batch]
        known = self.imports.known(digests)
        new = {digest for digest, is_known in zip(digests, known, strict=True) if not is_known} - self._dry_run_digests
        self._dry_run_digests |= new
        return len(new)
