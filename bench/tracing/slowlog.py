"""Redis's own log of how long each command blocked the server."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.machine import prevent_preemption

#: Entries that the log keeps: more than one operation needs.
MAX_ENTRIES = 20_000
#: Characters of a command that are kept.
MAX_TEXT_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Command:
    """One command, the *seconds* for which it blocked the server, and when, in whole unix seconds."""

    text: str
    seconds: float
    time: int = 0

    @property
    def name(self) -> str:
        """The name of the command in capitals."""
        return self.text.split(" ", 1)[0].upper()


@contextmanager
def record_commands(client: Any, *, min_seconds: float = 0.0) -> Iterator[list[Command]]:
    """Yield a list that is filled at the end with all commands that blocked the server at least *min_seconds*.

    They are in the order in which they ended: a script comes after the commands that it ran.
    """
    commands: list[Command] = []
    prevent_preemption(client.info("server")["process_id"])
    client.config_set("slowlog-max-len", MAX_ENTRIES)
    client.config_set("slowlog-log-slower-than", round(min_seconds * 1e6))
    client.execute_command("SLOWLOG", "RESET")
    try:
        yield commands
    finally:
        client.config_set("slowlog-log-slower-than", -1)
        entries = reversed(client.slowlog_get(MAX_ENTRIES))
        recorded = (Command(_to_text(e["command"]), e["duration"] / 1e6, e["start_time"]) for e in entries)
        commands += [command for command in recorded if command.name not in ("CONFIG", "SLOWLOG")]


def direct_commands(commands: Iterable[Command], sent_names: Iterable[str]) -> list[Command]:
    """Return the *commands* that a client sent, by the names it sent, without those that scripts ran.

    No script runs a script: all commands before the next expected name were run by the script that follows.
    """
    expected, direct = iter(sent_names), []
    name = next(expected, "")
    for command in commands:
        if command.name == name:
            direct.append(command)
            name = next(expected, "")
    return direct


def _to_text(command: Any) -> str:
    text = command.decode(errors="replace") if isinstance(command, bytes) else str(command)
    text = text.replace("\n", " ")  # of a script that is loaded
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"
