"""Articles: their numbers, their voters, and their places in the rankings of the site and of its groups."""

from collections.abc import Iterator, Sequence
from typing import Any

from voteweb.config import Settings
from voteweb.models import Article, Gone
from voteweb.ranking import closes, score
from voteweb.store import keys
from voteweb.store import rows as stored
from voteweb.store.doctor.look import Broken, Look, number, placed, rows, steps

_FIELDS = (*stored.FIELDS, "base")


def examine(look: Look, settings: Settings, groups: list[str]) -> Iterator[Broken]:
    """Check all articles and all voters."""
    for step in steps(look.articles()):
        yield from _articles(look, settings, step, groups)
    for step in steps(look.keys(keys.voted("*"))):
        yield from _voters(look, settings, step)


def _articles(look: Look, settings: Settings, names: list[str], groups: list[str]) -> Iterator[Broken]:
    """Check what every place says of these articles, read at one instant."""
    commands: list[tuple[Any, ...]] = [("TIME",)]
    for name in names:
        commands += [
            ("HMGET", name, *_FIELDS),
            ("SCARD", keys.voted(keys.article_id(name))),
            ("ZSCORE", keys.by_time(), name),
            ("ZSCORE", keys.by_score(), name),
            ("ZSCORE", keys.good(), name),
            *(("SISMEMBER", keys.group(group), name) for group in groups),
            *(("ZSCORE", keys.group_by_time(group), name) for group in groups),
            *(("ZSCORE", keys.group_by_score(group), name) for group in groups),
        ]
    (seconds, _), *answers = look.at_once(commands)
    for name, ((*values, base), *places) in zip(names, rows(answers, len(names)), strict=True):
        try:
            article, base = stored.article(keys.article_id(name), values), int(base or 0)
        except ValueError:
            yield Broken(name, "has time, votes or base that are no numbers, or is gone in an unknown way")
            continue
        if article is not None:
            yield from _article(settings, article, base, places, groups, float(seconds))
            for group in article.groups:
                if group not in groups and not look.is_group(group):
                    yield Broken(name, f"is in the group {group}, which does not exist")
        elif any(values):
            yield Broken(name, "has no title or no time")


def _article(
    settings: Settings, article: Article, base: int, places: Sequence[Any], groups: list[str], now: float
) -> Iterator[Broken]:
    voters, time, points, good, *membership = places
    name, listed = keys.article(article.id), not article.gone
    place = score(article.time, article.votes, settings.vote_score)
    if article.gone is Gone.DELETED:
        if voters:
            yield Broken(keys.voted(article.id), f"belongs to {name}, which is deleted")
    elif now < closes(article.time, settings.voting_seconds) and article.votes != base + voters:
        yield Broken(name, f"votes is {article.votes}, but base {base} and {voters} voters make {base + voters}")
    yield from placed(keys.by_time(), name, time, article.time if listed else None)
    yield from placed(keys.by_score(), name, points, place if listed else None)
    is_good = listed and article.votes >= settings.good_votes
    yield from placed(keys.good(), name, good, article.time if is_good else None)
    for at, group in enumerate(groups):
        inside = listed and group in article.groups
        is_member, group_time, group_points = membership[at :: len(groups)]
        if bool(is_member) != inside:
            state = f"groups are {' '.join(article.groups) or 'none'}" if listed else f"state is {article.gone}"
            yield Broken(keys.group(group), f"{'lacks' if inside else 'holds'} {name}, whose {state}")
        yield from placed(keys.group_by_time(group), name, group_time, article.time if inside else None)
        yield from placed(keys.group_by_score(group), name, group_points, place if inside else None)


def _voters(look: Look, settings: Settings, names: list[str]) -> Iterator[Broken]:
    """Check that these sets of voters belong to an article and outlive its voting time."""
    commands: list[tuple[Any, ...]] = []
    for name in names:
        commands += [("PEXPIRETIME", name), ("HGET", keys.article(name.partition(":")[2]), "time")]
    for name, (expires, time) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if expires == -2:  # gone since it was found
            continue
        if time is None:
            yield Broken(name, "belongs to no article")
        elif (posted := number(time)) is None:
            continue  # said of the article already
        elif 0 <= expires < 1000 * (closes(posted, settings.voting_seconds) - 1):
            yield Broken(name, "expires before its voting time is over")
