"""Random damages of a busy site, what the doctor says of each, and what a repair leaves.

The site and the damages are kept in files, in terms of keys, commands and texts, so that another doctor can be judged
by them. ``python -m tests.store.doctor.random_damages`` writes both anew: review every line that differs, since each is
a change of what operators see.
"""

import json
import random
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from tests import factories
from tests.conftest import private_server
from tests.store.backup.busy_site import SETTINGS, build_site
from tests.store.examination import run, snapshot
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.doctor import Doctor, Finding
from voteweb.store.migrations import Migrations

SITE, ANSWERS = Path(__file__).with_name("random_site.jsonl"), Path(__file__).with_suffix(".jsonl")
SEED, DAMAGES = 1, 300
#: Lines that an answer may have before its rest is kept as a checksum.
MOST_LINES = 8
#: Keys that are about the index of search, and all that are not damaged.
OF_SEARCH = {"search:", "changes:"}
LEFT_OUT = OF_SEARCH | {"schema:"}
#: Values that a program with a fault may leave in any field, member or string.
NONSENSE = ("", "nonsense", "0", "-1", "1.5", "999999", "inf", "article:9999", "ghost")
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


def write_site(store: Store) -> None:
    """Build a busy site and write its file: a line for each key."""
    build_site(store)
    store.sessions.open(factories.user(store, "bob"), "a-token")
    lines = []
    for key, (kind, content, expires) in sorted(snapshot(store).items()):
        if isinstance(content, bytes):
            kind, content = "bits", content.hex()
        items = sorted(content) if isinstance(content, set) else content
        if key not in OF_SEARCH:
            lines.append(json.dumps([key, kind, items, expires], ensure_ascii=False) + "\n")
    SITE.write_text("".join(lines))


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


def _without_days(text: str, today: date) -> str:
    return DAY.sub(lambda day: f"DAY-{(today - date.fromisoformat(day[0])).days}", text)


def _with_days(part: str | int, today: date) -> str:
    return re.sub(r"DAY-(\d+)", lambda ago: str(today - timedelta(days=int(ago[1]))), str(part))


def _without_times(text: str, today: date) -> str:
    """Return *text* with one name for all times and for ranks that contain one, and days told from today."""
    text = re.sub(r"\d{10,}(\.\d+)?", "TIME", _without_days(text, today))
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


class Damages:
    """Draws damages of one site at random: each kind of key as often as another."""

    def __init__(self, store: Store) -> None:
        self._today, site = _today(store), snapshot(store)
        self._keys: dict[str, list[str]] = {}
        for key in sorted(site.keys() - LEFT_OUT):
            self._keys.setdefault(key.partition(":")[0], []).append(key)
        self._site = site
        self._chance = random.Random(SEED)

    def draw(self) -> list[Command]:
        """Return the commands of a damage, which may happen to change nothing."""
        chance = self._chance
        noun = chance.choice(list(self._keys))
        key = chance.choice(self._keys[noun])
        kind, content, expires = self._site[key]
        if chance.random() < 0.3:
            commands = self._to_key(noun, key, is_kept=expires == -1)
        else:
            commands = [getattr(self, f"_to_{kind}")(key, noun, content)]
        return [[_without_days(str(part), self._today) for part in command] for command in commands]

    def _to_key(self, noun: str, key: str, *, is_kept: bool) -> list[Command]:
        others = [other for other in self._keys[noun] if other != key]
        other = self._chance.choice([*others, f"{noun}:9999", f"{noun}:ghost"])
        return self._chance.choice([
            [["DEL", key]],
            [["RENAME", key, other]],
            [["COPY", key, other, "REPLACE"]],
            [["DEL", key], ["SET", key, "nonsense"]],
            [["DEL", key], ["SADD", key, "nonsense"]],
            [["EXPIRE", key, 100_000] if is_kept else ["PERSIST", key]],
        ])  # fmt: skip

    def _value(self, noun: str, field: str = "") -> str:
        """Return nonsense, or what another key of the noun has; a time cannot be in the file."""
        contents = [content for kind, content, _ in (self._site[key] for key in self._keys[noun])]
        if field:
            values = {content[field] for content in contents if field in content}
        else:
            values = {item[0] if isinstance(item, list) else item for content in contents for item in content}
        values = {value for value in values if not re.search(r"\d{10}", value)}
        return self._chance.choice(sorted(values) if values and self._chance.random() < 0.5 else NONSENSE)

    def _to_hash(self, key: str, noun: str, content: dict[str, str]) -> Command:
        field = self._chance.choice(sorted(content))
        return self._chance.choice([
            ["HDEL", key, field],
            ["HSET", key, field, self._value(noun, field)],
            ["HSET", key, field, self._value(noun, field)],
            ["HSET", key, "surplus", "1"],
            ["HINCRBY", key, field, 1] if content[field].isdecimal() else ["HSET", key, field, ""],
        ])  # fmt: skip

    def _to_set(self, key: str, noun: str, content: set[str]) -> Command:
        member = self._chance.choice(sorted(content))
        return self._chance.choice([["SREM", key, member], ["SADD", key, self._value(noun)]])

    def _to_zset(self, key: str, noun: str, content: list[list[Any]]) -> Command:
        rank = self._chance.randrange(len(content))
        member = content[rank][0]
        is_plain = len(member) < 40 and not re.search(r"\d{10}", member)
        return self._chance.choice([
            ["ZREM", key, member] if is_plain else ["ZREMRANGEBYRANK", key, rank, rank],
            ["ZADD", key, self._chance.choice((0, 9, -1, 9_999_999_999, "inf")), self._value(noun)],
            ["ZINCRBY", key, self._chance.choice((1, -1, 432, 90_000)), member if is_plain else "nonsense"],
        ])  # fmt: skip

    def _to_list(self, key: str, noun: str, content: list[str]) -> Command:
        place = self._chance.randrange(len(content))
        return self._chance.choice([
            ["LTRIM", key, 0, -2],
            ["LSET", key, place, self._value(noun)],
            ["LPUSH", key, self._value(noun)],
            ["RPUSH", key, content[place] if not re.search(r"\d{10}", content[place]) else "nonsense"],
            ["LMOVE", key, key, "LEFT", "RIGHT"],
        ])  # fmt: skip

    def _to_string(self, key: str, noun: str, content: Any) -> Command:
        if isinstance(content, bytes):
            place = self._chance.randrange(len(content) * 8 + 8)
            return ["SETBIT", key, place, self._chance.randrange(2)]
        return ["SET", key, self._chance.choice(NONSENSE), "KEEPTTL"]


def main() -> None:
    with open_site() as store:
        write_site(store)
        restore_site(store)
        damages, rows = Damages(store), []
        while len(rows) < DAMAGES:
            if answer := judged(store, damages.draw()):
                rows.append(json.dumps(answer, ensure_ascii=False) + "\n")
    ANSWERS.write_text("".join(rows))


if __name__ == "__main__":
    main()
