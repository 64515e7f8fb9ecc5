"""The public log: every entry is found in all its places, and every place holds only its entries."""

from collections.abc import Iterator

from voteweb.models import Act
from voteweb.store import keys
from voteweb.store.doctor.look import Broken, Look, number, placed, steps

_FIELDS = ("kind", "who", "about", "time", "undoes")
_KINDS = frozenset(each.value for each in Act)


def examine(look: Look) -> Iterator[Broken]:
    """Check all entries and their rankings."""
    for step in steps(look.keys(keys.log_entry("[0-9]*"))):
        yield from _entries(look, step)
    rankings = [
        key for pattern in (keys.log_by("*"), keys.log_kind("*"), keys.log_about("*")) for key in look.keys(pattern)
    ]
    for key in [keys.log(), *rankings]:
        for step in steps(look.members(key)):
            yield from _members(look, key, step)


def _places(kind: str | None, who: str | None, about: str | None) -> list[str]:
    """Return the rankings that an entry stands in."""
    kind, who = kind or "", who or ""
    found = [keys.log(), keys.log_by(who), keys.log_kind(kind), keys.log_kind(kind, who)]
    return [*found, keys.log_about(about)] if about else found


def _entries(look: Look, names: list[str]) -> Iterator[Broken]:
    """Check these entries; what one says of itself never changes, so that it is read a moment before its places."""
    facts = look.at_once([("HMGET", name, *_FIELDS) for name in names])
    sound = []
    for name, (kind, who, about, time, undoes) in zip(names, facts, strict=True):
        at = number(time)
        if kind not in _KINDS or not who or at is None:
            yield Broken(name, "has no kind, no time, or nobody who did it")
        else:
            sound.append((name, at, _places(kind, who, about), keys.log_entry(undoes) if undoes else ""))
    commands: list[tuple[str, ...]] = []
    for name, _, places, undone in sound:
        commands += [("ZSCORE", key, name) for key in places]
        commands += [("HEXISTS", undone, "undone")] if undone else []
    answers = iter(look.at_once(commands))
    for name, at, places, undone in sound:
        for key in places:
            yield from placed(key, name, next(answers), at)
        if undone and not next(answers):
            yield Broken(undone, f"is undone by {name}, but does not say so")


def _members(look: Look, key: str, members: list[str]) -> Iterator[Broken]:
    wrong = [member for member in members if not member.startswith(keys.log_count())]
    yield from (Broken(key, f"holds {member}, which is no entry") for member in wrong)
    members = [member for member in members if member.startswith(keys.log_count())]
    facts = look.at_once([("HMGET", member, "kind", "who", "about") for member in members])
    for member, (kind, who, about) in zip(members, facts, strict=True):
        if kind is None:
            yield Broken(key, f"holds {member}, which is no entry")
        elif key not in _places(kind, who, about):
            yield Broken(key, f"holds {member}, which does not belong there")
