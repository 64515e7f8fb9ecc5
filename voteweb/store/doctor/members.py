"""Check members: their fields, the lists that they are in, their invitations and the addresses of their feeds."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from voteweb.core.mail import FIELD_CHECKS
from voteweb.core.models import Role
from voteweb.core.names import name_key
from voteweb.core.recovery_codes import is_stored
from voteweb.store.accounts.users import member_places
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import BY_HAND, Finding, check_place
from voteweb.store.doctor.looks import Fields, Kind, Look, examine_each, find_strays
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.keys import Keys, invitation_digest, invitation_member, is_member_id
from voteweb.store.schema.values import finite_number


class _Field(NamedTuple):
    """A field of a member: what it may hold ("" if it is missing), and what replaces another value, None: nothing."""

    check: Callable[[str], bool]
    lost: str | None = None


def _is_time(stored: str) -> bool:
    return finite_number(stored) is not None


_FIELDS = {
    "id": _Field(is_member_id),
    "name": _Field(bool),
    "role": _Field(frozenset(Role).__contains__, Role.MEMBER),
    "password": _Field(lambda stored: True, ""),
    "since": _Field(_is_time),
    "recovery": _Field(is_stored, ""),
    **dict.fromkeys(("banned", "banned-until", "left", "held", "recovered"), _Field(_is_time)),
    **{name: _Field(check, "") for name, check in FIELD_CHECKS.items()},
}
_REQUIRED = {"id", "name", "role", "password", "since"}
#: Why somebody does not belong into a list, where it is worth a word.
_STRAYS = {"admins": "who is no admin or cannot log in", "ban-removals": "of whom a ban removes nothing"}


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all members, who else is in their lists, and all invitations."""
    keys, ids, shared = scanner.site_keys, Bitmap(), set[str]()
    kind = Kind(keys.user, (*_FIELDS, "ban-removal", "inbox-feed", "saved-feed"), partial(_reads, keys))

    def check(seen: Look) -> Iterator[Finding]:
        id = seen.fields["id"] or ""
        if id and is_member_id(id) and not ids.add(int(id)):
            shared.add(id)
        if seen.replies[0]:
            yield from _check_fields(keys, seen)
        yield from _check_lists(keys, seen)

    yield from examine_each(scanner, (keys.split(key)[1] for key in scanner.keys(keys.user("?*"))), kind, check)
    if shared:
        yield from _check_shared_ids(scanner, shared)
    lists = (*member_places(keys, {}), keys.leaving())
    for names in batched(name for key in lists for name in scanner.members(key)):
        exist = scanner.run_atomic([("EXISTS", keys.user(name)) for name in names])
        nobody = [name for name, exists in zip(names, exist, strict=True) if not exists]
        yield from examine_each(scanner, nobody, kind, partial(_check_lists, keys))
    yield from _check_invitations(scanner)
    for field, feed_key in _feed_keys(keys).items():
        yield from scanner.findings(scanner.keys(feed_key("*")), partial(_check_feeds, field=field, feed_key=feed_key))


def _feed_keys(keys: Keys) -> dict[str, Callable[[str], str]]:
    """Return the fields of a member that are addresses of feeds, with what spells the key of one."""
    return {"inbox-feed": keys.inbox_feed, "saved-feed": keys.saved_feed}


def _feeds(keys: Keys, fields: Fields) -> dict[str, str]:
    """Return the fields of a member that are addresses of feeds, with the key of each."""
    return {field: key(fields[field] or "") for field, key in _feed_keys(keys).items() if fields[field] is not None}


def _reads(keys: Keys, name: str, fields: Fields) -> list[Command]:
    return [
        ("EXISTS", keys.user(name)),
        ("ZSCORE", keys.users(), name),
        ("SISMEMBER", keys.admins(), name),
        ("ZSCORE", keys.held(), name),
        ("SISMEMBER", keys.ban_removals(), name),
        ("SISMEMBER", keys.leaving(), name),
        ("EXISTS", *keys_left_behind(keys, name)),
        *(("GET", key) for key in _feeds(keys, fields).values()),
    ]


