"""The stream of changes: which articles and comments those who keep an index of the site have to read again."""

import secrets

from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys

#: The number of entries from which on the stream has lost its first ones: articles.lua has the same.
MAX_CHANGES = 100_000


def record_change(keys: Keys, kind: str, id: int | str) -> Command:
    """Return the write that notes a change of what has this *id*; articles.lua has the *kind*s "a", "c", "t", "p"."""
    return ("XADD", keys.changes(), "MAXLEN", "~", MAX_CHANGES, "*", kind, id)


def new_epoch() -> str:
    """Return the mark of data that are other than before, and of which no index is."""
    return secrets.token_hex(8)


def begin_epoch(keys: Keys) -> list[Command]:
    """Return the commands after which every index of the site is made anew."""
    return [("SET", keys.search_epoch(), new_epoch()), ("UNLINK", keys.changes())]
