"""All that a store holds, to compare before and after."""

from typing import Any

from voteweb.store import Store

_READ = {
    "string": lambda client, key: client.get(key),
    "hash": lambda client, key: client.hgetall(key),
    "set": lambda client, key: client.smembers(key),
    "zset": lambda client, key: client.zrange(key, 0, -1, withscores=True),
}


def everything(store: Store) -> dict[str, Any]:
    """Return every key of *store* with its value, but for the rankings of combined groups, which are only kept."""
    client = store.connection.client
    return {key: _READ[client.type(key)](client, key) for key in sorted(client.keys()) if "+" not in key}
