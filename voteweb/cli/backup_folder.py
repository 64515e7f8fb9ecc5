"""A folder of backups: the names of the files, and which of them are kept."""

import re
from datetime import UTC, datetime
from pathlib import Path

_TIME_FORMAT = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"voteweb-([0-9]{8}T[0-9]{6}Z)\.gz(?:\.age|\.gpg)?")


def file_name(time: datetime, suffix: str) -> str:
    """Return the name of a backup made at *time*, in UTC, with the *suffix* of its encryption, if any."""
    return f"voteweb-{time:{_TIME_FORMAT}}.gz{suffix}"


def prune(folder: Path, keep: int, keep_weekly: int) -> list[Path]:
    """Delete backups in *folder*, and return them; files with other names stay.

    Kept are the newest *keep*, and the newest of each of the last *keep_weekly* weeks (from Monday, in UTC) that have
    any.
    """
    found = sorted(((time, file) for file in folder.iterdir() if (time := _time(file))), reverse=True)
    kept = {file for _, file in found[:keep]}
    weeks: dict[tuple[int, int], Path] = {}
    for time, file in found:
        weeks.setdefault(time.isocalendar()[:2], file)
    kept.update(list(weeks.values())[:keep_weekly])
    old = [file for _, file in reversed(found) if file not in kept]
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
