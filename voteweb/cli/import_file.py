"""Files of an import: parse the rows of a CSV or JSON Lines file, move their times, and send them in batches."""

import csv
import io
import json
import re
import sys
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, Generic, NamedTuple, TextIO, TypeVar

import click

from voteweb.cli.output import track_file
from voteweb.core import config, validation
from voteweb.core.errors import ConfigError, Invalid, TooManyGroups, VotewebError
from voteweb.core.models import Draft
from voteweb.core.names import name_key
from voteweb.store.comments.imports import ImportedComment, Imports, Story


class Columns(NamedTuple):
    """The columns that a file may have, and those of them that it must have."""

    all: tuple[str, ...]
    required: tuple[str, ...]


STORY_COLUMNS = Columns(("title", "link", "text", "poster", "time", "votes", "groups"), ("title", "poster", "time"))
COMMENT_COLUMNS = Columns(
    ("article link", "n", "parent", "text", "poster", "time", "votes"), ("article link", "n", "text", "poster", "time")
)

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
        if not _is_utf8("".join(cells)):
            yield line, Invalid("is not UTF-8")
        elif len(cells) != len(header):
            yield line, Invalid("has %(count)s columns instead of %(expected)s", count=len(cells), expected=len(header))
        else:
            yield line, dict(zip(header, cells, strict=True))


def _read_jsonl(stream: TextIO, columns: Columns) -> Iterator[_NumberedRow]:
    for line, source in enumerate(stream, 1):
        if not source.strip():
            continue
        if not _is_utf8(source):
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


def parse_time(row: ImportRow) -> float:
    """Return the time of *row* in unix seconds; raise Invalid if it has none."""
    value, time = row.get("time"), -1.0
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}(\.[0-9]*)?", value.strip(), re.ASCII):
        time = float(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        time = value
    if not 0 <= time < config.MAX_IMPORTED_TIME:  # False for NaN
        raise Invalid("time must be in unix seconds")
    return float(time)


def parse_story(row: ImportRow, max_groups: int) -> Story:
    """Return the story in *row*; raise Invalid, or TooManyGroups for more than *max_groups*."""
    title = _parse_title(parse_text(row, "title"))
    link, text = validation.link(parse_text(row, "link")), validation.text(parse_text(row, "text"))
    poster = validation.member_name(parse_text(row, "poster"))
    time = parse_time(row)
    groups = _parse_groups(row.get("groups"))
    if len(groups) > max_groups:
        raise TooManyGroups(max=max_groups)
    votes = parse_count(row, "votes", default=1)
    return Story(Draft(title, link, text, groups), poster, time, votes, digest(link, title, poster, time))


def digest(link: str, title: str, poster: str, time: float) -> str:
    """Return the digest that identifies a story."""
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
    """Return a title that the site's form accepts, or a shorter one such as "27" or "C#"."""
    cleaned = validation.clean_line(typed, config.MAX_TITLE_LENGTH)
    if 0 < len(cleaned) < config.MIN_TITLE_LENGTH and any(map(str.isalnum, cleaned)):
        return cleaned
    return validation.title(typed)


def parse_count(row: ImportRow, name: str, *, default: int, max: int = config.MAX_IMPORTED_VOTES) -> int:
    """Return the whole number in a column of *row*, *default* if there is none; raise Invalid for another value."""
    value = row.get(name)
    if value is None or value == "":
        return default
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value.strip(), re.ASCII):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= max:
        raise Invalid("%(name)s must be a whole number from 0 to %(max)s", name=name, max=max)
    return value


def _parse_groups(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value or ""]
    if not all(isinstance(item, str) for item in items):
        raise Invalid("groups must be a list of names")
    names = chain.from_iterable(item.split() for item in items)
    return tuple(dict.fromkeys(validation.group_name(name) for name in names))


def _is_utf8(text: str) -> bool:
    """Tell whether *text* has no lone surrogates, which stand for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


Row = TypeVar("Row", Story, ImportedComment)

#: Rows sent to Redis at once: enough to make round trips cheap, few enough not to delay the site's own requests.
BATCH_SIZE = 500
#: Distinct times for which the number of rows is remembered, so that memory is bounded.
MAX_TRACKED_SECONDS = 100_000
#: The message about a row that the store refused, by its answer.
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
    """Print the fault of a line of *file*, in place of the progress bar."""
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
        """Count a bad row and print its fault."""
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
