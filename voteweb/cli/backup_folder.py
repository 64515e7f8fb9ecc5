"""A folder of backups: the names of the files, and which of them are kept."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

_TIME_FORMAT = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"voteweb-([0-9]{8}T[0-9]{6}Z)\.gz(?:\.age|\.gpg)?")
#: The beginning of a backup that was cut off, as by a power cut, and the seconds after which it is no longer written.
_UNFINISHED_NAME, _UNFINISHED_SECONDS = re.compile(rf"\.{_NAME.pattern}\.\w+"), 86_400


def file_name(made: datetime, suffix: str) -> str:
    """Return the name of a backup *made* at this time, in UTC, with the *suffix* of its encryption, if any."""
    return f"voteweb-{made:{_TIME_FORMAT}}.gz{suffix}"


def prune(folder: Path, keep: int, keep_weekly: int) -> list[Path]:
    """Delete backups in *folder*, and return them; files with other names stay.

    Kept are the newest *keep*, and the newest of each of the last *keep_weekly* weeks (from Monday, in UTC) that have
    any. Files of backups that were cut off a day ago are deleted, too.
    """
    found = sorted(((made, file) for file in folder.iterdir() if (made := _time(file))), reverse=True)
    kept = {file for _, file in found[:keep]}
    weeks: dict[tuple[int, int], Path] = {}
    for made, file in found:
        weeks.setdefault(made.isocalendar()[:2], file)
    kept.update(list(weeks.values())[:keep_weekly])
    old = [file for _, file in reversed(found) if file not in kept]
    before = time.time() - _UNFINISHED_SECONDS
    unfinished = (file for file in folder.iterdir() if _UNFINISHED_NAME.fullmatch(file.name))
    old += [file for file in unfinished if file.is_file() and file.stat().st_mtime < before]
    for file in old:
        file.unlink()
    return old


def _time(file: Path) -> datetime | None:
    """Return when the backup *file* was made by its name, None for any other file."""
    match = _NAME.fullmatch(file.name)
    if not match or file.is_symlink() or not file.is_file():
        return None
    try:
        return datetime.strptime(match[1], _TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
