"""A disk that is full: the embedded database starts on it and is read, and the operator is told."""

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from tests.helpers import needs
from voteweb.embedded.folder import disk_warnings

Usage = namedtuple("Usage", "total used free")

#: Posts an article in the folder of its argument, fills the disk, opens the database again, and reads the article.
PROGRAM = """
import sys
from contextlib import suppress
from pathlib import Path
from tests import factories
from voteweb.core.settings import Settings
from voteweb.core.errors import StorageFull
from voteweb.embedded.folder import disk_warnings
from voteweb.embedded.database import open_database
from voteweb.embedded.server import restore_sync
from voteweb.store import open_store

folder = Path(sys.argv[1]) / "data"
settings = Settings(data_dir=str(folder), appendfsync="always")
with open_database(settings) as opened:
    factories.article(open_store(opened))
with suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
    while True:
        file.write(bytes(4096))
with open_database(settings) as opened:
    store = open_store(opened)
    try:
        factories.article(store)
    except StorageFull:
        pass
    else:
        raise AssertionError("a write was answered that is on no disk")
    assert store.connection.client.config_get("appendfsync")["appendfsync"] == "everysec"
    with open_database(settings):  # as any other command does
        assert store.articles.get(1).title
    assert disk_warnings(str(folder)) == [
        "The disk with the data directory is full: the site can only be read. Free some space."
    ]
    (folder / "filler").unlink()
    restore_sync(folder, folder / "database.sock", "always")
    assert store.connection.client.config_get("appendfsync")["appendfsync"] == "always"
    factories.article(store)
print("done")
"""


def test_a_full_disk_is_opened_and_read(tmp_path: Path) -> None:
    root = os.getuid() == 0
    namespace = ["unshare", "--mount", *(() if root else ("--user", "--map-root-user")), "--"]
    mount = [*namespace, "sh", "-c", f'mount -t tmpfs -o size=8m none "{tmp_path}" && exec "$@"', "sh"]
    can_mount = shutil.which("unshare") and subprocess.run([*mount, "true"], capture_output=True).returncode == 0
    needs(can_mount, "the right to mount a disk in a namespace")
    result = subprocess.run([*mount, sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True)
    assert (result.stdout, result.returncode) == ("done\n", 0), result.stderr


@pytest.mark.parametrize(
    ("free", "warning"),
    [(10 * 2**30, ""), (99 * 2**20, "has 99 MB left: when it is full, nobody can post."), (0, "can only be read.")],
)
def test_a_disk_that_is_nearly_full_is_told(
    free: int, warning: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(0, 0, free))
    assert warning in "".join(disk_warnings(str(tmp_path)))
    assert len(disk_warnings(str(tmp_path))) == bool(warning)
    assert disk_warnings(str(tmp_path / "nowhere")) == []
