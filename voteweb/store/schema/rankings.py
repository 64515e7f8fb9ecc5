"""Rankings: the sorted sets of articles, and which of them hold a given article with which score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from voteweb.core import config, links
from voteweb.core.models import Article, Order, Period
from voteweb.core.ranking import by_votes, day_name, day_number, score
from voteweb.core.settings import Settings
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import NOUNS, TYPES, Keys
from voteweb.store.schema.values import finite_number

#: The rankings by votes that are kept: each holds MAX_RANKED articles at most.
BEST_NOUNS = frozenset(noun for noun, holds in NOUNS.items() if holds.part is Part.DERIVED and holds.most)

#: Where a thing stands in a set or ranking: its score, True in a set, None where it must not be.
Place = float | bool | None
#: The score of an article in each ranking, and what the best article left out there is worth; None where there is none.
Places = Mapping[str, tuple[float | None, float | None]]


def group_keys(keys: Keys, names: Sequence[str]) -> list[str]:
    """Return the four keys of each group of *names*."""
    spell = (keys.group, keys.group_by_time, keys.group_by_score, keys.top_of_group)
    return [key(name) for name in names for key in spell]


def ranking_values(settings: Settings) -> dict[str, float]:
    """Return what decides where an article stands: the values that ``find_place()`` of ``rankings.lua`` takes."""
    return {"vote_score": settings.vote_score, "max_lift": settings.max_lift, "good_votes": settings.good_votes}


def place_writes(keys: Keys, key: str, member: str, place: Place) -> list[tuple[Any, ...]]:
    """Return the writes of a commit that put *member* into the set or ranking *key*, or take it out of it.

    ENTER and ENTER-BEST are not commands of Redis but functions of commit.lua. A program written after the book may
    have set a ranking to expire: it stays for good. Under its link an article is found for LINK_SECONDS.
    """
    noun, is_set = keys.split(key)[0], TYPES[keys.split(key)[0]] == "set"
    if place is None:
        return [("SREM" if is_set else "ZREM", key, member)]
    if noun in BEST_NOUNS:
        return [("ENTER-BEST", key, member, repr(place), config.MAX_RANKED)]
    if noun == "link":
        end = int(place) + 1 + config.LINK_SECONDS
        return [("ZADD", key, repr(place), member), ("EXPIREAT", key, end, "NX"), ("EXPIREAT", key, end, "GT")]
    return [("ENTER", key, member) if is_set else ("ENTER", key, member, repr(place))]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One sorted set of articles; *combines* are the groups of a combined one, whose rankings it is built from.

    One by votes is of a *period*, of the whole site or of a *group*. One by time may be without what is newer than the
    unix time *newest*: what is posted after page 1 was read moves no row to another page.
    """

    key: str
    order: Order
    combines: tuple[str, ...] = ()
    period: Period | None = None
    group: str = ""
    newest: str = ""

    @property
    def is_made(self) -> bool:
        """Tell whether it is made when it is asked for, and kept for a time."""
        return bool(self.combines) or (self.period is not None and self.period is not Period.ALL)


