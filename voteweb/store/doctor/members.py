"""Check members: their fields, the lists that they are in, their invitations and the addresses of their feeds."""

from collections.abc import Callable, Iterator
from functools import partial

from voteweb.core.names import name_key
from voteweb.store.accounts.users import member_places
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding, Problem, check_place
from voteweb.store.doctor.looks import Fields, Kind, Look, examine_each
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.keys import Keys, invitation_member, is_member_id
from voteweb.store.schema.nouns import BY_HAND, MEMBER_FIELDS, faults
from voteweb.store.schema.numbers import finite_number
from voteweb.store.schema.values import is_time

#: The fields on which something is decided, or that something replaces; pages show the others as they are.
_CHECKED = {
    name: field
    for name, field in MEMBER_FIELDS.items()
    if field.required or field.lost is not None or field.check is is_time
}


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all members and all invitations."""
    keys, ids, shared = scanner.site_keys, Bitmap(), set[str]()
    kind = Kind(keys.user, tuple(MEMBER_FIELDS), partial(_reads, keys))

    def check(seen: Look) -> Iterator[Finding]:
        id = seen.fields["id"] or ""
        if id and is_member_id(id) and not ids.add(int(id)):
            shared.add(id)
        if seen.exists:
            yield from _check_fields(keys, seen)
            yield from _check_places(keys, seen)

    yield from examine_each(scanner, (keys.split(key)[1] for key in scanner.keys(keys.user("?*"))), kind, check)
    if shared:
        yield from _check_shared_ids(scanner, shared)
    digests = (keys.split(key)[1] for key in scanner.keys(keys.invite("*")))
    of_invitations = Kind(keys.invite, ("by", "until", "used"), partial(_reads_of_invitation, keys))
    yield from examine_each(scanner, digests, of_invitations, partial(_check_invitation, keys))
    for noun, field in (("reset", "id"), ("inbox-feed", "inbox-feed"), ("saved-feed", "saved-feed")):
        found = scanner.keys(f"{keys.prefix}{noun}:*")
        yield from scanner.findings(found, partial(_check_addresses, field=field))


def _feeds(keys: Keys, fields: Fields) -> dict[str, str]:
    """Return the fields of a member that are addresses of feeds, with the key of each."""
    spell: dict[str, Callable[[str], str]] = {"inbox-feed": keys.inbox_feed, "saved-feed": keys.saved_feed}
    return {field: key(fields[field] or "") for field, key in spell.items() if fields[field] is not None}


def _reads(keys: Keys, name: str, fields: Fields) -> list[Command]:
    return [
        ("ZSCORE", keys.users(), name),
        ("SISMEMBER", keys.admins(), name),
        ("ZSCORE", keys.held(), name),
        ("SISMEMBER", keys.ban_removals(), name),
        ("SISMEMBER", keys.leaving(), name),
        ("EXISTS", *keys_left_behind(keys, name)),
        ("EXISTS", keys.follows(name), keys.hides(name), keys.saved(name)),
        *(("GET", key) for key in _feeds(keys, fields).values()),
    ]


def _check_fields(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check what the hash of a member holds."""
    key, name, joined = keys.user(seen.name), seen.fields["name"], seen.replies[0]
    others = {"name": seen.name, **({"since": f"{float(joined):.6f}"} if joined else {})}
    stored = {field: value for field, value in seen.fields.items() if value is not None}
    for field, value in faults(_CHECKED, stored):
        what = f"has {value:.60} in the field {field}, which is no such value" if value else f"has no {field}"
        lost = others.get(field, MEMBER_FIELDS[field].lost)
        if lost is None:
            yield Finding(key, what, why_not=BY_HAND)
        else:
            yield Finding(key, f"{what}: it is {lost or 'empty'} now", seen.fix(("HSET", key, field, lost)))
    if name and name_key(name) != seen.name:
        yield Finding(key, f"has the name {name}, which belongs to another key", why_not=BY_HAND)
    if seen.replies[6] and seen.fields["id"] is not None and seen.fields["my"] is None:
        what = "has no field my, so that no page reads what the member follows, hides and saved"
        yield Finding(key, what, ("HSETNX", key, "my", f"{seen.now:.6f}"))


