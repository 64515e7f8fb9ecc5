"""``voteweb import``: import stories of other sites from a file, in batches."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from voteweb.cli.import_comments import CommentRun
from voteweb.cli.import_file import COMMENT_COLUMNS, STORY_COLUMNS, parse_story, parse_time
from voteweb.cli.import_rows import ImportTimes, echo_error, read_file
from voteweb.cli.site import Site, with_site
from voteweb.core import clock, config, links
from voteweb.core.errors import Invalid, VotewebError
from voteweb.store.comments.imports import Imports, Story

#: Stories sent to Redis at once: enough to make round trips cheap, few enough not to delay the site's own requests.
IMPORT_BATCH_SIZE = 500
#: Seconds before now at which --shift-to-now puts the newest story.
NEWEST_AGE_SECONDS = 300


def _check_file(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    """Return *file* if it can be read, before any database is started for it; raise OSError if not."""
    if file is None:
        return None
    if file.suffix.lower() not in (".csv", ".jsonl"):
        raise click.BadParameter("the name must end in .csv or .jsonl")
    file.open("rb").close()
    return file


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path), callback=_check_file, required=False)
@click.option(
    "--comments",
    type=click.Path(path_type=Path),
    callback=_check_file,
    help="A file with comments on these stories, or on articles that are there.",
)
@click.option(
    "--shift-to-now",
    is_flag=True,
    help=f"Move all times so that the newest story or comment is {NEWEST_AGE_SECONDS // 60} minutes old.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; only count what would be imported.")
@with_site()
def import_(site: Site, file: Path | None, comments: Path | None, shift_to_now: bool, dry_run: bool) -> None:
    """Import the stories of FILE, a .csv or .jsonl, and comments.

    Columns: title, poster, time (unix seconds); optional: link, text, votes, groups. Groups are separated by spaces;
    in JSON they may be a list. Groups and posters that do not exist yet are made; posters cannot log in until
    "voteweb user password" gives them a password.

    Columns of comments: article link, n (the number of the comment below its article), text, poster, time; optional:
    parent (the n of the comment that it answers, which comes before it), votes.

    Two stories with the same link, title, poster and time are one, and two comments with the same article link and n:
    importing them again adds nothing. A row with an error is reported and left out.
    """
    if not file and not comments:
        raise click.UsageError("Name a FILE of stories, or one of comments with --comments.")
    now = clock.now()
    shift, latest = 0.0, now + config.CLOCK_SKEW_SECONDS
    if shift_to_now:
        files = [(file, STORY_COLUMNS), (comments, COMMENT_COLUMNS)]
        read = (
            result
            for source, columns in files
            if source
            for _, result in read_file(source, "Reading times", parse_time, columns)
            if isinstance(result, float)
        )
        shift = int(now) - NEWEST_AGE_SECONDS - max(read, default=0.0)
    stories = _ImportRun(site.store.imports, ImportTimes(latest, shift), dry_run)
    if file:
        parse = partial(parse_story, max_groups=site.settings.max_groups)
        for line, result in read_file(file, "Importing", parse):
            error = result if isinstance(result, VotewebError) else stories.add(result)
            if error:
                stories.bad += 1
                echo_error(file, line, error)
        stories.flush()
        _echo_summary("", stories, dry_run)
    if comments:
        times = ImportTimes(latest, shift)
        run = CommentRun(site.store.imports, times, comments, dry_run, stories.links)
        run.read()
        _echo_summary("comments: ", run, dry_run)


def _echo_summary(what: str, run: "_ImportRun | CommentRun", dry_run: bool) -> None:
    summary = f"{what}imported {run.imported}, known {run.known}, bad {run.bad}"
    click.echo(f"{summary} (dry run: nothing was written)" if dry_run else summary)


@dataclass
class _ImportRun:
    """A run of the importer: the stories of the current batch, and the counts so far.

    ``links`` are the digests of the links that a dry run has met.
    """

    imports: Imports
    times: ImportTimes
    dry_run: bool
    imported: int = 0
    known: int = 0
    bad: int = 0

    def __post_init__(self) -> None:
        self._batch: list[Story] = []
        self._dry_run_digests: set[str] = set()
        self.links: set[str] = set()

    def add(self, story: Story) -> VotewebError | None:
        """Add *story* to the batch, with its time moved; return an error if that is no time for it."""
        published = self.times.move(story.time)
        if isinstance(published, Invalid):
            return published
        self._batch.append(replace(story, time=published))
        if self.dry_run and story.draft.link:
            self.links.add(links.digest(story.draft.link))
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
