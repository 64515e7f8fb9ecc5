"""Articles: their numbers, their voters, and their places in all lists."""

from collections.abc import Generator, Iterator
from typing import Any

from voteweb import fields
from voteweb.config import LINK_SECONDS, Settings
from voteweb.errors import Invalid
from voteweb.models import Article, Gone
from voteweb.ranking import closes
from voteweb.store import keys, standing
from voteweb.store import rows as stored
from voteweb.store.doctor import mends
from voteweb.store.doctor.broken import Broken, placed
from voteweb.store.doctor.sighting import Sighting, look_at
from voteweb.store.look import Look, number, rows, steps

#: How often an article is read anew whose groups, poster or link have changed since it was found.
TRIES = 20


def examine(look: Look, settings: Settings) -> Iterator[Broken]:
    """Check all articles and all voters."""
    for step in steps(look.articles()):
        names = step
        for _ in range(TRIES):
            names = yield from _articles(look, settings, names)
            if not names:
                break
    for step in steps(look.keys(keys.voted("*"))):
        yield from _voters(look, settings, step)


def _articles(look: Look, settings: Settings, names: list[str]) -> Generator[Broken, None, list[str]]:
    """Check these articles, each at one instant; return those that changed under the check."""
    changed = []
    for name, sighting in look_at(look, names):
        if sighting is None:
            changed.append(name)
        elif any(value is not None for value in sighting.values):
            yield from _article(settings, sighting)
    return changed


def _article(settings: Settings, seen: Sighting) -> Iterator[Broken]:
    why_not = "nothing else says it: set the field with HSET, then repair again"
    mend: mends.Command = ()
    what = _illegible(seen)
    article = stored.article(keys.article_id(seen.name), seen.values)
    if what:
        yield Broken(seen.name, what, why_not=why_not)
    elif article is None or not stored.is_count(seen.base):
        what = "has votes or a base that are no whole numbers"
        yield Broken(seen.name, what, mends.article(settings, seen.name, seen.facts, seen.known), why_not)
    else:
        yield from (_without(seen.name, group) for group in seen.groups if group not in seen.known)
        for each in (*_votes(settings, article, seen), *_places(settings, article, seen)):
            mend = mend or mends.article(settings, seen.name, seen.facts, seen.known)
            yield each if each.mend else each._replace(mend=mend)


def _illegible(seen: Sighting) -> str:
    """Say what is wrong with the fields that nothing else can tell, if anything."""
    title, *_, time, _, _, gone = seen.values
    at = number(time)
    if title is None or at is None or not 0 <= at < stored.LATEST:
        return "has no title or no time"
    if gone not in (None, Gone.DELETED, Gone.REMOVED):
        return f"is gone in an unknown way: {gone}"
    return ""


def _without(name: str, group: str) -> Broken:
    """Return that an article is in a group that does not exist."""
    what = f"is in the group {group}, which does not exist"
    if is_group_name(group):
        return Broken(name, what, mends.group(group, is_named=True))
    return Broken(name, what, why_not=f"{group} is no name for a group: take it out of the field groups")


def is_group_name(name: str) -> bool:
    """Tell whether a group may have this name."""
    try:
        return fields.group_name(name) == name
    except Invalid:
        return False


def _votes(settings: Settings, article: Article, seen: Sighting) -> Iterator[Broken]:
    base, voters = int(seen.base or 0), seen.voters
    if article.gone is Gone.DELETED:
        if voters:
            mend = mends.voters(settings, article.id)
            yield Broken(keys.voted(article.id), f"belongs to {seen.name}, which is deleted", mend)
    elif seen.now < closes(article.time, settings.voting_seconds) and article.votes != base + voters:
        yield Broken(seen.name, f"votes is {article.votes}, but base {base} and {voters} voters make {base + voters}")


def _places(settings: Settings, article: Article, seen: Sighting) -> Iterator[Broken]:
    """Check the places of an article in all lists but those of groups that do not exist."""
    for group in seen.known:
        is_inside = seen.groups[group].holds
        if not is_inside and not article.gone:
            yield Broken(keys.group(group), f"lacks {seen.name}, whose groups are {seen.facts.groups}")
        elif is_inside and article.gone:
            yield Broken(keys.group(group), f"holds {seen.name}, whose state is {article.gone}")
    wanted = _wanted(settings, article, seen)
    unknown = [group for group in seen.groups if group not in seen.known]
    passed_over = {spell(group) for group in unknown for spell in (keys.group_by_time, keys.group_by_score)}
    for key, stands in seen.stands.items():
        if key not in passed_over:
            yield from placed(key, seen.name, stands, wanted.get(key))


def _wanted(settings: Settings, article: Article, seen: Sighting) -> dict[str, float]:
    """Return the rankings that are to hold the article, each with its number there."""
    wanted = standing.of_site(settings, article)
    if seen.is_member:
        wanted[standing.of_owner(article)] = article.time
    key = seen.facts.link_key
    # The key may be gone by now, and a program after the book (it writes no base) knows no such key.
    is_fresh = seen.base is not None and seen.now < article.time + LINK_SECONDS - 1
    if seen.facts.link and not article.gone and (is_fresh or seen.stands[key] is not None):
        wanted[key] = article.time
    return wanted


def _voters(look: Look, settings: Settings, names: list[str]) -> Iterator[Broken]:
    """Check that these sets of voters belong to an article and outlive its voting time."""
    commands: list[tuple[Any, ...]] = []
    for name in names:
        article = keys.article(name.partition(":")[2])
        commands += [("PEXPIRETIME", name), ("EXISTS", article), ("HGET", article, "time")]
    for name, (expires, exists, time) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if expires == -2:  # gone since it was found
            continue
        mend = mends.voters(settings, name.partition(":")[2])
        posted = number(time)
        if not exists:
            yield Broken(name, "belongs to no article", mend)
        elif posted is None:
            continue  # said of the article already
        elif expires == -1:
            yield Broken(name, "never expires", mend)
        elif expires < 1000 * (closes(posted, settings.voting_seconds) - 1):
            yield Broken(name, "expires before its voting time is over", mend)
