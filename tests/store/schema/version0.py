"""A busy site as the last version without a number of its layout wrote it: its keys, and its backup in format 1.

version0.json is a record of what that version wrote: it is never generated again.
"""

import json
import re
import time
from functools import cache
from pathlib import Path
from typing import Any

from tests.store.examination import run
from voteweb.store import Store
from voteweb.store.backup import BackupRecord, parse_record

#: Settings of the site that differ from the defaults.
SETTINGS = {"good_votes": 3, "max_groups": 3, "vote_score": 432.0}
_FILE = Path(__file__).with_name("version0.json")
#: Unix times of these years, in seconds or milliseconds; ids and other numbers are smaller.
_TIME = re.compile(r"(?<![0-9a-zA-Z_-])1[789]\d{8}(?=\D)|(?<![0-9a-zA-Z_-])1[789]\d{11}(?=\D)")


@cache
def _content() -> dict[str, Any]:
    """Return the record, with all times moved so that it was made a minute ago."""
    text = _FILE.read_text("utf-8")
    passed = int(time.time()) - 60 - int(json.loads(text)["taken"])

    def move(match: re.Match[str]) -> str:
        digits = match[0]
        return str(int(digits) + passed * (1_000 if len(digits) == 13 else 1))

    content: dict[str, Any] = json.loads(_TIME.sub(move, text))
    return content


def load_keys(store: Store) -> None:
    """Write the keys of the site into the emptied database."""
    run(store, "FLUSHDB")
    for key, (kind, value, expiry) in _content()["keys"].items():
        match kind:
            case "string":
                run(store, "SET", key, value)
            case "hash":
                run(store, "HSET", key, *(item for pair in value.items() for item in pair))
            case "set":
                run(store, "SADD", key, *value)
            case "zset":
                run(store, "ZADD", key, *(item for member, score in value for item in (repr(score), member)))
        if expiry > 0:
            run(store, "PEXPIREAT", key, expiry)


def backup() -> list[BackupRecord]:
    """Return the records of the site's backup."""
    return [parse_record(record, older=True) for record in _content()["backup"]]
