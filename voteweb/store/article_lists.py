"""The lists that hold an article: their keys and arguments, in the order in which the scripts take them."""

from collections.abc import Sequence
from typing import NamedTuple

from voteweb.core import config, links
from voteweb.core.config import Settings
from voteweb.core.ranking import day_name, day_number
from voteweb.store.keys import Keys


class SiteLists(NamedTuple):
    """The rankings of the site that hold an article of this time and link, with the arguments that describe them."""

    #: ``time: score: good: top: top-day:<day> domain:<domain>``; of a link without a domain, the last is never written.
    keys: tuple[str, ...]
    #: The day of ``top-day:`` in days since 1970, and whether the link has a domain (0 or 1).
    arguments: tuple[int, int]


def site_lists(keys: Keys, time: float, link: str) -> SiteLists:
    """Return the rankings of the site that hold an article published at unix *time*."""
    domain = links.listed_domain(link)
    day = day_number(time)
    best = (keys.top(), keys.top_of_day(day_name(day)))
    return SiteLists(
        (keys.by_time(), keys.by_score(), keys.good(), *best, keys.domain(domain)), (day, int(domain != ""))
    )


def group_keys(keys: Keys, names: Sequence[str]) -> list[str]:
    """Return the four keys of each group of *names*."""
    spell = (keys.group, keys.group_by_time, keys.group_by_score, keys.top_of_group)
    return [key(name) for name in names for key in spell]


def ranking_arguments(settings: Settings) -> tuple[float, ...]:
    """Return what decides where an article stands: the arguments that ``find_place()`` of ``rankings.lua`` takes."""
    return (settings.vote_score, settings.max_lift, settings.good_votes, config.MAX_RANKED)