def _check_fields(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check what the hash of a member holds."""
    key, name, joined = keys.user(seen.name), seen.fields["name"], seen.replies[1]
    others = {"name": seen.name, **({"since": f"{float(joined):.6f}"} if joined else {})}
    for field, (is_right, lost) in _FIELDS.items():
        value = seen.fields[field]
        if is_right(value or "") if value is not None else field not in _REQUIRED:
            continue
        what = f"has {value:.60} in the field {field}, which is no such value" if value else f"has no {field}"
        lost = others.get(field, lost)
        if lost is None:
            yield Finding(key, what, why_not=BY_HAND)
        else:
            yield Finding(key, f"{what}: it is {lost or 'empty'} now", seen.fix(("HSET", key, field, lost)))
    if name and name_key(name) != seen.name:
        yield Finding(key, f"has the name {name}, which belongs to another key", why_not=BY_HAND)


def _check_lists(keys: Keys, seen: Look) -> Iterator[Finding]:
    """Check whether a name, which may be nobody's, is in those of the lists in which it should be."""
    name, fields, user = seen.name, seen.fields, keys.user(seen.name)
    found = [
        (key, *problem)
        for (key, place), stored in zip(member_places(keys, fields).items(), seen.replies[1:5], strict=True)
        for problem in check_place(
            keys, key, name, stored, place, _STRAYS.get(keys.split(key)[0], "which does not belong there")
        )
    ]
    fix = seen.fix(*(write for _, _, writes in found for write in writes)) if found else ()
    yield from (Finding(key, what, fix) for key, what, _ in found)
    is_leaving, left_behind, *rest = seen.replies[5:]
    if is_leaving and (fields["id"] is None or fields["left"] is None):
        who = "is no member" if fields["id"] is None else "has not left"
        yield Finding(keys.leaving(), f"holds {name}, who {who}", seen.fix(("SREM", keys.leaving(), name)))
    elif fields["left"] is not None and left_behind and not is_leaving:
        what = f"lacks {name}, who left articles, reports or invitations behind"
        yield Finding(keys.leaving(), what, ("SADD", keys.leaving(), name))
    for field, owner in zip(_feeds(keys, fields), rest, strict=True):
        if owner != name:
            what = f"has a feed whose address leads to {owner or 'nobody'}: the member has none now"
            yield Finding(user, what, seen.fix(("HDEL", user, field)))


def _check_feeds(
    scanner: Scanner, found: list[str], *, field: str, feed_key: Callable[[str], str]
) -> Iterator[Finding]:
    """Check that these addresses of feeds are those of their members."""
    names = scanner.run_atomic([("GET", key) for key in found])
    digests = scanner.run_atomic([("HGET", scanner.site_keys.user(name or "?"), field) for name in names])
    for key, name, digest in zip(found, names, digests, strict=True):
        if name is not None and (digest is None or feed_key(digest) != key):
            yield Finding(key, f"is no address that {name:.40} has", ("UNLINK", key))


def _check_shared_ids(scanner: Scanner, shared: Iterable[str]) -> Iterator[Finding]:
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


def _check_invitations(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all invitations, and that the members of rankings of them are ones of their maker."""
    keys = scanner.site_keys

    def reads(digest: str, stored: Fields) -> list[Command]:
        by, used = stored["by"] or "?", stored["used"] or "?"
        of_user = ("HMGET", keys.user(used), "id", "invited-by")
        return [("ZSCORE", keys.invites(by), invitation_member(digest)), ("HEXISTS", keys.user(by), "id"), of_user]

    def key_of(member: str) -> str | None:
        return keys.invite(invitation_digest(member)) if invitation_digest(member) else None

    def why_stray(key: str, stored: Fields) -> str:
        by = stored["by"]
        return "which is no invitation" if by is None else "" if keys.invites(by) == key else f"which {by} made"

    def check_made(scanner: Scanner, places: list[tuple[str, str]]) -> Iterator[Finding]:
        return find_strays(scanner, key_of, ("by",), why_stray, places)

    digests = (keys.split(key)[1] for key in scanner.keys(keys.invite("*")))
    kind = Kind(keys.invite, ("by", "until", "used"), reads)
    yield from examine_each(scanner, digests, kind, partial(_check_invitation, keys))
    yield from scanner.findings(scanner.ranking_members(scanner.keys(keys.invites("*"))), check_made)


def _check_invitation(keys: Keys, seen: Look) -> Iterator[Finding]:
    key, (by, stored_end, used), (score, is_member, user) = keys.invite(seen.name), seen.fields.values(), seen.replies
    until = finite_number(stored_end)
    if not seen.exists:
        return
    if not by or until is None:
        why_not = "the value is stored nowhere else: set the field, or delete the key"
        yield Finding(key, "has no maker or no end", why_not=why_not)
        return
    for what, writes in check_place(keys, keys.invites(by), invitation_member(seen.name), score, until):
        yield Finding(keys.invites(by), what, seen.fix(*writes))
    if not is_member:
        why_not = "the name is stored nowhere else: a backup may hold the member"
        yield Finding(key, f"was made by {by}, who is no member", why_not=why_not)
    if used and user[1] != by:
        can_fix = user[0] is not None and user[1] is None
        what = f"was used by {used}, whom {user[1] or 'nobody'} invited"
        fix: Command = ("HSETNX", keys.user(used), "invited-by", by) if can_fix else ()
        yield Finding(key, what, fix, "one of the two is wrong, and nothing else tells which")
