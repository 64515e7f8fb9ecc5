"""A folder of backups: the names of the files, and which of them are kept."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

_TIME_FORMAT = "%Y%m%dT%H%M%SZ"
#: The end of the name of a backup.
_END = r"([0-9]{8}T[0-9]{6}Z)\.gz(?:\.age|\.gpg)?"
#: Seconds after which a backup that was cut off, as by a power cut, is no longer written.
_UNFINISHED_SECONDS = 86_400


def file_name(made: datetime, suffix: str, site: str = "") -> str:
    """Return the name of a backup of *site* that was *made* at this time, in UTC, with the *suffix* of its encryption.

    A site without a name has none in it.
    """
    return f"{_beginning(site)}{made:{_TIME_FORMAT}}.gz{suffix}"


def prune(folder: Path, keep: int, keep_weekly: int, site: str = "") -> list[Path]:
    """Delete backups of *site* in *folder*, and return them; files with other names stay.

    Kept are the newest *keep*, and the newest of each of the last *keep_weekly* weeks (from Monday, in UTC) that have
    any. Files of backups that were cut off a day ago are deleted, too.
    """
    name = re.compile(_beginning(site) + _END)
    unfinished_name = re.compile(rf"\.{name.pattern}\.\w+")
    found = sorted(((made, file) for file in folder.iterdir() if (made := _time(file, name))), reverse=True)
    kept = {file for _, file in found[:keep]}
    weeks: dict[tuple[int, int], Path] = {}
    for made, file in found:
        weeks.setdefault(made.isocalendar()[:2], file)
    kept.update(list(weeks.values())[:keep_weekly])
    old = [file for _, file in reversed(found) if file not in kept]
    before = time.time() - _UNFINISHED_SECONDS
    unfinished = (file for file in folder.iterdir() if unfinished_name.fullmatch(file.name))
    old += [file for file in unfinished if file.is_file() and file.stat().st_mtime < before]
    for file in old:
        file.unlink()
    return old


def _beginning(site: str) -> str:
    return f"voteweb-{site}-" if site else "voteweb-"


def _time(file: Path, name: re.Pattern[str]) -> datetime | None:
    """Return when the backup *file* was made if it has such a *name*, None for any other file."""
    match = name.fullmatch(file.name)
    if not match or file.is_symlink() or not file.is_file():
        return None
    try:
        return datetime.strptime(match[1], _TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
