"""Bind one-time links of layout 0 to the passwords that their members have."""

from collections.abc import Iterator, Sequence

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.password_resets import link_value
from voteweb.store.scanner import Scanner, batched


def convert(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """Bind every link; yield how many after each step."""
    for batch in batched(Scanner(connection).keys(connection.keys.reset("*"))):
        yield bind(connection, batch, dry_run=dry_run)


def bind(connection: Connection, link_keys: Sequence[str], *, dry_run: bool = False) -> int:
    """Bind those of these links that are not bound yet; return how many there are."""
    links = connection.run([("GET", key) for key in link_keys])
    unbound = [(key, name) for key, name in zip(link_keys, links, strict=True) if name is not None and " " not in name]
    if not unbound or dry_run:
        return len(unbound)
    hashes = connection.run([("HGET", connection.keys.user(name), "password") for _, name in unbound])
    values = [link_value(name, password_hash or "") for (_, name), password_hash in zip(unbound, hashes, strict=True)]
    commands = [("SET", key, value, "XX", "KEEPTTL") for (key, _), value in zip(unbound, values, strict=True)]
    connection.run(commands)
    return len(unbound)
