"""The rows of a file to import: CSV or JSON Lines in, checked stories or the reason against them out."""

import csv
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain
from typing import Any, TextIO, TypeVar

from voteweb.core import config, validation
from voteweb.core.errors import ConfigError, Invalid, TooManyGroups, VotewebError
from voteweb.core.models import Draft
from voteweb.store.imports import Story

COLUMNS = ("title", "link", "text", "poster", "time", "votes", "groups")
REQUIRED = ("title", "poster", "time")
#: More votes than there are people would be a slip, and scores must stay exact.
MAX_VOTES = 1_000_000_000
#: Unix seconds of the year 10,000: what lies beyond is in milliseconds.
MAX_TIME = 253_402_300_800

T = TypeVar("T")
ImportRow = Mapping[str, Any]
_Row = tuple[int, ImportRow | VotewebError]


def read_rows(stream: TextIO, suffix: str, make: Callable[[ImportRow], T]) -> Iterator[tuple[int, T | VotewebError]]:
    """Yield the line of every row of *stream* and what *make* makes of it, or what is wrong with it.

    *suffix* is ``.csv`` or ``.jsonl``; bytes that are no UTF-8 come as lone surrogates. Raises ConfigError for
    a header that is none of ours.
    """
    for line, record in _csv(stream) if suffix == ".csv" else _jsonl(stream):
        try:
            yield line, record if isinstance(record, VotewebError) else make(record)
        except VotewebError as problem:
            yield line, problem


def _csv(stream: TextIO) -> Iterator[_Row]:
    reader = csv.reader(stream)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
    except csv.Error:
        header = []
    if not set(REQUIRED) <= set(header) <= set(COLUMNS) or len(set(header)) < len(header):
        raise ConfigError("The header must name some of %(columns)s; each once.", columns=", ".join(COLUMNS))
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            yield line, Invalid("%(problem)s", problem=problem)
            continue
        if not row:
            continue
        if not _is_text("".join(row)):
            yield line, Invalid("is not UTF-8")
        elif len(row) != len(header):
            yield line, Invalid("has %(count)s columns instead of %(want)s", count=len(row), want=len(header))
        else:
            yield line, dict(zip(header, row, strict=True))


def _jsonl(stream: TextIO) -> Iterator[_Row]:
    for line, source in enumerate(stream, 1):
        if not source.strip():
            continue
        if not _is_text(source):
            yield line, Invalid("is not UTF-8")
            continue
        try:
            record = json.loads(source)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            yield line, Invalid("is no JSON object")
        elif unknown := set(record) - set(COLUMNS):
            yield line, Invalid("has an unknown field: %(name)r", name=min(unknown))
        else:
            yield line, record


def read_time(record: ImportRow) -> float:
    """Return the time of *record* in unix seconds; raise Invalid when it has none."""
    return _time(record.get("time"))


def parse_story(record: ImportRow, max_groups: int) -> Story:
    """Return the story that *record* tells; raise Invalid, or TooManyGroups for more than *max_groups*."""
    words = {name: _word(record, name) for name in ("title", "link", "text", "poster")}
    title = _title(words["title"])
    link, text = validation.link(words["link"]), validation.text(words["text"])
    poster = validation.member_name(words["poster"])
    time = read_time(record)
    groups = _groups(record.get("groups"))
    if len(groups) > max_groups:
        raise TooManyGroups(max=max_groups)
    votes = _votes(record.get("votes"))
    return Story(Draft(title, link, text, groups), poster, time, votes, digest(link, title, poster, time))


def digest(link: str, title: str, poster: str, time: float) -> str:
    """Return what tells a story from all others: 16 bytes of a hash, in 22 characters."""
    told = "\0".join((link, title, poster.lower(), f"{time:.6f}"))
    return urlsafe_b64encode(blake2b(told.encode(), digest_size=16).digest()).decode().rstrip("=")


def _word(record: ImportRow, name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Invalid("%(name)s is no text", name=name)
    return value


def _title(typed: str) -> str:
    """Return a title as our own form would take it, or a shorter one: "27" and "C#" are stories too."""
    cleaned = validation.clean_line(typed)
    if 0 < len(cleaned) < config.MIN_TITLE_LENGTH and any(map(str.isalnum, cleaned)):
        return cleaned
    return validation.title(typed)


def _time(value: Any) -> float:
    number = -1.0
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}(\.[0-9]*)?", value.strip(), re.ASCII):
        number = float(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = value
    if not 0 <= number < MAX_TIME:  # which NaN is not
        raise Invalid("time is not in unix seconds")
    return float(number)


def _votes(value: Any) -> int:
    if value is None or value == "":
        return 1
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value.strip(), re.ASCII):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_VOTES:
        raise Invalid("votes is no whole number from 0 to %(max)s", max=MAX_VOTES)
    return value


def _groups(value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value or ""]
    if not all(isinstance(name, str) for name in names):
        raise Invalid("groups is no list of names")
    parted = chain.from_iterable(name.split() for name in names)
    return tuple(dict.fromkeys(validation.group_name(name) for name in parted))


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
