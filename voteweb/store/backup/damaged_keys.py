"""Read a site of which some keys are damaged: they are taken for empty, and named."""

from collections.abc import Sequence
from typing import Any

import redis

from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.nouns import TYPES

#: What each command answers of a key that does not exist.
_EMPTY: dict[str, Any] = {
    "GET": None, "HGET": None, "ZSCORE": None, "HGETALL": {}, "SMEMBERS": set(), "ZRANGE": [], "LRANGE": [],
    "HKEYS": [], "SCARD": 0, "HLEN": 0, "LLEN": 0, "SISMEMBER": 0, "SSCAN": (0, []), "ZSCAN": (0, []),
}  # fmt: skip


class TolerantScanner(Scanner):
    """A scanner that reads a key of a wrong type, or with bytes that are no text, as if it did not exist.

    It appends the names of such keys to *skipped*, each once.
    """

    def __init__(self, connection: Connection, skipped: list[str]) -> None:
        super().__init__(connection)
        self._skipped = skipped

    def run_atomic(self, commands: Sequence[Command]) -> list[Any]:
        try:
            return super().run_atomic(commands)
        except (redis.ResponseError, UnicodeDecodeError) as error:
            _raise_unless_damage(error)
        # Each alone tells which fail; the others are read again, at one instant.
        damaged = [self._is_damaged(command) for command in commands]
        replies = iter(super().run_atomic([command for command, bad in zip(commands, damaged, strict=True) if not bad]))
        return [_empty(command) if bad else next(replies) for command, bad in zip(commands, damaged, strict=True)]

    def command(self, *command: Any) -> Any:
        try:
            return super().command(*command)
        except (redis.ResponseError, UnicodeDecodeError) as error:
            if command[0] == "SCAN" and isinstance(error, UnicodeDecodeError):
                return self._readable_names(command)
            self._skip(command, error)
            return _empty(command)

    def command_on_same_server(self, *command: Any) -> Any:
        try:
            return super().command_on_same_server(*command)
        except (redis.ResponseError, UnicodeDecodeError):
            super().command_on_same_server("TIME")
            reply = self.command(*command)
            super().command_on_same_server("TIME")
            return reply

    def _readable_names(self, scan: Command) -> tuple[int, list[str]]:
        """Return the reply to SCAN without the names of keys that are no text: they are skipped."""
        client = self._connection.client
        cursor, keys = self._connection.retry_until_deadline(
            lambda: client.execute_command(*scan, NEVER_DECODE=True)  # type: ignore[no-untyped-call]
        )
        names = []
        for key in keys:
            try:
                names.append(key.decode())
            except UnicodeDecodeError:
                noun, _ = self.site_keys.split(key.decode(errors="replace"))
                if noun in TYPES and repr(key) not in self._skipped:  # else it is another program's, or another site's
                    self._skipped.append(repr(key))
        return int(cursor), names

    def _is_damaged(self, command: Command) -> bool:
        try:
            super().command(*command)
        except (redis.ResponseError, UnicodeDecodeError) as error:
            self._skip(command, error)
            return True
        return False

    def _skip(self, command: Command, error: Exception) -> None:
        _raise_unless_damage(error)
        if command[0] not in _EMPTY and command[0] != "HMGET":
            raise error
        if command[1] not in self._skipped:
            self._skipped.append(command[1])


def _raise_unless_damage(error: Exception) -> None:
    """Raise *error* unless it is about the value of one key: what is not allowed at all must not pass for damage."""
    if isinstance(error, redis.ResponseError) and "WRONGTYPE" not in str(error):
        raise error


def _empty(command: Command) -> Any:
    """Return the reply to *command* of a key that does not exist."""
    return [None] * (len(command) - 2) if command[0] == "HMGET" else _EMPTY[command[0]]
