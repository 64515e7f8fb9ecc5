"""The commands that repair what the doctor finds; the functions return them, doctor/repair.py runs them.

Each may run again, and each checks first whether it is needed.

Redis answers ``repaired``, ``unchanged``, ``again`` (what the caller saw is out of date) or ``unrepairable``; plain
commands answer with the number of their changes.
"""

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.store.article_lists import group_keys, ranking_arguments
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.snapshot import KeyFields
from voteweb.store.keys import Keys, article_member


def article(keys: Keys, settings: Settings, id: int, fields: KeyFields, groups: list[str]) -> Command:
    """Return the command that sets an article's votes and places; *groups* are those of its groups that exist."""
    poster = fields.poster or ""
    return scripts.call(
        "repair_article",
        [
            keys.article(id),
            keys.voted(id),
            *fields.site_lists(keys).keys,
            keys.posted(poster),
            keys.gone(poster),
            fields.link_key(keys),
            fields.poster_key(keys),
            keys.held_articles(),
            *group_keys(keys, groups),
        ],
        [
            article_member(id),
            *ranking_arguments(settings),
            *fields.site_lists(keys).arguments,
            settings.voting_seconds,
            config.LINK_SECONDS,
            fields.groups or "",
            poster,
            fields.link or "",
        ],
    )


def field(key: str, name: str, before: str | None, value: str) -> Command:
    """Return the command that sets the field *name* of a hash, which has the value *before*, to *value*."""
    return scripts.call("repair_field", [key], [name, before or "", value])


def lost_time(keys: Keys, key: str, name: str, ranking: str, member: str) -> Command:
    """Return the command that sets the field *name* of a hash to the time that *member* has in *ranking*."""
    return scripts.call("repair_time", [key, ranking, keys.changes()], [member, name])


def voters(keys: Keys, settings: Settings, id: int | str) -> Command:
    """Return the command that sets when an article's voters expire."""
    return scripts.call(
        "repair_voters", [keys.article(id), keys.voted(id)], [settings.voting_seconds, config.VOTERS_GRACE_SECONDS]
    )


def remove_stray_voter(keys: Keys, id: int | str, voter: int) -> Command:
    """Return the command that removes a *voter* who is no member from an article's voters, and keeps the vote."""
    return scripts.call("remove_stray_voter", [keys.article(id), keys.voted(id)], [voter])


def top(key: str) -> Command:
    """Return the command that takes out of a ranking by votes what it must not hold."""
    return scripts.call("repair_top", [key], [config.MAX_RANKED])


def reports(keys: Keys, id: int) -> Command:
    """Return the command that makes the queue of reports agree with an article's open reports."""
    return scripts.call("repair_reports", [keys.article(id), keys.reports(), keys.report(id)], [article_member(id)])


def answer(keys: Keys, id: int) -> Command:
    """Return the command that makes the queue of answered removals agree with an article."""
    return scripts.call("repair_answer", [keys.article(id), keys.answers()], [article_member(id)])


def group(keys: Keys, name: str, *, is_named: bool) -> Command:
    """Return the command that creates a group if an article (*is_named*) or a title names it, else deletes its rest."""
    return scripts.call(
        "repair_group", [keys.groups(), keys.group_info(name), *group_keys(keys, [name])], [name, int(is_named)]
    )


def member_lists(keys: Keys, name: str) -> Command:
    """Return the command that puts a member into the lists of members and admins, or takes the name out of them."""
    lists = [keys.users(), keys.admins(), keys.held(), keys.ban_removals()]
    return scripts.call("repair_member", [keys.user(name), *lists], [name])


def index_entry(hash_key: str, member: str, ranking: str, field: str) -> Command:
    """Return the command that puts *member*, which stands for a hash, into *ranking* with the number in *field*."""
    return scripts.call("index_log_entry", [hash_key, ranking], [member, field])


def index_log_id(index: str, id: int) -> Command:
    """Return the command that puts the *id* of a log entry into a list of ids."""
    return scripts.call("repair_log_index", [index], [id])


def mark_log_entry(keys: Keys, id: int) -> Command:
    """Return the command that marks a log entry as undone."""
    return scripts.call("repair_log_entry", [keys.log_entries()], [id])


def remove_stray_member(key: str, member: str, hash_key: str, field: str, value: str | None) -> Command:
    """Return the command that removes *member* from *key* if the *field* of *hash_key* still has this *value*."""
    return scripts.call("remove_stray_member", [key, hash_key], [member, field, value or ""])


def remove_member(keys: Keys, key: str, member: str) -> Command:
    """Return the command that removes *member* from *key*, where it can never belong."""
    noun, _ = keys.split(key)
    return ("SREM" if noun in ("group", "imported") else "ZREM", key, member)


def expiry(key: str, newest: float) -> tuple[Command, Command]:
    """Return the commands that set when a link expires, by its *newest* article: if it never does, if too early."""
    at = int(newest) + 1 + config.LINK_SECONDS
    return ("EXPIREAT", key, at, "NX"), ("EXPIREAT", key, at, "GT")
