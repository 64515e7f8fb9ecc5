"""The pages that the operator can write: Markdown files in the folder VOTEWEB_PAGES_DIR.

``rules.zh.md`` is for readers in Chinese, ``rules.md`` for all others; so with ``privacy`` and ``guide``. Files are
read again when they change. A file that is not there, or is empty, leaves the site's own text.
"""

import os
from pathlib import Path

from voteweb.core import config
from voteweb.core.errors import ConfigError

#: The pages that have files.
NAMES = ("rules", "privacy", "guide")
#: When a file was changed last, its size, and its number on its disk: what an edit changes.
_State = tuple[int, int, int]


class OperatorPages:
    """The pages in one folder, "" for none."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder) if folder else None
        self._read_files: dict[str, tuple[_State, str]] = {}

    def text(self, name: str, language: str) -> str:
        """Return the Markdown of the page *name* for readers in *language*, a code; "" if there is none.

        A file that has become unreadable keeps the text that it had.
        """
        for file in (f"{name}.{language}.md", f"{name}.md"):
            try:
                text = self._read(file)
            except ConfigError:
                text = self._read_files[file][1] if file in self._read_files else ""
            if text:
                return text
        return ""

    def faults(self) -> list[str]:
        """Return the faults of the folder and its files, and what to do."""
        if not self._folder:
            return []
        if faults := folder_faults("VOTEWEB_PAGES_DIR", str(self._folder)):
            return faults
        for path in sorted(self._folder.glob("*.md")):
            if path.name.split(".")[0] in NAMES:
                try:
                    self._read(path.name)
                except ConfigError as error:
                    faults.append(str(error))
        return faults

    def _read(self, file: str) -> str:
        """Return the text of *file*, "" if there is no such file; raise ConfigError if it is no text or too long."""
        if not self._folder:
            return ""
        path = self._folder / file
        try:
            found = path.stat()
            state = found.st_mtime_ns, found.st_size, found.st_ino
            if file not in self._read_files or self._read_files[file][0] != state:
                self._read_files[file] = state, read_text(path, config.MAX_OPERATOR_PAGE_BYTES)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise ConfigError("Cannot read %(path)s: %(reason)s", path=path, reason=error.strerror) from None
        return self._read_files[file][1]


def folder_faults(setting: str, folder: str) -> list[str]:
    """Return the fault of the *folder* that a *setting* names, and what to do; "" for no folder is right."""
    if not folder or (Path(folder).is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        return []
    return [f"{setting} is not a folder that can be read: {folder}. Make it, or choose another."]


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of the file at *path*; raise ConfigError if it is no text or has more than *max_bytes*."""
    if not path.is_file():  # opening a pipe would wait for ever
        raise ConfigError("%(path)s is not a file.", path=path)
    with path.open("rb") as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ConfigError("%(path)s has more than %(max)s bytes. Shorten it.", path=path, max=f"{max_bytes:,}")
    try:
        return content.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise ConfigError(
            "%(path)s is not UTF-8 text: see byte %(at)s. Save it as UTF-8.", path=path, at=error.start
        ) from None
