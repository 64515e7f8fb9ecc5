"""The pages that the operator can write: Markdown files in the folder VOTEWEB_PAGES_DIR.

``rules.zh.md`` is for readers in Chinese, ``rules.md`` for all others; so with ``privacy`` and ``guide``. Files are
read whenever they are shown. A file that is not there, or is empty, leaves the site's own text.
"""

import os
from pathlib import Path
from stat import S_ISREG

from voteweb.core import config
from voteweb.core.errors import ConfigError

#: The pages that have files.
NAMES = ("rules", "privacy", "guide")


class OperatorPages:
    """The pages in one folder, "" for none; a file that has become faulty keeps the text that it had."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._texts: dict[str, str] = {}

    def text(self, name: str, language: str) -> str:
        """Return the Markdown of the page *name* for readers in *language*, a code; "" if there is none."""
        files = (f"{name}.{language}.md", f"{name}.md") if self._folder else ()
        return next(filter(None, map(self._read, files)), "")

    def files(self, name: str) -> list[str]:
        """Return the files that have a text of the page *name*, in whatever language."""
        names = sorted(path.name for path in Path(self._folder).glob(f"{name}.*md")) if self._folder else []
        return list(filter(self._read, names))

    def _read(self, file: str) -> str:
        path = Path(self._folder, file)
        try:
            path.stat()
            self._texts[file] = read_text(path, config.MAX_OPERATOR_PAGE_BYTES)
        except FileNotFoundError:
            return ""
        except (ConfigError, OSError):
            pass
        return self._texts.get(file, "")


def operator_page_faults(folder: str) -> list[str]:
    """Return the faults of *folder* and its files, and what to do."""
    faults = folder_faults("VOTEWEB_PAGES_DIR", folder)
    for path in () if faults or not folder else sorted(Path(folder).glob("*.md")):
        if path.name.split(".")[0] in NAMES:
            try:
                read_text(path, config.MAX_OPERATOR_PAGE_BYTES)
            except ConfigError as error:
                faults.append(str(error))
    return faults


def folder_faults(setting: str, folder: str) -> list[str]:
    """Return the fault of the *folder* that a *setting* names, and what to do; "" for no folder is right."""
    if not folder or (Path(folder).is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        return []
    if Path(folder).exists() and not Path(folder).is_dir():
        return [f"{setting} is a file, {folder}, and must be a folder. Name the folder that has the files."]
    return [f"{setting} is not a folder that can be read: {folder}. Make it, or choose another."]


def read_file(path: Path, max_bytes: int) -> bytes:
    """Return the content of the file at *path*; raise ConfigError if it cannot be read or has more than *max_bytes*."""
    try:
        if not S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
            raise ConfigError("%(path)s is not a file.", path=path)
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise ConfigError("Cannot read %(path)s: %(reason)s", path=path, reason=error.strerror) from None
    if len(content) > max_bytes:
        raise ConfigError("%(path)s has more than %(max)s bytes. Make it smaller.", path=path, max=f"{max_bytes:,}")
    return content


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of the file at *path*; raise ConfigError if it is no text or as :func:`read_file` does."""
    try:
        return read_file(path, max_bytes).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise ConfigError(
            "%(path)s is not UTF-8 text: see byte %(at)s. Save it as UTF-8.", path=path, at=error.start
        ) from None
