"""Keys of another type than the store gave them, met by a command: somebody else has written them."""

from collections.abc import Sequence

import redis

from voteweb.core.errors import DataDamaged
from voteweb.store.connection.pipeline import Command
from voteweb.store.connection.transport import send
from voteweb.store.key_types import key_type
from voteweb.store.keys import Keys

#: Keys that are remembered: an operator who has one runs the doctor, which names all.
MAX_REMEMBERED = 10
#: Keys of one round trip whose types are asked for.
MAX_EXAMINED = 1_000


class BrokenData(DataDamaged, redis.ResponseError):
    """A command met a key of another type or a value that is no number.

    Its text, for the operator, is what the server answered.
    """

    def __str__(self) -> str:
        return str(self.__cause__ or self.template)


class DamagedKeys:
    """The keys of another type that this process has met."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._met: dict[str, None] = {}

    def note(self, client: redis.Redis, commands: Sequence[Command]) -> None:
        """Remember which keys in *commands*, one of which was refused, have another type."""
        words = {word for command in commands for word in command if isinstance(word, str) and self._keys.is_ours(word)}
        for key in self.among(client, sorted(words)[:MAX_EXAMINED])[:MAX_REMEMBERED]:
            self._met[key] = None
            if len(self._met) > MAX_REMEMBERED:
                del self._met[next(iter(self._met))]

    def still_damaged(self, client: redis.Redis, others: Sequence[str] = ()) -> list[str]:
        """Return which of the remembered keys, and of *others*, have another type; forget all that have their own."""
        damaged = self.among(client, [*dict.fromkeys([*others, *self._met])])
        self._met = dict.fromkeys(key for key in self._met if key in damaged)
        return damaged

    def among(self, client: redis.Redis, keys: Sequence[str]) -> list[str]:
        """Return those of *keys* that have another type."""
        types = send(client, [("TYPE", key) for key in keys])
        return [key for key, kind in zip(keys, types, strict=True) if kind not in ("none", key_type(self._keys, key))]
