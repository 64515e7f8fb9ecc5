"""The Redis type of every key, and which keys expire."""

from voteweb.core import config
from voteweb.store.keys import Keys

#: The types of the keys of each noun; keys of other nouns are another program's.
TYPES = {
    "article": "hash", "voted": "set", "time": "zset", "score": "zset", "good": "zset", "link": "zset",
    "groups": "set", "group": "set", "group-info": "hash",
    "user": "hash", "posted": "zset", "gone": "zset", "leaving": "set",
    "reports": "zset", "report": "hash", "reported": "hash",
    "log-entry": "hash", "log": "zset", "log-by": "zset", "log-kind": "zset", "log-about": "zset",
    "invite": "hash", "invites": "zset", "reset": "string",
    "once": "string", "limit": "string", "imported": "set", "restoring": "string",
}  # fmt: skip
#: The nouns whose key without an id is the counter of their ids: a string.
COUNTED_NOUNS = frozenset({"article", "user", "log-entry"})
#: The nouns whose keys expire, with the command (without its key) for one that does not; all others are for ever.
#: When voters and links expire depends on their articles and is checked with them. A counter of acts is deleted.
EXPIRING: dict[str, tuple[str | int, ...]] = {
    "once": ("EXPIRE", config.ONCE_SECONDS), "reset": ("EXPIRE", config.RESET_SECONDS), "limit": ("UNLINK",),
    "voted": (), "link": (),
}  # fmt: skip


def key_type(keys: Keys, key: str) -> str | None:
    """Return the type that *key* must have; None for a key of another program."""
    noun, name = keys.split(key)
    return "string" if noun in COUNTED_NOUNS and not name else TYPES.get(noun)
