"""Back up and restore a site in one call."""

import json
import time
from collections.abc import Iterable
from typing import Any

from tests.store.examination import run, snapshot
from voteweb.core.config import LINK_SECONDS, SCHEMA
from voteweb.store import Store
from voteweb.store.backup import Backup, KeyLine, parse_line
from voteweb.store.backup.restore import Restore
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import NOUNS


def back_up(store: Store, *, is_whole: bool = False) -> list[KeyLine]:
    """Return a backup of the site, or a copy of every key, through the form that it has in a file."""
    backup = Backup(store.context)
    lines = backup.all_lines() if is_whole else backup.lines([])
    return [parse_line(json.loads(json.dumps(line.as_json())), is_whole=is_whole) for line in lines]


def articles_of(backup: Iterable[KeyLine]) -> dict[int, dict[str, str]]:
    return {int(line.name): line.value for line in backup if line.noun == "article" and line.name}


def begin_restore(store: Store, whole_layout: int | None = None) -> Restore:
    """Empty the database and begin a restore into it."""
    run(store, "FLUSHDB")
    restore = Restore(store.context, whole_layout)
    restore.begin()
    return restore


def restore(store: Store, backup: Iterable[KeyLine], whole_layout: int | None = None, *, layout: int = SCHEMA) -> None:
    """Replace everything in the database by *backup*, which has this *layout*."""
    restore, remaining = begin_restore(store, whole_layout), list(backup)
    while remaining:
        Restore(store.context, whole_layout).write(remaining[:7])  # an attempt whose answer was lost
        restore.write(remaining[:7])
        del remaining[:7]
    list(restore.convert(layout))
    restore.finish()


def lasting(store: Store, *, is_shared: bool = False) -> dict[str, Any]:
    """Return everything that a restore brings back.

    That is all but the passing keys, votes on deleted articles, which have no voters and stay for a while in the lists
    of open votes, ended merges of groups, which go on once more, and under links articles that are too old to be found,
    and how long they are remembered. Bits of comments that nobody ever hid are zero, whether they are stored or not.
    """
    keys, stored = {}, snapshot(store, is_shared=is_shared)
    for key, (type, content, expires) in stored.items():
        match noun := key.partition(":")[0]:
            case "hidden":
                content = content.rstrip(b"\0")
            case "link":
                content, expires = [entry for entry in content if entry[1] > time.time() - LINK_SECONDS], 0
            case "open-votes":
                content = [[member, end] for member, end in content if stored[member][1].get("gone") != "deleted"]
                expires = 0
        is_combined = "+" in key and noun in ("time", "score")
        if content and NOUNS[noun].part is not Part.PASSING and not is_combined and noun != "merging":
            keys[key] = (type, content, expires)
    return keys
