"""The data directory of a site, which nobody else may read if it has the embedded database."""

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings

#: Bytes that must be free, so that the append-only file and the index of search can grow for some days.
MIN_FREE_BYTES = 100 * 2**20
#: Bytes below which a disk is as good as full.
FULL_BYTES = 2**20


def is_disk_full(folder: Path) -> bool:
    """Tell whether the disk with *folder* has no space left that matters."""
    return shutil.disk_usage(folder).free < FULL_BYTES


def disk_warnings(folder: str) -> list[str]:
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


#: The rights of the group and of others.
FOREIGN_RIGHTS = 0o077


def prepare_folder(folder: Path, notify: Callable[[str], None]) -> None:
    """Create *folder* for this user alone; one that others may enter is closed, and *notify* called with that fact.

    Raises ConfigError if it cannot be created or closed, or if it is open and has files of something else.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError("Cannot create the data directory: %(error)s", error=error) from None
    if not _is_open(folder):
        return
    # Closing a home directory or a folder of another program would break what is not ours.
    if any(folder.iterdir()) and not (folder / "engine.json").exists():
        raise ConfigError(
            "Others can read %(folder)s, and it is not empty: the database has password hashes and needs a folder of "
            "its own. Choose another with --data or VOTEWEB_DATA_DIR.",
            folder=folder,
        )
    try:
        for path in (folder, *folder.iterdir()):
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~FOREIGN_RIGHTS)
    except OSError as error:
        raise ConfigError(
            "Others can read %(folder)s, and it cannot be closed: %(reason)s. Give it to this user, or choose another "
            "data directory.",
            folder=folder,
            reason=error.strerror,
        ) from None
    if _is_open(folder):  # a file system without rights
        raise ConfigError("Others can read %(folder)s, and it cannot be closed. Choose another.", folder=folder)
    notify(f"Others could read {folder}. It is closed now.")


def _is_open(folder: Path) -> bool:
    return bool(os.stat(folder).st_mode & FOREIGN_RIGHTS)


def id_file(settings: Settings) -> Path:
    """Return the file that keeps the id of the site, so that no other data are taken for its own.

    *settings* are those before a database is opened. Each server has a file of its own: its commands may be called in
    the folder of an embedded database.
    """
    server = settings.redis_url and blake2b(settings.redis_url.encode(), digest_size=4).hexdigest()
    return Path(settings.data_dir) / "-".join(filter(None, ["site-id", settings.site, server]))


def read_site_id(settings: Settings) -> str:
    """Return the id of the site, "" if the data directory does not keep it."""
    with suppress(OSError):
        return id_file(settings).read_text().strip()
    return ""


def keep_site_id(settings: Settings, id: str) -> None:
    """Keep the *id* of the site in its data directory, or no longer if it is "", where that can be written."""
    file = id_file(settings)
    draft = file.with_name(f"{file.name}.new")
    with suppress(OSError):
        if not id:
            file.unlink(missing_ok=True)
        elif id != read_site_id(settings):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_text(f"{id}\n")
            draft.replace(file)
