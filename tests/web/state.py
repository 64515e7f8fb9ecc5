"""All that a store holds, to compare before and after; and what no page makes, put there by hand."""

import time
from typing import Any

from voteweb.store import Store, invitations, keys

#: A token that looks like any other, for links whose token a table must know beforehand.
TOKEN = "0123456789abcdef"

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


def know_token(store: Store, *, inviter: str = "mod", forgetful: str = "ann") -> None:
    """Make TOKEN an invitation of *inviter*, and the link by which *forgetful* sets a new password."""
    until = time.time() + 1_000
    store.connection.client.hset(keys.invite(TOKEN), mapping={"by": inviter, "until": until})
    store.connection.client.zadd(keys.invites(inviter), {keys.invite(TOKEN): until})
    store.connection.client.set(invitations._reset_key(TOKEN), forgetful)
