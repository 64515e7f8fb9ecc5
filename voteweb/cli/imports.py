"""``voteweb import``: import stories and comments of other sites from CSV or JSON Lines files, in batches."""

import csv
import io
import json
import re
import sys
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeVar

import click

from voteweb.cli import html_rows
from voteweb.cli.output import track_file
from voteweb.cli.site import Site, with_site
from voteweb.core import clock, config, links, validation
from voteweb.core.errors import ConfigError, Invalid, TooManyGroups, VotewebError
from voteweb.core.models import Draft
from voteweb.core.names import name_key
from voteweb.store.comments.imports import ImportedComment, Imports, Story
from voteweb.store.scan.scanner import batched


class Columns(NamedTuple):
    """The columns that a file may have, and those of them that it must have."""

    all: tuple[str, ...]
    required: tuple[str, ...]


STORY_COLUMNS = Columns(("title", "link", "text", "poster", "time", "votes", "groups"), ("title", "poster", "time"))
COMMENT_COLUMNS = Columns(
    ("article link", "n", "parent", "text", "poster", "time", "votes"), ("article link", "n", "text", "poster", "time")
)

#: Numbers of comments in a file: other sites count all their comments together.
MAX_NUMBER = 10**15
#: A lone surrogate, which stands for a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\ud800-\udfff]")

T = TypeVar("T")
ImportRow = Mapping[str, Any]
_NumberedRow = tuple[int, ImportRow | VotewebError]


def read_rows(
    stream: TextIO, suffix: str, parse: Callable[[ImportRow], T], columns: Columns = STORY_COLUMNS
) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield the line number of every row of *stream*, and what *parse* returns for the row or its error.

    *suffix* is ``.csv`` or ``.jsonl``; *stream* has bytes that are not UTF-8 as lone surrogates. Raises ConfigError
    for an invalid header.
    """
    for line, row in (_read_csv if suffix == ".csv" else _read_jsonl)(stream, columns):
        try:
            yield line, row if isinstance(row, VotewebError) else parse(row)
        except VotewebError as error:
            yield line, error


def _read_csv(stream: TextIO, columns: Columns) -> Iterator[_NumberedRow]:
    reader = csv.reader(stream)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
    except csv.Error:
        header = []
    if not set(columns.required) <= set(header) <= set(columns.all) or len(set(header)) < len(header):
        raise ConfigError(
            "The header must have %(required)s, and may have only %(columns)s, each once.",
            columns=", ".join(columns.all),
            required=", ".join(columns.required),
        )
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, Invalid("%(error)s", error=error)
            continue
        if not cells:
            continue
        if _NOT_UTF8.search("".join(cells)):
            yield line, Invalid("is not UTF-8")
        elif len(cells) != len(header):
            yield line, Invalid("has %(count)s columns instead of %(expected)s", count=len(cells), expected=len(header))
        else:
            yield line, dict(zip(header, cells, strict=True))


def _read_jsonl(stream: TextIO, columns: Columns) -> Iterator[_NumberedRow]:
    for line, source in enumerate(stream, 1):
        if not source.strip():
            continue
        if _NOT_UTF8.search(source):
            yield line, Invalid("is not UTF-8")
            continue
        try:
            row = json.loads(source)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            yield line, Invalid("is not a JSON object")
        elif unknown := set(row) - set(columns.all):
            yield line, Invalid("has an unknown field: %(name)r", name=min(unknown))
        else:
            yield line, row


def _number(row: ImportRow, name: str) -> int | float | None:
    """Return the number in a column of *row*, which may be a text of digits; None for anything else."""
    value = row.get(name)
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}(\.[0-9]*)?", value.strip(), re.ASCII):
        value = float(value) if "." in value else int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def parse_time(row: ImportRow) -> float:
    """Return the time of *row* in unix seconds; raise Invalid if it has none."""
    time = _number(row, "time")
    if time is None or not 0 <= time < config.MAX_IMPORTED_TIME:  # False for NaN
        raise Invalid("time must be in unix seconds")
    return float(time)


def parse_story(row: ImportRow, max_groups: int) -> Story:
    """Return the story in *row*; raise Invalid, or TooManyGroups for more than *max_groups*."""
    title = _parse_title(parse_text(row, "title"))
    typed = parse_text(row, "link").strip()
    link, text = validation.link(typed), validation.text(parse_text(row, "text"))
    poster = validation.member_name(parse_text(row, "poster"))
    time = parse_time(row)
    groups = _parse_groups(row.get("groups"))
    if len(groups) > max_groups:
        raise TooManyGroups(max=max_groups)
    votes = parse_count(row, "votes", default=1)
    return Story(Draft(title, link, text, groups), poster, time, votes, digest(typed, title, poster, time))


def parse_comment(row: ImportRow) -> tuple[str, ImportedComment]:
    """Return the digest of the link of the article in *row*, and the comment, without its article; raise Invalid."""
    link = parse_link(row)
    text = validation.comment(parse_text(row, "text"))
    poster = validation.member_name(parse_text(row, "poster"))
    number, parent = (parse_count(row, name, default=0, max=MAX_NUMBER) for name in ("n", "parent"))
    if not number:
        raise Invalid("n must be a whole number from 1 to %(max)s", max=MAX_NUMBER)
    if parent == number:
        raise Invalid("answers itself")
    votes = parse_count(row, "votes", default=0)
    digest = digest_of("comment", link, str(number))
    parent_digest = digest_of("comment", link, str(parent)) if parent else ""
    return link, ImportedComment(0, text, poster, parse_time(row), votes, digest, parent_digest)


def parse_link(row: ImportRow) -> str:
    """Return the digest of the link of the article in *row*; raise Invalid."""
    link = validation.link(parse_text(row, "article link"))
    if not link:
        raise Invalid("article link is missing")
    return links.digest(link)


def digest(link: str, title: str, poster: str, time: float) -> str:
    """Return the digest that identifies a story by its *link* as the file has it: versions may store another."""
    return digest_of(link, title, name_key(poster), f"{time:.6f}")


def digest_of(*values: str) -> str:
    """Return the digest of *values*: 16 bytes of a hash, in 22 characters."""
    identity = "\0".join(values)
    return urlsafe_b64encode(blake2b(identity.encode(), digest_size=16).digest()).decode().rstrip("=")


def parse_text(row: ImportRow, name: str) -> str:
    """Return the text in a column of *row*, "" if there is none; raise Invalid for another value."""
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Invalid("%(name)s must be a text", name=name)
    return value


def _parse_title(typed: str) -> str:
    """Return a title that the site's form accepts, or a shorter one such as "7"."""
    cleaned = validation.clean_line(typed, config.MAX_TITLE_LENGTH)
    if 0 < len(cleaned) < config.MIN_TITLE_LENGTH and any(map(str.isalnum, cleaned)):
        return cleaned
    validation.title(cleaned.replace(validation.UNREADABLE, "?"))
    return cleaned


