"""The server's own log of how long each command blocked it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.machine import put_first

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

    They are in the order in which they ended: what a script ran comes before the script.
    """
    found: list[Command] = []
    put_first(client.info("server")["process_id"])
    client.config_set("slowlog-max-len", MOST)
    client.config_set("slowlog-log-slower-than", round(from_seconds * 1e6))
    client.execute_command("SLOWLOG", "RESET")
    try:
        yield found
    finally:
        client.config_set("slowlog-log-slower-than", -1)
        found += [
            Command(_text(entry["command"]), entry["duration"] / 1e6)
            for entry in reversed(client.slowlog_get(MOST))
            if not _is_ours(entry["command"])
        ]


def asked_for(commands: Iterable[Command], sent: Iterable[str]) -> list[Command]:
    """Return those of *commands* that a client asked for by the names in *sent*, leaving out what scripts ran.

    No script runs a script, so what comes before the one that is expected next was run by it.
    """
    expected, found = iter(sent), []
    name = next(expected, "")
    for each in commands:
        if each.words.split(" ", 1)[0].upper() == name:
            found.append(each)
            name = next(expected, "")
    return found


def _text(command: Any) -> str:
    words = command.decode(errors="replace") if isinstance(command, bytes) else str(command)
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"


def _is_ours(command: Any) -> bool:
    return _text(command).split(" ", 1)[0].upper() in ("CONFIG", "SLOWLOG")
