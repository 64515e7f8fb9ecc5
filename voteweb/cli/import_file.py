"""Files of an import: read the rows of a CSV or JSON Lines file, and parse the stories and comments in them."""

import csv
import io
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeVar

from voteweb.cli.output import track_file
from voteweb.core import config, links, validation
from voteweb.core.errors import ConfigError, Invalid, TooManyGroups, VotewebError
from voteweb.core.models import Draft
from voteweb.core.names import name_key
from voteweb.store.comments.imports import ImportedComment, Story


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


def read_file(
    file: Path, label: str, parse: Callable[[ImportRow], T], columns: Columns = STORY_COLUMNS
) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield the results of :func:`read_rows` for *file*, under a progress bar."""
    with file.open("rb") as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield from track_file(read_rows(text, file.suffix.lower(), parse, columns), label, stream)
