"""The disk with the data directory: whether the site can go on writing there."""

import shutil
from pathlib import Path

#: Bytes that must be free, so that the append-only file and the index of search can grow for some days.
MIN_FREE_BYTES = 100 * 2**20
#: Bytes below which a disk is as good as full.
FULL_BYTES = 2**20


def is_full(folder: Path) -> bool:
    """Tell whether the disk with *folder* has no space left that matters."""
    return shutil.disk_usage(folder).free < FULL_BYTES


def warnings(folder: str) -> list[str]:
    """Return a warning if the disk with the data directory *folder* is full or nearly so, in words for everybody."""
    if not Path(folder).exists():
        return []
    free = shutil.disk_usage(folder).free
    if free < FULL_BYTES:
        return ["The disk with the data directory is full: the site can only be read. Free some space."]
    if free < MIN_FREE_BYTES:
        megabytes = free // 2**20
        return [f"The disk with the data directory has {megabytes} MB left: when it is full, nobody can post."]
    return []
