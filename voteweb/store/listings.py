"""Lists of articles: any ranking, page by page, in one round trip."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from voteweb import config, ranking
from voteweb.config import Settings
from voteweb.models import Article, Order, Page
from voteweb.store import keys, rows, scripts
from voteweb.store.connect import Connection
from voteweb.store.guesses import Guesses
from voteweb.store.trip import Reply, Trip


@dataclass(frozen=True, slots=True)
class Ranking:
    """One sorted set of articles; *combines* are the rankings that a combined one is made of."""

    key: str
    order: Order
    combines: tuple[str, ...] = ()


def whole_site(order: Order) -> Ranking:
    """Return the ranking of all articles."""
    return Ranking(keys.by_score() if order is Order.SCORE else keys.by_time(), order)


def of_groups(names: Sequence[str], order: Order) -> Ranking:
    """Return the ranking of the articles that are in all groups *names*, of which there is one at least."""
    spell = keys.group_by_score if order is Order.SCORE else keys.group_by_time
    if len(names) == 1:
        return Ranking(spell(names[0]), order)
    names = tuple(sorted(names))
    return Ranking(keys.combined(order, names), order, tuple(spell(name) for name in names))


def of_member(name: str) -> Ranking:
    """Return the ranking of a member's articles, by time."""
    return Ranking(keys.posted(name), Order.TIME)


def gone_of_member(name: str) -> Ranking:
    """Return the ranking of a member's deleted and removed articles, by time."""
    return Ranking(keys.gone(name), Order.TIME)


def reported() -> Ranking:
    """Return the ranking of the articles with open reports, the most reported first."""
    return Ranking(keys.reports(), Order.REPORTS)


