"""Read the results of commands, and the files that they write."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from click.testing import Result

from voteweb.core.models import Article, LogEntry, Order, Page
from voteweb.store import Store


def error_line(result: Result) -> str:
    """Return the line on standard error with which a command failed, its only one."""
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("Error: ")


def output(result: Result) -> str:
    """Return what a command printed that succeeded without a warning."""
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def read_backup(file: Path) -> list[dict[str, Any]]:
    """Return the lines of a backup."""
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def write_backup(file: Path, lines: list[dict[str, Any]]) -> None:
    """Write a backup of *lines*, whose last one gets the right checksum."""
    *records, end = lines
    texts = [json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for record in records]
    end = end | {"sha256": sha256(b"".join(texts)).hexdigest()}
    file.write_bytes(gzip.compress(b"".join([*texts, json.dumps(end).encode() + b"\n"])))


def newest_articles(store: Store) -> Page[Article]:
    """Return the first page of the newest articles."""
    return store.read(store.listings.queue_page, store.rankings.site(Order.TIME), 1)


def log_entries(store: Store) -> list[LogEntry]:
    """Return the entries of the moderation log, oldest first."""
    return list(reversed(store.read(store.log.queue_page, 1).rows))
