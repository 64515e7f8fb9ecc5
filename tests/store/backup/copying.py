"""Back up and restore a site in one call."""

import json
from collections.abc import Iterable
from typing import Any

from tests.store.examination import run, snapshot
from voteweb.store import Store
from voteweb.store.backup import BackupRecord, parse_record, records
from voteweb.store.backup.restore import Restore


def back_up(store: Store) -> list[BackupRecord]:
    """Return a backup of the site, through the form that it has in a file."""
    return [parse_record(json.loads(json.dumps(record.as_json()))) for record in store.backup.records()]


def articles_of(backup: Iterable[BackupRecord]) -> list[records.Article]:
    return [record for record in backup if isinstance(record, records.Article)]


def begin_restore(store: Store) -> Restore:
    """Empty the database and begin a restore into it."""
    run(store, "FLUSHDB")
    restore = store.backup.new_restore()
    restore.begin()
    return restore


def restore(store: Store, backup: Iterable[BackupRecord]) -> None:
    """Replace everything in the database by *backup*."""
    restore, remaining = begin_restore(store), list(backup)
    while remaining:
        restore.write(remaining[:7])
        del remaining[:7]
    restore.finish()


def lasting(store: Store, *, is_shared: bool = False) -> dict[str, Any]:
    """Return everything that a restore brings back.

    That is all but what tells an index of the searched words about changes, the combined rankings, which are kept for a
    minute, and votes on deleted articles, which have no voters and stay for a while in the lists of open votes, and
    earlier versions of articles and statistics, which no
    backup has. Bits of comments that nobody ever hid are zero, whether they are stored or not.
    """
    keys = snapshot(store, is_shared=is_shared)
    for key in [key for key in keys if key.startswith("hidden:")]:
        bits = keys.pop(key)[1].rstrip(b"\0")
        if bits:
            keys[key] = bits
    for key in [key for key in keys if key.startswith("open-votes:")]:
        _, votes, _ = keys.pop(key)
        kept = {member: end for member, end in votes if keys[member][1].get("gone") != "deleted"}
        if kept:
            keys[key] = kept
    return {
        key: content
        for key, content in keys.items()
        if key not in ("combined:", "changes:", "search:")
        and not key.startswith(("was:", "stats:"))
        and ("+" not in key or key.startswith("log"))
    }
