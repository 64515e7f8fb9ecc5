"""The Redis type of every key, and which keys expire."""

from voteweb.core import config
from voteweb.store.keys import Keys

#: The types of the keys of each noun; keys of other nouns are another program's.
TYPES = {
    "article": "hash", "was": "zset", "voted": "set", "open-votes": "zset",
    "time": "zset", "score": "zset", "good": "zset", "link": "zset",
    "top": "zset", "top-day": "zset", "top-group": "zset", "top-of": "zset", "domain": "zset",
    "groups": "set", "group": "set", "group-info": "hash", "group-aliases": "hash", "combined": "zset",
    "user": "hash", "notes": "hash", "users": "zset", "held": "zset", "admins": "set",
    "posted": "zset", "gone": "zset", "leaving": "set", "ban-removals": "set",
    "domain-rules": "hash", "site": "hash", "held-articles": "zset",
    "sessions": "hash", "signup": "string", "known": "string", "network": "zset",
    "reports": "zset", "answers": "zset", "report": "hash", "reported": "set",
    "thread": "hash", "words": "hash", "hidden": "string", "voted-comments": "set", "comments": "list",
    "commented": "list", "ordering": "list", "removing": "set", "comment-report": "hash", "reported-comments": "set",
    "inbox": "list", "unread": "list", "seen": "hash", "inbox-feed": "string",
    "follows": "zset", "hides": "zset", "saved": "zset", "saved-feed": "string",
    "log-entries": "list", "log": "list", "log-by": "list", "log-kind": "list", "log-about": "list",
    "log-entry": "hash",
    "invite": "hash", "invites": "zset", "reset": "string",
    "outbox": "zset", "digests": "zset", "mails": "hash", "mail-status": "hash",
    "log-ins": "zset", "jobs": "hash", "backup": "hash", "lease": "string", "stats": "hash",
    "once": "string", "done": "string", "limit": "string", "imported": "set", "restoring": "string",
    "changes": "stream", "search": "string", "schema": "string", "migrating": "string",
}  # fmt: skip
#: The nouns whose key without an id is the counter of their ids: a string.
COUNTED_NOUNS = frozenset({"article", "user"})
#: The nouns whose keys expire, with the command (without its key) for one that does not; all others are for ever.
#: When voters and links expire depends on their articles and is checked with them. A counter of acts is deleted.
EXPIRING: dict[str, tuple[str | int, ...]] = {
    "lease": ("UNLINK",), "once": ("EXPIRE", config.ONCE_SECONDS), "done": ("EXPIRE", config.DONE_SECONDS),
    "reset": ("EXPIRE", config.RESET_SECONDS), "limit": ("UNLINK",),
    "sessions": ("EXPIRE", config.MAX_SESSION_SECONDS),
    "was": ("EXPIRE", config.EARLIER_SECONDS), "stats": ("EXPIRE", config.STATISTICS_SECONDS),
    "ordering": ("UNLINK",), "log-ins": ("EXPIRE", config.LOG_IN_SECONDS),
    "combined": ("UNLINK",), "top-of": ("UNLINK",), "signup": ("UNLINK",), "known": ("UNLINK",), "network": ("UNLINK",),
    "inbox": ("EXPIRE", config.INBOX_SECONDS), "unread": ("EXPIRE", config.INBOX_SECONDS),
    "seen": ("EXPIRE", config.VISITED_SECONDS),
    "voted": (), "voted-comments": (),
    "open-votes": (), "link": (),
}  # fmt: skip


def key_type(keys: Keys, key: str) -> str | None:
    """Return the type that *key* must have; None for a key of another program."""
    noun, name = keys.split(key)
    return "string" if noun in COUNTED_NOUNS and not name else TYPES.get(noun)
