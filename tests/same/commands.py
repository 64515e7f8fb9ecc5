"""The commands of both sides: the doctor, backups and restores; and the pages of the sample site."""

import random
import re
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from tests.same.addresses import LANGUAGES
from tests.same.keys import StoredKey, read_contents
from tests.same.side import START, Side
from tests.same.visitor import Records, Visitor

#: Pages of the sample site that are read.
PAGES = 120
#: Keys that are damaged, of those of the small site.
DAMAGES, SEED = 80, 30
#: Seconds that each side waits for the backup of the other.
PATIENCE = 300
_LINK = re.compile(r'href="(/[^"#]*)')


def examine(side: Side, records: Records) -> None:
    """Examine what the acts have left by the doctor."""
    result = side.run("doctor")
    records.add_run("doctor after the acts", "doctor", result.returncode, result.stdout + result.stderr)


def examine_damaged(side: Side, start: list[StoredKey], records: Records) -> None:
    """Damage the small site at random; compare what the doctor says, and what its repair leaves."""
    side.load(start)
    side.set_clock(START + 60)
    chance = random.Random(SEED)
    for key in chance.sample(sorted(side.client.keys("*")), DAMAGES):
        _damage(side.client, key, chance)
    side.client.hset("notes:nobody", "1", '{"by": "moderator", "time": "1", "text": "x"}')
    for arguments in (["doctor"], ["doctor", "--repair"], ["doctor"]):
        result = side.run(*arguments)
        place = f"{' '.join(arguments)} of damages, number {len(records.answers)}"
        records.add_run(place, f"{' '.join(arguments)} of damages", result.returncode, result.stdout + result.stderr)
    records.keys["repaired damages"] = read_contents(side.client)


def _damage(client: Any, key: bytes, chance: random.Random) -> None:
    """Add something wrong to a key, or take something away."""
    wrong, adds = chance.choice(("x", "999999", "")), chance.random() < 0.5
    kind = client.type(key)
    if kind == b"hash":
        field = chance.choice(sorted(client.hkeys(key)))
        client.hset(key, field, wrong) if adds else client.hdel(key, field)
    elif kind == b"set":
        client.sadd(key, wrong) if adds else client.srem(key, min(client.smembers(key)))
    elif kind == b"zset":
        member = client.zrange(key, 0, 0)[0]
        client.zadd(key, {member: 7}) if adds else client.zrem(key, member)
    elif kind == b"list":
        client.lpush(key, wrong) if adds else client.lpop(key)
    elif kind == b"string":
        client.set(key, wrong) if adds else client.delete(key)


def check_backups(side: Side, other: Path, records: Records, barrier: Barrier) -> None:
    """Back the site up, and restore first its own backup, then that of the *other* side."""
    result = side.run("backup", "backup.gz")
    records.add_run("backup", "backup", result.returncode, result.stderr)
    (side.folder / "backup.gz").rename(side.folder / "own.gz")
    barrier.wait(PATIENCE)
    for subject, file in (
        ("restore of its own backup", side.folder / "own.gz"),
        ("restore of the other's", other / "own.gz"),
    ):
        side.client.flushall()
        (side.folder / "backup.gz").write_bytes(file.read_bytes())
        result = side.run("restore", "backup.gz")
        records.add_run(subject, subject, result.returncode, result.stdout + result.stderr)
        records.keys[subject] = read_contents(side.client)
    barrier.wait(PATIENCE)


def crawl_sample(side: Side, start: list[StoredKey], records: Records) -> None:
    """Follow the links of the sample site as a reader, from its front page on."""
    side.load(start)
    side.set_clock(START + 60)
    side.serve()
    visitor = Visitor("reader", 1)
    for language in LANGUAGES:
        pages, read = ["/"], 0
        with side.connect() as connection:
            while read < min(PAGES, len(pages)):
                url = pages[read]
                read += 1
                side.wait(2)
                answer = visitor.ask(connection, "GET", url, language=language)
                records.add(f"sample {url} in {language}", f"sample {url}", answer)
                links = (
                    _LINK.findall(answer.body.decode("utf-8", "replace"))
                    if "html" in answer.header("Content-Type")
                    else []
                )
                pages += [link for link in dict.fromkeys(links) if link not in pages and not link.startswith("/static")]
