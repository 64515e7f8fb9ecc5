"""The type and the lifetime of every key of ours."""

from collections.abc import Generator

from voteweb import config
from voteweb.store import keys
from voteweb.store.doctor.broken import Broken
from voteweb.store.look import Look, is_article, rows, steps

#: What the keys of each noun are, except the counters; keys of other nouns are another program's.
TYPES = {
    "article": "hash", "voted": "set", "time": "zset", "score": "zset", "good": "zset", "link": "zset",
    "groups": "set", "group": "set", "group-info": "hash",
    "user": "hash", "posted": "zset", "gone": "zset", "leaving": "set",
    "reports": "zset", "report": "hash", "reported": "hash",
    "log-entry": "hash", "log": "zset", "log-by": "zset", "log-kind": "zset", "log-about": "zset",
    "invite": "hash", "invites": "zset", "reset": "string",
    "once": "string", "limit": "string", "imported": "set", "restoring": "string",
}  # fmt: skip
COUNTERS = (keys.articles_count(), keys.users_count(), keys.log_count())
#: The nouns whose keys expire, with what makes one do so that does not; all others are for ever. When voters and
#: links are to expire depends on their articles and is checked with them; what counts acts is rather forgotten.
EXPIRING: dict[str, tuple[str | int, ...]] = {
    "once": ("EXPIRE", config.ONCE_SECONDS), "reset": ("EXPIRE", config.RESET_SECONDS), "limit": ("UNLINK",),
    "voted": (), "link": (),
}  # fmt: skip


def wanted(key: str) -> str | None:
    """Return the type that *key* should have; None for a key of another program."""
    return "string" if key in COUNTERS else TYPES.get(key.partition(":")[0])


def examine(look: Look) -> Generator[Broken, None, bool]:
    """Check type and lifetime of every key; return whether all have their type."""
    sound = True
    for step in steps(look.keys("*:*")):
        answers = look.at_once([(word, key) for key in step for word in ("TYPE", "TTL")])
        for key, (kind, expires) in zip(step, rows(answers, len(step)), strict=True):
            noun, _, name = key.partition(":")
            should_be = wanted(key)
            if should_be is None or kind == "none":
                continue
            if kind != should_be:
                sound = False
                why_not = "what it holds may be somebody's: RENAME it, then repair again"
                yield Broken(key, f"is a {kind}, but should be a {should_be}", why_not=why_not)
            if noun == "article" and name and not is_article(key):
                yield Broken(key, f"is no article: {name} is no number", why_not="another program made this key")
            is_combined = noun in ("time", "score") and "+" in name
            if expires >= 0 and noun not in EXPIRING and not is_combined:
                yield Broken(key, f"expires in {expires} seconds, but is for ever", ("PERSIST", key))
            elif expires == -1 and is_combined:
                yield Broken(key, "never expires", ("UNLINK", key))  # it is made again when it is asked for
            elif expires == -1 and EXPIRING.get(noun):
                word, *seconds = EXPIRING[noun]
                yield Broken(key, "never expires", (word, key, *seconds))
    return sound
