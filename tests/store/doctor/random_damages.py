"""Random damages of a busy site, what the doctor says of each, and what a repair leaves.

The site and the damages were drawn once and are kept in files, in terms of keys, commands and texts, so that another
doctor can be judged by them. ``python -m tests.store.doctor.random_damages`` writes the answers anew: review every line
that differs, since each is a change of what operators see.
"""

import json
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.conftest import private_server
from tests.store.backup.busy_site import SETTINGS
from tests.store.examination import run, snapshot
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.doctor import Doctor, Finding
from voteweb.store.migrations import Migrations

SITE, ANSWERS = Path(__file__).with_name("random_site.jsonl"), Path(__file__).with_suffix(".jsonl")
#: How many damages there are.
DAMAGES = 300
#: Lines that an answer may have before its rest is kept as a checksum.
MOST_LINES = 8
#: Keys that are about the index of search.
OF_SEARCH = {"search:", "changes:"}
#: How the text begins that the doctor has failed.
FAILED = "the doctor fails with"
#: A unix time, whole or with a fraction, between 2023 and 2030.
TIME = re.compile(r"(?<![\w.])1[78]\d{8}(?!\w)")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
#: The nouns whose members are large numbers that are no times.
WITHOUT_TIMES = {"imported", "voted-comments"}
WRITES = {"hash": "HSET", "set": "SADD", "zset": "ZADD", "list": "RPUSH", "string": "SET", "bits": "SET"}

Command = list[str | int]


@contextmanager
def open_site() -> Iterator[Store]:
    """Yield a store on a server of its own."""
    with private_server("valkey") as url:
        store = open_store(replace(Settings(redis_url=url, redis_deadline=10.0), **SETTINGS))
        Migrations(store.context).state()
        yield store
        store.connection.close()


def restore_site(store: Store) -> None:
    """Write the site of the file into the empty database, as if it had been built now."""
    lines = _lines_of(SITE)
    by_time = json.loads(next(line for line in lines if line.startswith('["time:"')))[2]
    newest = max(published for _, published in by_time)
    shift = int(time.time()) - int(newest)
    if (newest + shift) % 86_400 < 180:  # all of its days stay whole
        shift -= 180
    days = timedelta(days=int((newest + shift) // 86_400) - int(newest // 86_400))
    with store.connection.client.pipeline(transaction=False) as pipeline:
        pipeline.flushall()
        for line in lines:
            noun = line[2 : line.index(":")]
            if noun not in WITHOUT_TIMES:
                line = TIME.sub(lambda found: str(int(found[0]) + shift), line)
            line = DAY.sub(lambda day: str(date.fromisoformat(day[0]) + days), line)
            key, kind, items, expires = json.loads(line)
            pipeline.execute_command(WRITES[kind], key, *_arguments(noun, kind, items, shift))
            if expires > 0:
                pipeline.pexpireat(key, expires + 1000 * shift)
        pipeline.execute()


def _lines_of(file: Path) -> list[str]:
    return file.read_text().rstrip("\n").split("\n")  # a text may have other ends of lines


def _arguments(noun: str, kind: str, items: Any, shift: int) -> list[Any]:
    if kind in {"string", "bits"}:
        return [bytes.fromhex(items) if kind == "bits" else items]
    if kind == "hash":
        return [part for field in items.items() for part in field]
    if kind == "zset":
        # A rank by votes has a time in its lower half.
        more = shift if noun.startswith("top") else 0
        return [part for member, rank in items for part in (rank + (more if rank >= 2**32 else 0), member)]
    return list(items)


def judged(store: Store, damage: list[Command]) -> dict[str, Any]:
    """Damage the restored site, examine and repair it; return what the doctor said, still says, and what differs now.

    The answer to a damage that changes nothing is empty.
    """
    restore_site(store)
    today, before = _today(store), snapshot(store)
    for command in damage:
        run(store, *(_with_days(part, today) for part in command))
    if snapshot(store) == before:
        return {}
    findings = _texts(Doctor(store.context).examine(), today)
    # What a repair leaves, it has found by examining once more. Where nothing was found, it would find nothing.
    repairs = Doctor(store.context).repair() if findings else iter([])
    rest = _texts((finding for finding, is_repaired in repairs if not is_repaired), today)
    if failure := [line for line in rest if line.startswith(FAILED)]:
        rest = [*_texts(Doctor(store.context).examine(), today), *failure]
    after = snapshot(store)
    differences = {
        _without_times(key, today): _shortened(lines)
        for key in sorted((before.keys() | after.keys()) - OF_SEARCH)
        if (lines := _difference(before.get(key), after.get(key), today))
    }
    return {
        "damage": damage,
        "findings": _shortened(findings),
        "rest": _shortened(rest),
        "differences": dict(list(differences.items())[:MOST_LINES]),
        "keys": len(differences),
    }


def _texts(findings: Iterator[Finding], today: date) -> list[str]:
    """Return *findings* as text; that the doctor fails at a damage, which it should not, is the last of them."""
    texts = []
    try:
        for finding in findings:
            texts.append(_without_times(f"{finding.key}: {finding.what}", today))
    except Exception as error:
        texts.append(f"{FAILED} {type(error).__name__}")
    return texts


def read_file() -> list[dict[str, Any]]:
    """Return the damages with their answers."""
    return [json.loads(line) for line in _lines_of(ANSWERS)]


def _today(store: Store) -> date:
    """Return the day of the newest article."""
    (_, newest), *_ = run(store, "ZREVRANGE", "time:", 0, 0, "WITHSCORES")
    return datetime.fromtimestamp(newest, UTC).date()


def _with_days(part: str | int, today: date) -> str:
    return re.sub(r"DAY-(\d+)", lambda ago: str(today - timedelta(days=int(ago[1]))), str(part))


def _without_times(text: str, today: date) -> str:
    """Return *text* with one name for all times and for ranks that contain one, and days told from today."""
    text = DAY.sub(lambda day: f"DAY-{(today - date.fromisoformat(day[0])).days}", text)
    text = re.sub(r"\d{10,}(\.\d+)?", "TIME", text)
    return re.sub(r"in \d+ seconds", "in N seconds", text)


def _shortened(lines: list[str]) -> list[str]:
    lines = sorted(lines)
    if len(lines) <= MOST_LINES:
        return lines
    rest = zlib.crc32("\n".join(lines).encode())
    return [*lines[: MOST_LINES // 2], f"{len(lines)} lines, {rest:08x}"]


def _difference(before: Any, after: Any, today: date) -> list[str]:
    """Return what a key lost ("-") and got ("+"): fields, members, items, and whether it expires."""
    if before == after:
        return []
    old, new = _lines(before), _lines(after)
    lost, got = ([line for line in some if line not in other] for some, other in ((old, new), (new, old)))
    lines = [f"-{line}" for line in lost] + [f"+{line}" for line in got] or ["in another order"]
    return [_without_times(line, today) for line in lines]


def _lines(value: Any) -> list[str]:
    if value is None:
        return ["nothing"]
    kind, content, expires = value
    items = content.items() if kind == "hash" else content if kind in {"set", "zset", "list"} else [content]
    texts = [" ".join(map(str, item)) if isinstance(item, (tuple, list)) else str(item) for item in items]
    revisions = [text for text in texts if not (kind == "hash" and text.startswith("rev "))]
    return [*revisions, f"expires {expires}"]


def main() -> None:
    with open_site() as store:
        rows = [judged(store, row["damage"]) for row in read_file()]
    ANSWERS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


if __name__ == "__main__":
    main()
