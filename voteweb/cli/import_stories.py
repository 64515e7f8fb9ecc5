"""``voteweb import``: stories of other sites, streamed in by the batch."""

import io
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from voteweb.cli import import_file
from voteweb.cli.site import Site, with_site
from voteweb.core.errors import Invalid, VotewebError
from voteweb.store.imports import Imports, Story

T = TypeVar("T")

#: Stories sent to Redis at once: enough that its round trips do not count, few enough that the site is not held up.
IMPORT_BATCH_SIZE = 500
#: Seconds before now at which --shift-to-now puts the newest story.
NEWEST_AGE_SECONDS = 300
#: Seconds that clocks may be ahead of ours.
CLOCK_SKEW_SECONDS = 86_400
#: Seconds in which several stories came are remembered up to this number, so that memory is bounded.
MAX_TRACKED_SECONDS = 100_000


def _readable(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    """Return *file*, before any database is started for it; raise OSError when it cannot be read."""
    if file.suffix.lower() not in (".csv", ".jsonl"):
        raise click.BadParameter("the name must end in .csv or .jsonl")
    file.open("rb").close()
    return file


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path), callback=_readable)
@click.option("--shift-to-now", is_flag=True, help="Move all times so that the newest row is five minutes old.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be done.")
@with_site(new=True)
def import_(site: Site, file: Path, shift_to_now: bool, dry_run: bool) -> None:
    """Import the stories of FILE, a .csv or .jsonl.

    Columns: title, poster, time (unix seconds); and if you like link, text, votes, groups. Groups are separated
    by blanks, in JSON they may be a list. Groups and posters that do not exist yet are made; posters cannot log
    in until "voteweb user password" gives them a password.

    A story is the same when link, title, poster and time are: importing it again adds nothing. A wrong row is
    named and left out.
    """
    now = time.time()
    shift = 0.0
    if shift_to_now:
        times = (found for _, found in _read(file, "Looking", import_file.read_time) if isinstance(found, float))
        shift = int(now) - NEWEST_AGE_SECONDS - max(times, default=0.0)
    run = _Run(site.store.imports, dry_run)
    make = partial(import_file.parse_story, max_groups=site.settings.max_groups)
    for line, found in _read(file, "Importing", make):
        problem = found if isinstance(found, VotewebError) else run.take(found, shift, now + CLOCK_SKEW_SECONDS)
        if problem:
            run.bad += 1
            erase = "\r\x1b[K" if sys.stderr.isatty() else ""
            click.echo(f"{erase}{file}:{line}: {problem}", err=True)
    run.flush()
    told = f"imported {run.imported}, known {run.known}, bad {run.bad}"
    click.echo(f"{told} (dry run: nothing was written)" if dry_run else told)


def _read(file: Path, label: str, make: Callable[[import_file.ImportRow], T]) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield what :func:`rows.read` finds in *file*, under a progress bar."""
    with file.open("rb") as raw:
        # A bar is for people: nothing of it in files and pipes.
        hidden, length = not sys.stderr.isatty(), os.fstat(raw.fileno()).st_size
        stream = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")
        with click.progressbar(
            length=length, label=label, file=sys.stderr, hidden=hidden, update_min_steps=length // 200 + 1
        ) as bar:
            done = 0
            for found in import_file.read_rows(stream, file.suffix.lower(), make):
                yield found
                done, before = raw.tell(), done
                bar.update(done - before)


@dataclass
class _Run:
    """One run of the importer: the stories at hand, and how many have been which."""

    imports: Imports
    dry: bool
    imported: int = 0
    known: int = 0
    bad: int = 0

    def __post_init__(self) -> None:
        self._batch: list[Story] = []
        self._seen: set[str] = set()
        self._in_second: Counter[float] = Counter()

    def take(self, story: Story, shift: float, latest: float) -> VotewebError | None:
        """Take a story along, *shift* seconds later than it says; return what is wrong with it, if anything."""
        at = story.time + shift
        if not 0 <= at <= latest:
            return Invalid("time is in the future" if at > latest else "time is before 1970")
        if len(self._in_second) > MAX_TRACKED_SECONDS:
            self._in_second.clear()
        # Stories of one moment keep their order: each is a microsecond after the one before.
        before = self._in_second[story.time]
        self._in_second[story.time] += 1
        self._batch.append(replace(story, time=at + before / 1_000_000))
        if len(self._batch) >= IMPORT_BATCH_SIZE:
            self.flush()
        return None

    def flush(self) -> None:
        """Import the stories at hand."""
        new = self._count_new() if self.dry else self.imports.add(self._batch)
        self.imported += new
        self.known += len(self._batch) - new
        self._batch = []

    def _count_new(self) -> int:
        """Return how many of the stories at hand would be imported; a dry run alone remembers all of them."""
        digests = [story.digest for story in self._batch]
        known = self.imports.known(digests)
        new = {digest for digest, seen in zip(digests, known, strict=True) if not seen} - self._seen
        self._seen |= new
        return len(new)
