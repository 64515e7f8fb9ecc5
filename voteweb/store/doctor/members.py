"""Check members: how they came in, and those whose accounts are being deleted."""

from collections.abc import Iterator
from typing import NamedTuple

from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding, check_placement
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.keys import invitation_digest, invitation_member
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, split_evenly


class _Invitation(NamedTuple):
    """A complete invitation; ``used`` is the name of who joined by it, or None."""

    key: str
    member: str
    by: str
    until: float
    used: str | None


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all invitations, one-time links, sessions and accounts being deleted."""
    keys = scanner.site_keys
    yield from scanner.findings(scanner.keys(keys.invite("*")), _check_invitations)
    yield from scanner.findings(scanner.ranking_members(scanner.keys(keys.invites("*"))), _check_made)
    yield from scanner.findings(scanner.keys(keys.reset("*")), _check_resets)
    yield from scanner.findings(scanner.keys(keys.sessions("*")), _check_sessions)
    yield from scanner.findings(scanner.members(keys.leaving()), _check_leaving)


def _check_invitations(scanner: Scanner, invitation_keys: list[str]) -> Iterator[Finding]:
    """Check these invitations. All fields but "used" never change, and a used one stays used."""
    keys = scanner.site_keys
    reads = [(("EXISTS", key), ("HMGET", key, "by", "until", "used")) for key in invitation_keys]
    stored = split_evenly(scanner.run_atomic([command for pair in reads for command in pair]), len(reads))
    complete = []
    for key, (exists, (by, until, used)) in zip(invitation_keys, stored, strict=True):
        end = finite_number(until)
        if not exists:  # deleted since it was found
            continue
        if not by or end is None:
            why_not = "the value is stored nowhere else: set the field, or delete the key"
            yield Finding(key, "has no maker or no end", why_not=why_not)
        else:
            complete.append(_Invitation(key, invitation_member(keys.split(key)[1]), by, end, used))
    commands: list[Command] = []
    for invitation in complete:
        commands += [
            ("ZSCORE", keys.invites(invitation.by), invitation.member),
            ("HEXISTS", keys.user(invitation.by), "id"),
            ("HMGET", keys.user(invitation.used or invitation.by), "id", "invited-by"),
        ]
    replies = split_evenly(scanner.run_atomic(commands), len(complete))
    for invitation, (score, is_member, (user_id, inviter)) in zip(complete, replies, strict=True):
        ranking = keys.invites(invitation.by)
        fix = fixes.index_entry(invitation.key, invitation.member, ranking, "until")
        yield from check_placement(ranking, invitation.member, score, invitation.until, fix)
        if not is_member:
            why_not = "the name is stored nowhere else: a backup may hold the member"
            yield Finding(invitation.key, f"was made by {invitation.by}, who is no member", why_not=why_not)
        if invitation.used and inviter != invitation.by:
            yield _wrong_inviter(scanner, invitation, user_id, inviter)


def _wrong_inviter(scanner: Scanner, invitation: _Invitation, user_id: str | None, inviter: str | None) -> Finding:
    """Return the finding that an invitation and the member who used it name different inviters."""
    user = scanner.site_keys.user(invitation.used or "")
    can_fix = user_id is not None and inviter is None
    return Finding(
        invitation.key,
        f"was used by {invitation.used}, whom {inviter or 'nobody'} invited",
        ("HSETNX", user, "invited-by", invitation.by) if can_fix else (),
        "one of the two is wrong, and nothing else tells which",
    )


def _check_made(scanner: Scanner, places: list[tuple[str, str]]) -> Iterator[Finding]:
    """Check that each member of these rankings is an invitation made by the ranking's owner."""
    keys = scanner.site_keys
    for key, member in places:
        if not invitation_digest(member):
            yield Finding(key, f"holds {member}, which is no invitation", fixes.remove_member(keys, key, member))
    places = [(key, member) for key, member in places if invitation_digest(member)]
    invitation_keys = [keys.invite(invitation_digest(member)) for _, member in places]
    makers = scanner.run_atomic([("HGET", invitation_key, "by") for invitation_key in invitation_keys])
    for (key, member), invitation_key, by in zip(places, invitation_keys, makers, strict=True):
        fix = fixes.remove_stray_member(key, member, invitation_key, "by", by)
        if by is None:
            yield Finding(key, f"holds {member}, which is no invitation", fix)
        elif keys.invites(by) != key:
            yield Finding(key, f"holds {member}, which {by} made", fix)


def _check_resets(scanner: Scanner, reset_keys: list[str]) -> Iterator[Finding]:
    """Check that these one-time links belong to members."""
    stored = scanner.run_atomic([("GET", key) for key in reset_keys])
    owners = [(key, link.partition(" ")[0]) for key, link in zip(reset_keys, stored, strict=True) if link is not None]
    are_members = scanner.run_atomic([("HEXISTS", scanner.site_keys.user(owner), "id") for _, owner in owners])
    for (key, owner), is_member in zip(owners, are_members, strict=True):
        if not is_member:
            yield Finding(key, f"is for {owner}, who is no member", ("UNLINK", key))


def _check_sessions(scanner: Scanner, session_keys: list[str]) -> Iterator[Finding]:
    """Check that these sessions belong to members."""
    keys = scanner.site_keys
    users = [keys.user(keys.split(key)[1]) for key in session_keys]
    are_members = scanner.run_atomic([("HEXISTS", user, "id") for user in users])
    for key, is_member in zip(session_keys, are_members, strict=True):
        if not is_member:
            yield Finding(key, "holds sessions of nobody: there is no such member", ("UNLINK", key))


def _check_leaving(scanner: Scanner, names: list[str]) -> Iterator[Finding]:
    """Check that these members whose accounts are being deleted have left."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for name in names:
        commands += [("SISMEMBER", keys.leaving(), name), ("HMGET", keys.user(name), "id", "left")]
    replies = split_evenly(scanner.run_atomic(commands), len(names))
    for name, (is_leaving, (id, left)) in zip(names, replies, strict=True):
        if is_leaving and (id is None or left is None):
            field = "id" if id is None else "left"
            fix = fixes.remove_stray_member(keys.leaving(), name, keys.user(name), field, None)
            yield Finding(keys.leaving(), f"holds {name}, who {'is no member' if id is None else 'has not left'}", fix)