def _check_places(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check whether a member is in those of the lists in which they should be, and leads to their feeds."""
    name, fields, user, leaving = seen.name, seen.fields, keys.user(seen.name), keys.leaving()
    is_leaving, left_behind, _, *owners = seen.replies[4:]
    problems: list[Problem] = []
    for (key, place), stored in zip(member_places(keys, fields).items(), seen.replies[:4], strict=True):
        problems += check_place(keys, key, name, stored, place)
    if is_leaving and (fields["id"] is None or fields["left"] is None):
        problems.append(Problem(leaving, f"holds {name}, which does not belong there", (("SREM", leaving, name),)))
    elif fields["left"] is not None and left_behind and not is_leaving:
        what = f"lacks {name}, who left articles, reports or invitations behind"
        problems.append(Problem(leaving, what, (("SADD", leaving, name),)))
    for field, owner in zip(_feeds(keys, fields), owners, strict=True):
        if owner != name:
            what = f"has a feed whose address leads to {owner or 'nobody'}: the member has none now"
            problems.append(Problem(user, what, (("HDEL", user, field),)))
    yield from seen.findings(problems)


def _check_addresses(scanner: Scanner, found: list[str], *, field: str) -> Iterator[Finding]:
    """Check that these one-time links, or these addresses of feeds, are ones of members."""
    keys = scanner.site_keys
    names = [(stored or "").partition(" ")[0] for stored in scanner.run_atomic([("GET", key) for key in found])]
    values = scanner.run_atomic([("HGET", keys.user(name or "?"), field) for name in names])
    for key, name, value in zip(found, names, values, strict=True):
        if name and (value is None or (field != "id" and keys.split(key)[1] != value)):
            yield Finding(key, f"is for {name:.40}, who has no such address", ("UNLINK", key))


def _check_shared_ids(scanner: Scanner, shared: set[str]) -> Iterator[Finding]:
    """Check whose these ids are, which were met more than once: a scan may list one member twice."""
    keys = scanner.site_keys
    names_of: dict[str, set[str]] = {id: set() for id in shared}
    for batch in batched(scanner.keys(keys.user("?*"))):
        ids = scanner.run_atomic([("HGET", key, "id") for key in batch])
        for key, id in zip(batch, ids, strict=True):
            if id in names_of:
                names_of[id].add(keys.split(key)[1])
    why_not = f"nothing tells whose votes are whose: give all but one the ids that INCR {keys.last_user_id()} returns"
    for id, names in names_of.items():
        for name in sorted(names) if len(names) > 1 else ():
            others = ", ".join(sorted(names - {name}))
            yield Finding(keys.user(name), f"has the id {id}, which is also that of {others}", why_not=why_not)


def _reads_of_invitation(keys: Keys, digest: str, fields: Fields) -> list[Command]:
    by, used = fields["by"] or "?", fields["used"] or "?"
    of_user = ("HMGET", keys.user(used), "id", "invited-by")
    return [("ZSCORE", keys.invites(by), invitation_member(digest)), ("HEXISTS", keys.user(by), "id"), of_user]


def _check_invitation(keys: Keys, seen: Look) -> Iterator[Finding]:
    key, (by, stored_end, used), (score, is_member, user) = keys.invite(seen.name), seen.fields.values(), seen.replies
    until = finite_number(stored_end)
    if not seen.exists:
        return
    if not by or until is None:
        yield Finding(key, "has no maker or no end", why_not=f"{BY_HAND}, or delete the key")
        return
    yield from seen.findings([*check_place(keys, keys.invites(by), invitation_member(seen.name), score, until)])
    if not is_member:
        why_not = "the name is stored nowhere else: a backup may hold the member"
        yield Finding(key, f"was made by {by}, who is no member", why_not=why_not)
    if used and user[1] != by:
        can_fix = user[0] is not None and user[1] is None
        what = f"was used by {used}, whom {user[1] or 'nobody'} invited"
        fix: Command = ("HSETNX", keys.user(used), "invited-by", by) if can_fix else ()
        yield Finding(key, what, fix, "one of the two is wrong, and nothing else tells which")
