"""The server's own log of how long each command blocked it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

#: Entries the log keeps: more than one page or a walk over a site makes.
MOST = 20_000
#: Characters of a command that are told.
SHOWN = 60


@dataclass(frozen=True, slots=True)
class Command:
    """One command as the server ran it; ``seconds`` is the time in which it did nothing else."""

    words: str
    seconds: float


@contextmanager
def watched(client: Any, *, from_seconds: float = 0.0) -> Iterator[list[Command]]:
    """Yield a list that holds, once this ends, every command that blocked the server at least *from_seconds*.

    What a script runs is part of the script. The benchmark's own commands inside are among them.
    """
    found: list[Command] = []
    client.config_set("slowlog-max-len", MOST)
    client.config_set("slowlog-log-slower-than", round(from_seconds * 1e6))
    client.execute_command("SLOWLOG", "RESET")
    try:
        yield found
    finally:
        client.config_set("slowlog-log-slower-than", -1)
        found += [
            Command(_text(entry["command"]), entry["duration"] / 1e6)
            for entry in client.slowlog_get(MOST)
            if not _is_ours(entry["command"])
        ]


def _text(command: Any) -> str:
    words = command.decode(errors="replace") if isinstance(command, bytes) else str(command)
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"


def _is_ours(command: Any) -> bool:
    return _text(command).split(" ", 1)[0].upper() in ("CONFIG", "SLOWLOG")
