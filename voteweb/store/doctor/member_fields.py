"""Check the fields of members: each has an id that nobody else has, a name, a role, a password field and times."""

from collections.abc import Iterable, Iterator

from voteweb.core.models import Role
from voteweb.core.names import name_key
from voteweb.core.recovery_codes import is_stored
from voteweb.store.bitmap import Bitmap
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.keys import Keys
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, batched, split_evenly

_FIELDS = ("id", "name", "role", "password", "since", "banned", "banned-until", "left", "held", "recovered", "recovery")
_BY_HAND = "the value is stored nowhere else: a backup may hold it; set the field with HSET"


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all members."""
    keys, ids, ids_met_again = scanner.site_keys, Bitmap(), set()
    for batch in batched(scanner.keys(keys.user("?*"))):
        names = [keys.split(key)[1] for key in batch]
        commands: list[Command] = []
        for name in names:
            commands += [
                ("EXISTS", keys.user(name)),
                ("HMGET", keys.user(name), *_FIELDS),
                ("ZSCORE", keys.users(), name),
            ]
        replies = split_evenly(scanner.run_atomic(commands), len(names))
        for name, (exists, values, joined) in zip(names, replies, strict=True):
            if exists:  # else deleted since it was found
                yield from _check_fields(scanner, name, dict(zip(_FIELDS, values, strict=True)), joined)
            if _is_id(values[0]) and not ids.add(int(values[0])):
                ids_met_again.add(values[0])
    if ids_met_again:
        yield from _check_shared_ids(scanner, ids_met_again)


def _check_fields(
    scanner: Scanner, name: str, fields: dict[str, str | None], joined: float | None
) -> Iterator[Finding]:
    """Check one member, *joined* at that time by the index of members."""
    keys, key = scanner.site_keys, scanner.site_keys.user(name)
    id, role = fields["id"], fields["role"]
    if not _is_id(id):
        yield Finding(key, f"has the id {id}, which is no number" if id else "has no id", why_not=_BY_HAND)
    if not fields["name"]:
        yield Finding(key, f"has no name: it is {name} now", fixes.field(key, "name", fields["name"], name))
    elif name_key(fields["name"]) != name:
        yield Finding(key, f"has the name {fields['name']}, which belongs to another key", why_not=_BY_HAND)
    if role not in set(Role):
        what = f"has the role {role or 'none'}, which is no role: it is {Role.MEMBER} now"
        yield Finding(key, what, fixes.field(key, "role", role, Role.MEMBER))
    if fields["password"] is None:
        what = "has no password field: it is empty now, and voteweb user password sets a new password"
        yield Finding(key, what, fixes.field(key, "password", None, ""))
    if finite_number(fields["since"]) is None:
        yield _lost_since(keys, key, name, joined)
    if not is_stored(fields["recovery"] or ""):
        what = "has recovery codes that are no digests: they are removed now, and the member can make new ones"
        yield Finding(key, what, fixes.field(key, "recovery", fields["recovery"], ""))
    for field in ("banned", "banned-until", "left", "held", "recovered"):
        if fields[field] is not None and finite_number(fields[field]) is None:
            yield Finding(key, f"has the time {fields[field]} in the field {field}, which is no time", why_not=_BY_HAND)


def _lost_since(keys: Keys, key: str, name: str, joined: float | None) -> Finding:
    if not joined:
        return Finding(key, "has no time of joining", why_not=_BY_HAND)
    what = f"has no time of joining: it is {joined:.6f} now, as in {keys.users()}"
    return Finding(key, what, fixes.lost_time(keys, key, "since", keys.users(), name))


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


def _is_id(stored: str | None) -> bool:
    return stored is not None and stored.isascii() and stored.isdigit() and str(int(stored)) == stored
