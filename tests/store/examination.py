"""What a test of the store sees of the database, past the store."""

from typing import Any

from voteweb.store import Store

READ: dict[str, tuple[tuple[Any, ...], ...]] = {
    "string": (("GET",),),
    "hash": (("HGETALL",),),
    "set": (("SMEMBERS",),),
    "zset": (("ZRANGE", 0, -1, "WITHSCORES"),),
    "list": (("LRANGE", 0, -1),),
}


def snapshot(store: Store) -> dict[str, Any]:
    """Return everything in the database: of each key its type, its content and the moment it expires."""
    names = sorted(run(store, "KEYS", "*"))
    with store.connection.client.pipeline() as pipe:
        for key in names:
            pipe.type(key)
        kinds = pipe.execute()
        for key, kind in zip(names, kinds, strict=True):
            ((command, *rest),) = READ[kind]
            pipe.execute_command(command, key, *rest)
            pipe.pexpiretime(key)
        answers = pipe.execute()
    return {key: (kind, *answers[2 * at : 2 * at + 2]) for at, (key, kind) in enumerate(zip(names, kinds, strict=True))}


def broken(store: Store) -> list[tuple[str, str]]:
    """Return what the doctor finds."""
    return [tuple(each[:2]) for each in store.doctor.examine()]


def broken_keys(store: Store) -> set[str]:
    """Return the keys that the doctor names."""
    return {each.key for each in store.doctor.examine()}


def run(store: Store, *words: Any) -> Any:
    """Run a raw command, as another program would."""
    return store.connection.client.execute_command(*words)


def ids(store: Store, key: str) -> list[int]:
    """Return the articles of a ranking, best first."""
    return [int(member.partition(":")[2]) for member in run(store, "ZREVRANGE", key, 0, -1)]
