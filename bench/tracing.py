"""The cost of an operation for a database server: how often it reads commands, and how long each one blocks it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from bench.machine import prevent_preemption

#: Entries that the log keeps: more than one operation needs.
MAX_ENTRIES = 20_000
#: Characters of a command that are kept.
MAX_TEXT_LENGTH = 60


class Command(NamedTuple):
    """One command, and the *seconds* for which it blocked the server."""

    text: str
    seconds: float


@contextmanager
def record_commands(client: Any) -> Iterator[list[Command]]:
    """Yield a list that is filled at the end with all commands that the server ran, also those of scripts."""
    commands: list[Command] = []
    prevent_preemption(client.info("server")["process_id"])
    client.config_set("slowlog-max-len", MAX_ENTRIES)
    client.config_set("slowlog-log-slower-than", 0)
    client.execute_command("SLOWLOG", "RESET")
    try:
        yield commands
    finally:
        client.config_set("slowlog-log-slower-than", -1)
        recorded = (Command(_to_text(entry["command"]), entry["duration"] / 1e6) for entry in client.slowlog_get(-1))
        commands += [command for command in recorded if not command.text.startswith(("CONFIG", "SLOWLOG"))]


def _to_text(command: Any) -> str:
    text = command.decode(errors="replace") if isinstance(command, bytes) else str(command)
    text = text.replace("\n", " ")  # of a script that is loaded
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"


def count_reads(client: Any) -> int:
    """Return how often the server has read commands from its clients so far, once for each round trip."""
    return int(client.info("stats")["total_reads_processed"])
