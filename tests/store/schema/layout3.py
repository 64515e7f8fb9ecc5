"""A busy site of layout 3, with every kind of key that it had.

layout3.jsonl is a record of what that version wrote, one key a line, after the time of the record: it is never
generated again.
"""

import json
import re
import time
from datetime import date, timedelta
from itertools import chain
from pathlib import Path

from tests.store.examination import run
from voteweb.core.ranking import votes_in
from voteweb.store import Store

#: Settings of the site that differ from the defaults.
SETTINGS = {"good_votes": 2, "vote_score": 432.0}
_FILE = Path(__file__).with_name("layout3.jsonl")
#: Unix times of these years, in seconds or milliseconds; ids and other numbers are smaller.
_TIME = re.compile(r"(?<![0-9a-zA-Z_-])1[789]\d{8}(?=\D)|(?<![0-9a-zA-Z_-])1[789]\d{11}(?=\D)")
_DAY = re.compile(r"(?<=:)\d{4}-\d\d-\d\d(?=\")")


def load_keys(store: Store) -> None:
    """Write the keys of the site into the emptied database, with all times moved so that it was made a day ago."""
    taken, *lines = _FILE.read_text("utf-8").splitlines()
    days = (int(time.time()) - int(taken)) // 86_400
    run(store, "FLUSHDB")
    for line in lines:
        name, type, items, until = json.loads(_moved(line, days))
        match type:
            case "string":
                run(store, "SET", name, items)
            case "bits":
                run(store, "SET", name, bytes.fromhex(items))
            case "hash":
                run(store, "HSET", name, *items)
            case "set":
                run(store, "SADD", name, *items)
            case "list":
                run(store, "RPUSH", name, *items)
            case "zset" if name.startswith("top"):
                moved = [_moved_best(score, days) for score in items[::2]]
                run(store, "ZADD", name, *chain(*zip(moved, items[1::2], strict=True)))
            case "zset":
                run(store, "ZADD", name, *items)
        if until:
            run(store, "PEXPIREAT", name, until)


def _moved_best(score: str | float, days: int) -> float:
    """Return a score of a ranking by votes, whose time _moved() does not see behind the votes, moved by *days*."""
    return float(score) + (days * 86_400 if votes_in(float(score)) else 0)


def _moved(line: str, days: int) -> str:
    """Return *line* with all times and days moved by so many *days*."""

    def move_time(match: re.Match[str]) -> str:
        digits = match[0]
        return str(int(digits) + days * 86_400 * (1_000 if len(digits) == 13 else 1))

    return _DAY.sub(lambda match: str(date.fromisoformat(match[0]) + timedelta(days)), _TIME.sub(move_time, line))