def parse_count(row: ImportRow, name: str, *, default: int, max: int = config.MAX_IMPORTED_VOTES) -> int:
    """Return the whole number in a column of *row*, *default* if there is none; raise Invalid for another value."""
    if row.get(name) in (None, ""):
        return default
    value = _number(row, name)
    if not isinstance(value, int) or not 0 <= value <= max:
        raise Invalid("%(name)s must be a whole number from 0 to %(max)s", name=name, max=max)
    return value


def _parse_groups(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value or ""]
    if not all(isinstance(item, str) for item in items):
        raise Invalid("groups must be a list of names")
    names = chain.from_iterable(item.split() for item in items)
    return tuple(dict.fromkeys(validation.group_name(name) for name in names))


def read_file(
    file: Path, label: str, parse: Callable[[ImportRow], T], columns: Columns
) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield the results of :func:`read_rows` for *file*, under a progress bar."""
    with file.open("rb") as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield from track_file(read_rows(text, file.suffix.lower(), parse, columns), label, stream)


#: Seconds before now at which --shift-to-now puts the newest story.
NEWEST_AGE_SECONDS = 300


def _check_file(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    """Return *file* if it can be read, before any database is started for it; raise OSError if not."""
    if file:
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
@click.option("--html", is_flag=True, help="The fields are HTML, as in dumps of Hacker News.")
@click.option("--dry-run", is_flag=True, help="Write nothing; only count what would be imported.")
@with_site()
def import_(
    site: Site, file: Path | None, comments: Path | None, shift_to_now: bool, html: bool, dry_run: bool
) -> None:
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
    shift = 0.0
    if shift_to_now:
        newest = max(_newest_time(file, STORY_COLUMNS), _newest_time(comments, COMMENT_COLUMNS))
        shift = int(clock.now()) - NEWEST_AGE_SECONDS - newest
    run = ImportRun(site.store.imports, shift, dry_run, html=html)
    if file:
        run.add_stories(file, site.settings.max_groups)
    if comments:
        run.add_comments(comments)


def _newest_time(file: Path | None, columns: Columns) -> float:
    """Return the time of the newest row of a *file*, 0 if there is none."""
    rows = read_file(file, "Reading times", parse_time, columns) if file else iter(())
    return max((time for _, time in rows if isinstance(time, float)), default=0.0)


Row = TypeVar("Row", Story, ImportedComment)

#: Rows sent to Redis at once: enough to make round trips cheap, few enough not to delay the site's own requests.
BATCH_SIZE = 500
#: The message about a row that the store refused, by its answer.
REFUSALS = {
    "no-parent": "answers a comment that was not imported before it",
    "parent-gone": "answers a comment that was deleted or removed",
    "too-deep": f"is a reply on level {config.MAX_COMMENT_LEVEL + 1}: no conversation is deeper than"
    f" {config.MAX_COMMENT_LEVEL}",
    "full": f"is one too many: a conversation takes {config.MAX_COMMENTS:,} comments",
    "gone": "its article was deleted or removed",
    "unknown": "its article has just been deleted",
}


class ImportRun:
    """A run of the importer, which moves all times by *shift* seconds; a dry run only counts.

    *html*: the fields of the files are HTML. Else a file of which that could be said is named in a warning.
    """

    def __init__(self, imports: Imports, shift: float, dry_run: bool, *, html: bool) -> None:
        self._imports, self._shift, self._dry_run, self._html = imports, shift, dry_run, html
        self._warned = set[Path]()
        self._latest = clock.now() + config.CLOCK_SKEW_SECONDS
        #: The digests of the rows, and of the links of the stories, that a dry run did not write.
        self._met, self._new_links = set[str](), set[str]()

    def add_stories(self, file: Path, max_groups: int) -> None:
        """Import the stories of *file*."""

        def parse(row: ImportRow) -> Story:
            story = self._move(parse_story(row, max_groups))
            if self._dry_run and story.draft.link:
                self._new_links.add(links.digest(story.draft.link))
            return story

        self._add(self._read(file, "Importing", parse, STORY_COLUMNS), self._imports.add, file)

    def add_comments(self, file: Path) -> None:
        """Import the comments of *file*, and put them into the lists where they belong."""
        wanted = (link for _, link in self._read(file, "Reading links", parse_link, COMMENT_COLUMNS))
        articles = self._imports.find_articles(link for link in wanted if isinstance(link, str))
        posters: set[str] = set()

        def parse(row: ImportRow) -> ImportedComment:
            link, comment = parse_comment(row)
            posters.add(name_key(comment.poster))
            if link not in articles and link not in self._new_links:
                raise Invalid("no article here has this link")
            return self._move(replace(comment, article=articles.get(link, 0)))

        rows = self._read(file, "Importing comments", parse, COMMENT_COLUMNS)
        self._add(rows, self._imports.add_comments, file, "comments: ")
        if not self._dry_run:
            self._imports.order_lists(sorted(posters), sorted(set(articles.values())))

    def _read(
        self, file: Path, label: str, parse: Callable[[ImportRow], T], columns: Columns
    ) -> Iterator[tuple[int, T | VotewebError]]:
        """Yield the results of :func:`read_file`."""

        def parse_row(row: ImportRow) -> T:
            if self._html:
                return parse(html_rows.decoded(row))
            if file not in self._warned and (example := html_rows.html_in(row)):
                self._warned.add(file)
                _print(f"{file} looks like HTML: it has {example}. Stop and import such a dump with --html.")
            return parse(row)

        return read_file(file, label, parse_row, columns)

    def _move(self, row: Row) -> Row:
        """Return *row* with its time moved; raise Invalid if that is no time for a row."""
        moved = row.time + self._shift
        if not 0 <= moved <= self._latest:
            raise Invalid("time is in the future" if moved > self._latest else "time is before 1970")
        return replace(row, time=moved)

    def _add(
        self,
        rows: Iterable[tuple[int, Row | VotewebError]],
        send: Callable[[Sequence[Row]], Sequence[str]],
        file: Path,
        what: str = "",
    ) -> None:
        """Import *rows*, which have the numbers of their lines in *file*, in batches that *send* returns the fate of.

        Prints the fault of each bad row, and in the end how many rows, of *what*, were imported, known or bad.
        """
        counts: Counter[str] = Counter()

        def warn(line: int, fault: object) -> None:
            _print(f"{file}:{line}: {fault}")

        def refuse(line: int, error: object) -> None:
            counts["bad"] += 1
            warn(line, error)

        def good() -> Iterator[tuple[int, Row]]:
            for line, row in rows:
                if isinstance(row, VotewebError):
                    refuse(line, row)
                    continue
                if isinstance(row, Story) and validation.UNREADABLE in row.draft.title:
                    warn(line, f"its title has characters that were lost ({validation.UNREADABLE}): it is imported so")
                yield line, row

        for batch in batched(good(), BATCH_SIZE):
            answers = (self._check if self._dry_run else send)([row for _, row in batch])
            for (line, _), answer in zip(batch, answers, strict=True):
                if answer in REFUSALS:
                    refuse(line, REFUSALS[answer])
                else:
                    counts[answer] += 1
        summary = what + ", ".join(f"{name} {counts[name]}" for name in ("imported", "known", "bad"))
        click.echo(f"{summary} (dry run: nothing was written)" if self._dry_run else summary)

    def _check(self, rows: Sequence[Row]) -> list[str]:
        """Return what would become of *rows*."""
        parents = [row.parent_digest if isinstance(row, ImportedComment) else "" for row in rows]
        known, has_parent = (self._imports.known(digests) for digests in ([row.digest for row in rows], parents))
        answers: list[str] = []
        for row, is_known, parent, is_there in zip(rows, known, parents, has_parent, strict=True):
            if is_known or row.digest in self._met:
                answers.append("known")
            elif parent and not is_there and parent not in self._met:
                answers.append("no-parent")
            else:
                self._met.add(row.digest)
                answers.append("imported")
        return answers


def _print(message: str) -> None:
    """Print *message* in place of the progress bar."""
    erase_bar = "\r\x1b[K" if sys.stderr.isatty() else ""
    click.echo(f"{erase_bar}{message}", err=True)
