"""Check the index of members, the lists of admins, held accounts and removals, and what who left leaves behind."""

from collections.abc import Iterator

from voteweb.core.models import Role
from voteweb.store.account_deletion import keys_left_behind
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding, check_placement
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, batched, split_evenly
from voteweb.store.users import HAS_WORK

_FIELDS = ("id", "left", "role", "banned", "banned-until", "since", "held", "ban-removal")


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check the places of all members, and the members of the lists."""
    keys = scanner.site_keys
    for batch in batched(scanner.keys(keys.user("?*"))):
        yield from check_members(scanner, [keys.split(key)[1] for key in batch])
    for key in (keys.users(), keys.admins(), keys.held(), keys.ban_removals()):
        for names in batched(scanner.members(key)):
            stored = scanner.run_atomic([("EXISTS", keys.user(name)) for name in names])
            yield from check_members(scanner, [name for name, exists in zip(names, stored, strict=True) if not exists])


def check_members(scanner: Scanner, names: list[str]) -> Iterator[Finding]:
    """Check whether these names, which may be nobody's, are in those of the lists in which they should be."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for name in names:
        commands += [
            ("HMGET", keys.user(name), *_FIELDS),
            ("ZSCORE", keys.users(), name),
            ("SISMEMBER", keys.admins(), name),
            ("ZSCORE", keys.held(), name),
            ("SISMEMBER", keys.ban_removals(), name),
        ]
    replies = split_evenly(scanner.run_atomic(commands), len(names))
    for name, (fields, indexed, is_in_admins, queued, is_in_work) in zip(names, replies, strict=True):
        id, left, role, banned, until, since, held, removal = fields
        is_member, fix = id is not None and left is None, fixes.member_lists(keys, name)
        joined = (finite_number(since) or 0.0) if is_member else None
        yield from check_placement(keys.users(), name, indexed, joined, fix)
        is_admin = is_member and role == Role.ADMIN and ((banned or "0") == "0" or finite_number(until) is not None)
        if is_admin != bool(is_in_admins):
            what = f"lacks {name}" if is_admin else f"holds {name}, who is no admin or cannot log in"
            yield Finding(keys.admins(), what, fix)
        waits = is_member and held is not None and (banned or "0") == "0"
        yield from check_placement(keys.held(), name, queued, (finite_number(held) or 0.0) if waits else None, fix)
        removes = is_member and HAS_WORK.match(removal or "") is not None
        if removes != bool(is_in_work):
            what = f"lacks {name}" if removes else f"holds {name}, of whom a ban removes nothing"
            yield Finding(keys.ban_removals(), what, fix)
    yield from _check_left(scanner, names)


def _check_left(scanner: Scanner, names: list[str]) -> Iterator[Finding]:
    """Check that those of these members who left have nothing left behind, or are being dealt with."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for name in names:
        commands += [
            ("HEXISTS", keys.user(name), "left"),
            ("SISMEMBER", keys.leaving(), name),
            ("EXISTS", *keys_left_behind(keys, name)),
        ]
    replies = split_evenly(scanner.run_atomic(commands), len(names))
    for name, (has_left, is_leaving, left_behind) in zip(names, replies, strict=True):
        if has_left and left_behind and not is_leaving:
            what = f"lacks {name}, who left articles, reports or invitations behind"
            yield Finding(keys.leaving(), what, ("SADD", keys.leaving(), name))
