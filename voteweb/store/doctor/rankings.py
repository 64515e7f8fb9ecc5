"""Rankings and groups: no member of them that is no article or stands elsewhere, no key of an unknown group."""

from collections.abc import Iterator

from voteweb import links
from voteweb.config import LINK_SECONDS
from voteweb.store import keys
from voteweb.store.doctor.look import Broken, Look, is_article, rows, steps


def examine(look: Look, groups: list[str]) -> Iterator[Broken]:
    """Check the members of every ranking and group."""
    yield from _group_keys(look, set(groups))
    of_groups = [spell(name) for name in groups for spell in (keys.group, keys.group_by_time, keys.group_by_score)]
    for key in [keys.by_time(), keys.by_score(), keys.good(), *of_groups]:
        for step in steps(look.members(key)):
            yield from _members(look, key, step)
    for pattern in (keys.posted("*"), keys.gone("*"), keys.link("*")):
        for key in look.keys(pattern):
            for step in steps(look.members(key)):
                yield from _members(look, key, step)
    for step in steps(look.keys(keys.link("*"))):
        yield from _lifetimes(look, step)


def _members(look: Look, key: str, members: list[str]) -> Iterator[Broken]:
    """Check that these members are articles, and that a member's or a link's list is theirs."""
    yield from (Broken(key, f"holds {member}, which is no article") for member in members if not is_article(member))
    members = [member for member in members if is_article(member)]
    present = "SISMEMBER" if key.startswith(keys.group("")) else "ZSCORE"
    answers = look.at_once(
        [
            words
            for member in members
            for words in (("HMGET", member, "title", "poster", "link"), (present, key, member))
        ]
    )
    for member, ((title, poster, link), is_here) in zip(members, rows(answers, len(members)), strict=True):
        if is_here in (None, 0):  # gone since it was found
            continue
        noun = key.partition(":")[0]
        if title is None:
            yield Broken(key, f"holds {member}, which is no article")
        elif (noun == "posted" and keys.posted(poster or "") != key) or (
            noun == "gone" and keys.gone(poster or "") != key
        ):
            yield Broken(key, f"holds {member}, which {poster or 'nobody'} posted")
        elif noun == "link" and (not link or keys.link(links.digest(link)) != key):
            yield Broken(key, f"holds {member}, which has another link")


def _lifetimes(look: Look, names: list[str]) -> Iterator[Broken]:
    """Check that these links are remembered as long as their newest article asks for it."""
    commands: list[tuple[str | int, ...]] = []
    for name in names:
        commands += [("PEXPIRETIME", name), ("ZREVRANGE", name, 0, 0, "WITHSCORES")]
    for name, (expires, newest) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if newest and 0 <= expires < 1000 * (newest[0][1] + LINK_SECONDS - 1):
            yield Broken(name, "expires before a second posting is no more asked about")


def _group_keys(look: Look, groups: set[str]) -> Iterator[Broken]:
    """Check that every key of a group belongs to a group that exists."""
    for pattern in (keys.group("*"), keys.group_info("*"), keys.group_by_time("*"), keys.group_by_score("*")):
        for key in look.keys(pattern):
            name = key.partition(":")[2]
            if name and "+" not in name and name not in groups and not look.is_group(name):
                yield Broken(key, f"belongs to no group: {keys.groups()} lacks {name}")
