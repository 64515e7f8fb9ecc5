"""Members: how they came in, and those who are leaving."""

from collections.abc import Iterator
from typing import Any

from voteweb.store import keys
from voteweb.store.doctor.look import Broken, Look, number, placed, rows, steps


def examine(look: Look) -> Iterator[Broken]:
    """Check all invitations, one-time links and leavings."""
    for step in steps(look.keys(keys.invite("*"))):
        yield from _invitations(look, step)
    for key in look.keys(keys.invites("*")):
        for step in steps(look.members(key)):
            yield from _made(look, key, step)
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
            yield Broken(name, "has no maker or no end")
        else:
            sound.append((name, by, end, used))
    commands: list[tuple[str, ...]] = []
    for name, by, _, used in sound:
        commands += [
            ("ZSCORE", keys.invites(by), name),
            ("HEXISTS", keys.user(by), "id"),
            ("HGET", keys.user(used), "invited-by") if used else ("ECHO", by),
        ]
    answers = rows(look.at_once(commands), len(sound))
    for (name, by, end, used), (place, is_member, inviter) in zip(sound, answers, strict=True):
        yield from placed(keys.invites(by), name, place, end)
        if not is_member:
            yield Broken(name, f"was made by {by}, who is no member")
        if inviter != by:
            yield Broken(name, f"was used by {used}, whom {inviter or 'nobody'} invited")


def _made(look: Look, key: str, members: list[str]) -> Iterator[Broken]:
    """Check that these invitations are there, and made by the member in whose list they stand."""
    wrong = [member for member in members if not member.startswith(keys.invite(""))]
    yield from (Broken(key, f"holds {member}, which is no invitation") for member in wrong)
    members = [member for member in members if member.startswith(keys.invite(""))]
    for member, by in zip(members, look.at_once([("HGET", each, "by") for each in members]), strict=True):
        if by is None:
            yield Broken(key, f"holds {member}, which is no invitation")
        elif keys.invites(by) != key:
            yield Broken(key, f"holds {member}, which {by} made")


def _resets(look: Look, names: list[str]) -> Iterator[Broken]:
    found = look.at_once([("GET", name) for name in names])
    owners = [(name, owner) for name, owner in zip(names, found, strict=True) if owner is not None]
    known = look.at_once([("HEXISTS", keys.user(owner), "id") for _, owner in owners])
    for (name, owner), is_member in zip(owners, known, strict=True):
        if not is_member:
            yield Broken(name, f"is for {owner}, who is no member")


def _leaving(look: Look, names: list[str]) -> Iterator[Broken]:
    commands: list[tuple[Any, ...]] = []
    for name in names:
        commands += [("SISMEMBER", keys.leaving(), name), ("HMGET", keys.user(name), "id", "left")]
    for name, (is_here, (id, left)) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if is_here and (id is None or left is None):
            yield Broken(keys.leaving(), f"holds {name}, who {'is no member' if id is None else 'has not left'}")
