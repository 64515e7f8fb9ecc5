"""The commands that this process sends to Redis, counted where redis-py writes them to the socket."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from redis.connection import AbstractConnection


@dataclass(slots=True)
class SentCommands:
    """The number of round trips, and the names of all commands in them."""

    round_trips: int = 0
    names: list[str] = field(default_factory=list)


@contextmanager
def record_sent_commands() -> Iterator[SentCommands]:
    """Yield a record that counts all commands sent until the end of the context."""
    sent = SentCommands()
    original = AbstractConnection.send_packed_command

    def record_and_send(self: Any, command: Any, *args: Any, **kwargs: Any) -> Any:
        sent.round_trips += 1
        sent.names += command_names(b"".join(command) if isinstance(command, list) else command)
        return original(self, command, *args, **kwargs)  # type: ignore[no-untyped-call]

    AbstractConnection.send_packed_command = record_and_send  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        AbstractConnection.send_packed_command = original  # type: ignore[method-assign]


def command_names(packed: bytes) -> Iterator[str]:
    """Yield the names, in capitals, of the commands in *packed*, which is in the protocol of Redis (RESP)."""
    position = 0

    def read_number() -> int:
        """Read a line such as ``*2`` or ``$4``."""
        nonlocal position
        start, position = position + 1, packed.index(b"\r\n", position) + 2
        return int(packed[start : position - 2])

    while position < len(packed):
        for argument in range(read_number()):
            size = read_number()
            if argument == 0:
                yield packed[position : position + size].decode().upper()
            position += size + 2
