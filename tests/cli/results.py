"""Read the results of commands, and the files that they write."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from click.testing import Result

from tests.store.examination import snapshot
from voteweb.core.models import Article, LogEntry, Order, Page
from voteweb.store import Store


def error_line(result: Result) -> str:
    """Return the line on standard error with which a command failed, its only one."""
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("Error: ")


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
    pipeline = store.pipeline()
    page = store.listings.queue_page(pipeline, store.rankings.site(Order.TIME), 1)
    pipeline.execute()
    return page.result


def log_entries(store: Store) -> list[LogEntry]:
    """Return the entries of the moderation log, oldest first."""
    pipeline = store.pipeline()
    page = store.log.queue_page(pipeline, 1)
    pipeline.execute()
    return list(reversed(page.result.rows))


def lasting(store: Store) -> dict[str, Any]:
    """Return everything in the database that a backup has: all but the numbers of each day, and what indexes follow."""
    left_out = ("stats:", "changes:", "search:", "backup:")
    return {key: content for key, content in snapshot(store).items() if not key.startswith(left_out)}
