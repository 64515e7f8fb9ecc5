"""Read from a store in one call."""

import itertools
from collections.abc import Iterable, Sequence

from tests import factories
from voteweb.core.comments import Reported
from voteweb.core.models import Article, LogEntry, Page
from voteweb.store import Store
from voteweb.store.schema.rankings import Ranking
from voteweb.store.site.rate_limits import RateLimitHit


def page(store: Store, ranking: Ranking, number: int = 1, *, hits: Sequence[RateLimitHit] = ()) -> Page[Article]:
    """Return one page of a ranking; building a combined one counts against the limits of *hits*."""
    return store.read(store.listings.queue_page, ranking, number, hits=hits)


def page_ids(store: Store, ranking: Ranking) -> list[int]:
    """Return the ids on the first page of a ranking."""
    return ids_of(page(store, ranking).rows)


def all_ids(store: Store, ranking: Ranking) -> list[int]:
    """Return the ids of a list in the order in which a reader of every page meets them."""
    ids: list[int] = []
    for number in itertools.count(1):
        current = page(store, ranking, number)
        assert current.first_rank == len(ids) + 1
        ids += ids_of(current.rows)
        if not current.more:
            assert len(ids) == current.total
            break
    return ids


def log_page(store: Store, number: int = 1, **filters: str) -> Page[LogEntry]:
    """Return one page of the moderation log, filtered by ``who``, ``kind`` or ``about``."""
    return store.read(store.log.queue_page, number, **filters)


def logged_act(store: Store, id: int = 1) -> LogEntry:
    """Return an entry of the moderation log."""
    entry = store.log.get(id)
    assert entry is not None
    return entry


def good_ids(store: Store) -> list[int]:
    """Return the ids of the newest 50 good articles."""
    return ids_of(store.read(store.listings.queue_good, 50))


def reported(store: Store) -> tuple[Reported, ...]:
    """Return the first page of the articles and comments with open reports."""
    return store.read(store.reports.queue_page, 1).rows


def ids_of(articles: Iterable[Article]) -> list[int]:
    return [article.id for article in articles]


def read_articles(store: Store, ids: Iterable[int]) -> dict[int, Article]:
    """Return those of the articles *ids* that exist, listed or not."""
    return {id: article for id in ids if (article := store.read(store.articles.queue_get, id))}


def add_stories(store: Store, times_and_votes: Iterable[tuple[float, int]], groups: tuple[str, ...] = ()) -> None:
    """Import articles of these times and votes on which voting is closed; their ids count up."""
    store.imports.add([factories.story(time=time, votes=votes, groups=groups) for time, votes in times_and_votes])