class Listings:
    """The lists of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings
        self._last: Guesses[tuple[str, int], tuple[int, ...]] = Guesses(config.PLACES_KEPT)

    def ask(self, trip: Trip, which: Ranking, number: int, *, texts: bool = False) -> Reply[Page[Article]]:
        """Queue the question for page *number* (from 1) of a ranking; a page past the end has no rows.

        With *texts*, the rows are whole articles. One row before and one after the page come along, to see
        whether a tie crosses its edge.
        """
        size = self._settings.page_size
        start = (number - 1) * size
        first = max(start - 1, 0)
        commands: list[tuple[Any, ...]] = [
            ("ZCARD", which.key),
            _sort(which.key, first, start + size + 1 - first, texts),
        ]
        if which.combines:
            keep = self._settings.group_cache_seconds
            commands = [
                scripts.call("combine_groups", [which.key, *which.combines], [keep, config.COMBINED_FROM]),
                *commands,
                ("ZRANGE", which.key, 0, 0, "WITHSCORES"),
            ]

        def read(answers: list[Any]) -> Page[Article]:
            total, flat, *marks = answers[bool(which.combines) :]
            mark, made = marks[0][0] if marks else (None, 0.0)
            found = dict(enumerate(rows.articles(flat, texts=texts), first))
            total -= len(marks)
            self._settle(trip, which, found, start, start + size, texts)
            shown = tuple(row for at, row in sorted(found.items()) if row and start <= at < start + size)
            self._last.put((which.key, number), tuple(article.id for article in shown))
            return Page(
                rows=shown,
                number=number,
                total=total,
                first=start + 1,
                more=total > start + size,
                as_of=-made if marks else None,
                bounded=mark == "bounded",
            )

        return trip.ask(commands, read, writes=bool(which.combines))

    def likely(self, which: Ranking, number: int) -> tuple[int, ...]:
        """Return the ids that were on page *number* of a ranking when this process last saw it: a guess to ask by."""
        return self._last.get((which.key, number), ())

    def ask_good(self, trip: Trip, most: int, *, texts: bool = False) -> Reply[tuple[Article, ...]]:
        """Queue the question for the newest good articles, *most* at the most; with *texts*, whole ones."""
        return trip.ask(
            [_sort(keys.good(), 0, most, texts)],
            lambda answers: tuple(row for row in rows.articles(answers[0], texts=texts) if row),
        )

    def ask_rows(self, trip: Trip, ids: Sequence[int]) -> Reply[tuple[Article, ...]]:
        """Queue the question for the articles *ids*, as lists show them, but those missing or gone."""

        def read(answers: list[Any]) -> tuple[Article, ...]:
            found = (rows.article(id, values) for id, values in zip(ids, answers, strict=True))
            return tuple(row for row in found if row and not row.gone)

        return trip.ask([("HMGET", keys.article(id), *rows.FIELDS) for id in ids], read)

    def ask_total(self, trip: Trip, which: Ranking) -> Reply[int]:
        """Queue the question how many articles a ranking has."""
        return trip.ask([("ZCARD", which.key)], lambda answers: int(answers[0]))

    def ask_ids(self, trip: Trip, which: Ranking, first: int, count: int) -> Reply[tuple[int, ...]]:
        """Queue the question for the ids of *count* articles of a ranking from place *first* (from 0), lowest first.

        Costs the same at any place of a ranking of any size.
        """
        return trip.ask([("ZRANGE", which.key, first, first + count - 1)], lambda answers: _ids(answers[0]))

    def since(self, time: float) -> Iterator[tuple[int, ...]]:
        """Yield the ids of the articles published since unix *time*, newest first, in batches of BATCH."""
        count = self._connection.command("ZCOUNT", keys.by_time(), repr(time), "+inf")
        for at in range(0, count, config.BATCH):
            last = min(at + config.BATCH, count) - 1
            yield _ids(self._connection.command("ZREVRANGE", keys.by_time(), at, last))

    def ids(self, which: Ranking) -> Iterator[int]:
        """Yield the ids of all articles of a ranking, read in batches of BATCH."""
        at = 0
        while step := self._connection.command("ZREVRANGE", which.key, at, at + config.BATCH - 1):
            yield from (keys.article_id(member) for member in step)
            at += config.BATCH

    def _settle(
        self, trip: Trip, which: Ranking, found: dict[int, Article | None], start: int, stop: int, texts: bool
    ) -> None:
        """Put the rows of one place into their one order: Redis orders them by the spelling of their ids.

        A tie that crosses an edge of the page is read whole, which costs two more round trips.
        """
        if which.order is Order.REPORTS:  # the number of reports does not come with the rows
            return

        def place(article: Article) -> float:
            return ranking.place(article, which.order, self._settings.vote_score)

        numbers = [place(article) for article in found.values() if article]
        if len(set(numbers)) == len(numbers):
            return

        for edge in (start, stop):
            before, after = found.get(edge - 1), found.get(edge)
            if before and after and place(before) == place(after):
                found.update(_tie(trip, which.key, place(after), texts))
        present = [(at, row) for at, row in sorted(found.items()) if row]
        for _, tied in groupby(present, key=lambda pair: place(pair[1])):
            places, articles = zip(*tied, strict=True)
            if len(articles) > 1:
                found.update(zip(places, ranking.newest_first(articles), strict=True))


def _tie(trip: Trip, key: str, number: float, texts: bool) -> dict[int, Article | None]:
    """Return all rows of a ranking with one *number*, by their places."""
    above, count = trip.more([("ZCOUNT", key, f"({number!r}", "+inf"), ("ZCOUNT", key, repr(number), repr(number))])
    if not count:
        return {}
    (flat,) = trip.more([_sort(key, above, count, texts)])
    return dict(enumerate(rows.articles(flat, texts=texts), above))


def _ids(members: Sequence[str]) -> tuple[int, ...]:
    found: list[int] = []
    for member in members:
        with suppress(ValueError):  # another program's member
            found.append(keys.article_id(member))
    return tuple(found)


def _sort(key: str, first: int, count: int, texts: bool = False) -> tuple[Any, ...]:
    return ("SORT_RO", key, "BY", "nosort", "LIMIT", first, count, *rows.gets(texts=texts), "DESC")
