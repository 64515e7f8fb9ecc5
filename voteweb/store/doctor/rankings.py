"""Rankings and groups: no member of them that is no article or belongs elsewhere, no key of an unknown group.

Whether an article stands where it should is seen from the article; here is what cannot be seen from there.
"""

from collections.abc import Iterator
from itertools import chain

from voteweb import links
from voteweb.config import LINK_SECONDS
from voteweb.store import keys
from voteweb.store.doctor import mends
from voteweb.store.doctor.articles import is_group_name
from voteweb.store.doctor.broken import Broken
from voteweb.store.look import Look, is_article, rows, steps

_FIELDS = ("title", "poster", "link", "groups")


def examine(look: Look, groups: list[str]) -> Iterator[Broken]:
    """Check the members of every ranking and group."""
    yield from _group_keys(look, set(groups))
    site = [keys.by_time(), keys.by_score(), keys.good()]
    of_groups = [spell(name) for name in groups for spell in (keys.group_by_time, keys.group_by_score)]
    of_owners = chain.from_iterable(look.keys(each) for each in (keys.posted("*"), keys.gone("*"), keys.link("*")))
    sets = ((key, member) for key in map(keys.group, groups) for member in look.members(key))
    for step in steps(chain(sets, look.ranked([*site, *of_groups]), look.ranked(of_owners))):
        yield from _members(look, step)
    for links_of in steps(look.keys(keys.link("*"))):
        yield from _lifetimes(look, links_of)


def _members(look: Look, places: list[tuple[str, str]]) -> Iterator[Broken]:
    """Check of these lists and members that the member is an article, and the list one of its own."""
    for key, member in places:
        if not is_article(member):
            yield Broken(key, f"holds {member}, which is no article", mends.nonsense(key, member))
    places = [(key, member) for key, member in places if is_article(member)]
    commands: list[tuple[str, ...]] = []
    for key, member in places:
        present = "SISMEMBER" if key.startswith(keys.group("")) else "ZSCORE"
        commands += [("HMGET", member, *_FIELDS), (present, key, member)]
    for (key, member), (values, is_here) in zip(places, rows(look.at_once(commands), len(places)), strict=True):
        if is_here in (None, 0):  # gone since it was found
            continue
        fields = dict(zip(_FIELDS, values, strict=True))
        found = _stray(key, fields)
        if found:
            field, why = found
            yield Broken(key, f"holds {member}, {why}", mends.stray(key, member, member, field, fields[field]))


def _stray(key: str, fields: dict[str, str | None]) -> tuple[str, str] | None:
    """Return the field that says that an article does not belong into *key*, and in words why."""
    noun, _, name = key.partition(":")
    if fields["title"] is None:
        return "title", "which is no article"
    if noun in ("posted", "gone"):
        poster = fields["poster"] or ""
        is_theirs = key in (keys.posted(poster), keys.gone(poster))
        return None if is_theirs else ("poster", f"which {poster or 'nobody'} posted")
    if noun == "link":
        link = fields["link"]
        return None if link and keys.link(links.digest(link)) == key else ("link", "which has another link")
    groups = (fields["groups"] or "").split()
    return ("groups", f"whose groups are {' '.join(groups) or 'none'}") if name and name not in groups else None


def _lifetimes(look: Look, names: list[str]) -> Iterator[Broken]:
    """Check that these links are remembered as long as their newest article asks for it, and no longer."""
    commands: list[tuple[str | int, ...]] = []
    for name in names:
        commands += [("PEXPIRETIME", name), ("ZREVRANGE", name, 0, 0, "WITHSCORES")]
    for name, (expires, newest) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if newest:
            at_last, at_least = mends.expiry(name, newest[0][1])
            if expires == -1:
                yield Broken(name, "never expires", at_last)
            elif expires < 1000 * (newest[0][1] + LINK_SECONDS - 1):
                yield Broken(name, "expires before a second posting is no more asked about", at_least)


def _group_keys(look: Look, groups: set[str]) -> Iterator[Broken]:
    """Check that every key of a group belongs to a group that exists."""
    for pattern in (keys.group("*"), keys.group_info("*"), keys.group_by_time("*"), keys.group_by_score("*")):
        for key in look.keys(pattern):
            name = key.partition(":")[2]
            if name and "+" not in name and name not in groups and not look.is_group(name):
                what = f"belongs to no group: {keys.groups()} lacks {name}"
                if is_group_name(name):
                    yield Broken(key, what, mends.group(name, is_named=False))
                else:
                    yield Broken(key, what, why_not=f"{name} is no name for a group: another program made this key")
