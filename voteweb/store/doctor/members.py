"""Members: how they came in, and those who are leaving."""

from collections.abc import Iterator
from typing import Any

from voteweb.store import keys
from voteweb.store.doctor import mends
from voteweb.store.doctor.broken import Broken, placed
from voteweb.store.look import Look, number, rows, steps


def examine(look: Look) -> Iterator[Broken]:
    """Check all invitations, one-time links and leavings."""
    for step in steps(look.keys(keys.invite("*"))):
        yield from _invitations(look, step)
    for places in steps(look.ranked(look.keys(keys.invites("*")))):
        yield from _made(look, places)
    for step in steps(look.keys(keys.reset("*"))):
        yield from _resets(look, step)
    for step in steps(look.members(keys.leaving())):
        yield from _leaving(look, step)


def _invitations(look: Look, names: list[str]) -> Iterator[Broken]:
    """Check these invitations; all but "used" stays as it is, and what is used stays used."""
    facts = look.at_once([("HMGET", name, "by", "until", "used") for name in names])
    sound = []
    for name, (by, until, used) in zip(names, facts, strict=True):
        end = number(until)
        if not by or end is None:
            yield Broken(
                name, "has no maker or no end", why_not="nothing else says it: set the field, or delete the key"
            )
        else:
            sound.append((name, by, end, used))
    commands: list[tuple[str, ...]] = []
    for name, by, _, used in sound:
        commands += [
            ("ZSCORE", keys.invites(by), name),
            ("HEXISTS", keys.user(by), "id"),
            ("HMGET", keys.user(used or by), "id", "invited-by"),
        ]
    answers = rows(look.at_once(commands), len(sound))
    for (name, by, end, used), (place, is_member, (id, inviter)) in zip(sound, answers, strict=True):
        yield from placed(keys.invites(by), name, place, end, mends.placed(name, keys.invites(by), "until"))
        if not is_member:
            why_not = "nothing else says who it was: a backup may hold the member"
            yield Broken(name, f"was made by {by}, who is no member", why_not=why_not)
        if used and inviter != by:
            mend = ("HSETNX", keys.user(used), "invited-by", by) if id is not None and inviter is None else ()
            why_not = "one of the two is wrong, and nothing else says which"
            yield Broken(name, f"was used by {used}, whom {inviter or 'nobody'} invited", mend, why_not)


def _made(look: Look, places: list[tuple[str, str]]) -> Iterator[Broken]:
    """Check of these lists and members that the member is an invitation, made by the one whose list it is."""
    for key, member in places:
        if not member.startswith(keys.invite("")):
            yield Broken(key, f"holds {member}, which is no invitation", mends.nonsense(key, member))
    places = [(key, member) for key, member in places if member.startswith(keys.invite(""))]
    makers = look.at_once([("HGET", member, "by") for _, member in places])
    for (key, member), by in zip(places, makers, strict=True):
        mend = mends.stray(key, member, member, "by", by)
        if by is None:
            yield Broken(key, f"holds {member}, which is no invitation", mend)
        elif keys.invites(by) != key:
            yield Broken(key, f"holds {member}, which {by} made", mend)


def _resets(look: Look, names: list[str]) -> Iterator[Broken]:
    found = look.at_once([("GET", name) for name in names])
    owners = [(name, owner) for name, owner in zip(names, found, strict=True) if owner is not None]
    known = look.at_once([("HEXISTS", keys.user(owner), "id") for _, owner in owners])
    for (name, owner), is_member in zip(owners, known, strict=True):
        if not is_member:
            yield Broken(name, f"is for {owner}, who is no member", ("UNLINK", name))


def _leaving(look: Look, names: list[str]) -> Iterator[Broken]:
    commands: list[tuple[Any, ...]] = []
    for name in names:
        commands += [("SISMEMBER", keys.leaving(), name), ("HMGET", keys.user(name), "id", "left")]
    for name, (is_here, (id, left)) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if is_here and (id is None or left is None):
            mend = mends.stray(keys.leaving(), name, keys.user(name), "id" if id is None else "left", None)
            yield Broken(keys.leaving(), f"holds {name}, who {'is no member' if id is None else 'has not left'}", mend)
