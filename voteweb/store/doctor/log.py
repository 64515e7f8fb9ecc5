"""The public log: every entry is found in all its places, and every place holds only its entries."""

from collections.abc import Iterator
from itertools import chain

from voteweb.models import Act
from voteweb.store import keys
from voteweb.store.doctor import mends
from voteweb.store.doctor.broken import Broken, placed
from voteweb.store.log import rankings
from voteweb.store.look import Look, number, steps

_FIELDS = ("kind", "who", "about", "time", "undoes")
_KINDS = frozenset(each.value for each in Act)


def examine(look: Look) -> Iterator[Broken]:
    """Check all entries and their rankings."""
    for step in steps(look.keys(keys.log_entry("[0-9]*"))):
        yield from _entries(look, step)
    patterns = (keys.log_by("*"), keys.log_kind("*"), keys.log_about("*"))
    lists = chain([keys.log()], *(look.keys(pattern) for pattern in patterns))
    for places in steps(look.ranked(lists)):
        yield from _members(look, places)


def _entries(look: Look, names: list[str]) -> Iterator[Broken]:
    """Check these entries; what one says of itself never changes, so that it is read a moment before its places."""
    facts = look.at_once([("HMGET", name, *_FIELDS) for name in names])
    sound = []
    for name, (kind, who, about, time, undoes) in zip(names, facts, strict=True):
        at = number(time)
        if kind not in _KINDS or not who or at is None:
            why_not = "nothing else says it: set the field with HSET, then repair again"
            yield Broken(name, "has no kind, no time, or nobody who did it", why_not=why_not)
        else:
            sound.append((name, at, rankings(kind, who, about or ""), keys.log_entry(undoes) if undoes else ""))
    commands: list[tuple[str, ...]] = []
    for name, _, lists, undone in sound:
        commands += [("ZSCORE", key, name) for key in lists]
        commands += [("HEXISTS", undone, "kind"), ("HEXISTS", undone, "undone")] if undone else []
    answers = iter(look.at_once(commands))
    for name, at, lists, undone in sound:
        for key in lists:
            yield from placed(key, name, next(answers), at, mends.placed(name, key, "time"))
        if undone:
            is_there, is_undone = next(answers), next(answers)
            mend = ("HSET", undone, "undone", "1") if is_there else ()
            if not is_undone:
                yield Broken(undone, f"is undone by {name}, but does not say so", mend, "there is no such entry")


def _members(look: Look, places: list[tuple[str, str]]) -> Iterator[Broken]:
    """Check of these lists and members that the member is an entry, and the list one of its own."""
    for key, member in places:
        if not member.startswith(keys.log_count()):
            yield Broken(key, f"holds {member}, which is no entry", mends.nonsense(key, member))
    places = [(key, member) for key, member in places if member.startswith(keys.log_count())]
    facts = look.at_once([("HMGET", member, "kind", "who", "about") for _, member in places])
    for (key, member), (kind, who, about) in zip(places, facts, strict=True):
        mend = mends.stray(key, member, member, "kind", kind)
        if kind is None:
            yield Broken(key, f"holds {member}, which is no entry", mend)
        elif key not in rankings(kind, who or "", about or ""):
            yield Broken(key, f"holds {member}, which does not belong there", mend)
