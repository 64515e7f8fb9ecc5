"""The commands that put right what is broken: each may be run again, and each looks first whether it still is.

Redis answers ``mended``, ``sound``, ``again`` (what the caller saw is out of date) or ``hopeless``, or how many
things it changed.
"""

from math import ceil
from typing import Any

from voteweb import config
from voteweb.config import Settings
from voteweb.store import keys, scripts
from voteweb.store.articles import group_keys
from voteweb.store.doctor.sighting import Facts

Command = tuple[Any, ...]


def article(settings: Settings, name: str, facts: Facts, groups: list[str]) -> Command:
    """Give the article *name* the votes and the places it should have; *groups* are those of its own that exist."""
    poster = facts.poster or ""
    return scripts.call(
        "mend_article",
        [
            name,
            keys.voted(keys.article_id(name)),
            keys.by_time(),
            keys.by_score(),
            keys.good(),
            keys.posted(poster),
            keys.gone(poster),
            facts.link_key,
            facts.owner,
            *group_keys(groups),
        ],
        [
            settings.vote_score,
            settings.good_votes,
            settings.voting_seconds,
            config.LINK_SECONDS,
            facts.groups or "",
            poster,
            facts.link or "",
        ],
    )


def voters(settings: Settings, id: int | str) -> Command:
    """Let an article's voters live as long as they should."""
    return scripts.call(
        "mend_voters", [keys.article(id), keys.voted(id)], [settings.voting_seconds, config.VOTERS_GRACE]
    )


def reports(id: int) -> Command:
    """Let the queue say of an article what its open reports say."""
    return scripts.call("mend_reports", [keys.article(id), keys.reports(), keys.report(id)], [])


def group(name: str, *, is_named: bool) -> Command:
    """Make a group that an article names or that has a title, or clear away what is left of none."""
    return scripts.call(
        "mend_group", [keys.groups(), keys.group_info(name), *group_keys([name])], [name, int(is_named)]
    )


def placed(record: str, key: str, field: str) -> Command:
    """Put *record*, which never changes, into the list *key* under the number in its *field*."""
    return scripts.call("place_record", [record, key], [field])


def stray(key: str, member: str, hash: str, field: str, seen: str | None) -> Command:
    """Take *member* out of the list *key* while the *field* of *hash* still holds what was *seen*."""
    return scripts.call("drop_stray", [key, hash], [member, field, seen or ""])


def nonsense(key: str, member: str) -> Command:
    """Take out of a list what can never be a member of it."""
    return ("SREM" if key.startswith(keys.group("")) else "ZREM", key, member)


def expiry(key: str, newest: float) -> tuple[Command, Command]:
    """Let a link be remembered until its *newest* article asks for it: when it never expires, when it does too soon."""
    at = ceil(newest + config.LINK_SECONDS)
    return ("EXPIREAT", key, at, "NX"), ("EXPIREAT", key, at, "GT")