class Rankings:
    """The rankings of one site."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def site(self, order: Order) -> Ranking:
        key = {Order.SCORE: self._keys.by_score, Order.TIME: self._keys.by_time}[order]
        return Ranking(key(), order)

    def good(self) -> Ranking:
        """Return the ranking of the good articles, by time."""
        return Ranking(self._keys.good(), Order.TIME)

    def groups(self, names: Sequence[str], order: Order) -> Ranking:
        """Return the ranking of the articles that are in all groups *names* (at least one)."""
        if len(names) == 1:
            key = {Order.SCORE: self._keys.group_by_score, Order.TIME: self._keys.group_by_time}[order]
            return Ranking(key(names[0]), order)
        names = tuple(sorted(names))
        return Ranking(self._keys.combined(order, names), order, names)

    def member(self, name: str) -> Ranking:
        """Return the ranking of a member's listed articles, by time."""
        return Ranking(self._keys.posted(name), Order.TIME)

    def member_gone(self, name: str) -> Ranking:
        """Return the ranking of a member's deleted, removed and held articles, by time."""
        return Ranking(self._keys.gone(name), Order.TIME)

    def best(self, period: Period, group: str = "") -> Ranking:
        """Return the ranking by votes of the articles of a *period*, in one *group* if it is named."""
        if period is Period.ALL:
            key = self._keys.top_of_group(group) if group else self._keys.top()
        else:
            key = self._keys.top_of(f"{period}+{group}" if group else period)
        return Ranking(key, Order.VOTES, period=period, group=group)

    def domain(self, domain: str) -> Ranking:
        """Return the ranking of the listed articles with a link to the host *domain*."""
        return Ranking(self._keys.domain(domain), Order.SECOND)

    def top(self, article: Article) -> tuple[str, ...]:
        """Return the keys of the rankings by votes that hold *article* while it is one of the best."""
        of_groups = map(self._keys.top_of_group, article.groups)
        return (self._keys.top(), self._keys.top_of_day(day_name(day_number(article.time))), *of_groups)

    def scores_of(self, article: Article, settings: Settings, link: str) -> dict[str, float]:
        """Return the keys of the rankings of the site and its groups that hold *article*, with its score in each.

        *link* is its link as it is stored. Of the rankings by votes, it is in those only where it is one of the best.
        """
        if article.is_held:
            return {self._keys.held_articles(): article.time}
        if not article.is_listed:
            return {}
        points = score(article, settings)
        scores = {self._keys.by_time(): article.time, self._keys.by_score(): points}
        if article.votes >= settings.good_votes:
            scores[self._keys.good()] = article.time
        for name in article.groups:
            scores |= {self._keys.group_by_time(name): article.time, self._keys.group_by_score(name): points}
        if links.domain(link):
            scores[self._keys.domain(links.domain(link))] = article.time // 1
        return scores | dict.fromkeys(self.top(article), by_votes(article.votes, article.time))

    def shaped_by_settings(self, groups: Sequence[str]) -> list[str]:
        """Return the keys of the rankings in which the settings shape the place of an article of these *groups*."""
        return [self._keys.good(), self._keys.by_score(), *map(self._keys.group_by_score, groups)]

    def key_of_poster(self, article: Article) -> str:
        """Return the key of the ranking of its poster that holds *article* by time, if the poster is a member."""
        return self._keys.posted(article.poster) if article.is_listed else self._keys.gone(article.poster)

    def named(self, fields: Mapping[str, str | None]) -> Iterator[str]:
        """Yield every set and ranking in which an article with these stored *fields* may be, but the queues.

        Those of its link, which take longest, come last.
        """
        keys, poster, link, time = (
            self._keys,
            fields["poster"] or "",
            fields["link"] or "",
            finite_number(fields["time"]),
        )
        yield from (keys.by_time(), keys.by_score(), keys.good(), keys.top(), keys.held_articles())
        yield from (keys.posted(poster), keys.gone(poster))
        yield from group_keys(keys, list(dict.fromkeys((fields["groups"] or "").split())))
        yield keys.top_of_day(day_name(day_number(time if time is not None and abs(time) < config.MAX_TIME else 0.0)))
        yield from (keys.domain(links.domain(link)), keys.link(links.digest(link)))

    def places(self, article: Article, settings: Settings, link: str) -> dict[str, Place]:
        """Return where an *article* of this stored *link* must be: its score in each ranking, True in each set.

        Of the rankings by votes, it is in those only where it is one of the best; under its link, while that is
        remembered; under its poster, if that is a member.
        """
        places: dict[str, Place] = dict(self.scores_of(article, settings, link))
        if article.is_listed:
            places |= dict.fromkeys(map(self._keys.group, article.groups), True)
        if article.is_listed and link:
            places[self._keys.link(links.digest(link))] = article.time // 1
        places[self.key_of_poster(article)] = article.time
        return places

    def present_places(
        self,
        article: Article,
        fields: Mapping[str, str | None],
        settings: Settings,
        *,
        now: float,
        has_poster: bool,
        places: Places = MappingProxyType({}),
    ) -> dict[str, Place]:
        """Return where an *article* with these stored *fields* must be at unix time *now*, given the *places* it has.

        At the end of a restore it has none. A ranking may have left it out, and those of a program after the book,
        which has no base, may never have held it. Its poster may be no member.
        """
        link, is_ours = fields["link"] or "", fields["base"] is not None
        wanted, link_key = self.places(article, settings, link), self._keys.link(links.digest(link))
        for key in (*self.top(article), self._keys.domain(links.domain(link))):
            score, worth = places.get(key, (None, None))
            lead = (wanted.get(key) or 0.0) - float(worth) if worth is not None else 1.0
            if lead < 0 or (score is None and (lead == 0 or not is_ours)):
                wanted.pop(key, None)
        # The key may have expired by now, and a program after the book knows no such key.
        is_known = places.get(link_key, (None, None))[0] is not None
        if not is_known and not (is_ours and now < article.time + config.LINK_SECONDS - 1):
            wanted.pop(link_key, None)
        if not has_poster:
            wanted.pop(self.key_of_poster(article), None)
        if (article.is_removed or fields["as-posted"]) and fields["answer"] is not None:
            wanted[self._keys.answers()] = finite_number(fields["answered"])
        return wanted
