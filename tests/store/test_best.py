"""The best articles by votes: of a day, a group and all time, kept by every write, and merged for longer periods."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import page, page_ids
from voteweb.core import config
from voteweb.core.models import Order, Period
from voteweb.core.ranking import by_votes, day_number
from voteweb.store import Store
from voteweb.store.schema.values import LEFT_OUT

DAY = 86_400


@pytest.fixture
def three_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rankings by votes that hold three articles, made in small steps."""
    monkeypatch.setattr(config, "MAX_RANKED", 3)
    monkeypatch.setattr(config, "BEST_STEP", 2)


def best_ids(store: Store, period: Period, group: str = "") -> list[int]:
    return page_ids(store, store.rankings.best(period, group))


def test_a_ranking_by_votes_holds_the_best(store: Store, three_best: None) -> None:
    voters = factories.users(store, 4)
    posted = int(day_number(time.time()) * DAY)
    for second in range(5):
        factories.imported(store, time=posted + second, votes=1, groups=("go",))
    assert best_ids(store, Period.ALL) == [5, 4, 3]
    for id, votes in ((1, 3), (2, 2), (3, 1)):
        for voter in voters[:votes]:
            store.votes.cast(id, voter)
    for ranking in (best_ids(store, Period.ALL), best_ids(store, Period.ALL, "go"), best_ids(store, Period.DAY)):
        assert ranking == [1, 2, 3]
    shown = page(store, store.rankings.best(Period.ALL))
    assert (shown.total, shown.bounded) == (3, True)
    assert float(run(store, "ZSCORE", "top:", LEFT_OUT)) == by_votes(1, posted + 4)
    store.votes.take_back(3, voters[0])  # as good as those left out by now, and older
    assert best_ids(store, Period.ALL) == [1, 2]
    store.votes.cast(4, voters[0])
    assert best_ids(store, Period.ALL) == [1, 2, 4]
    assert broken(store) == []


def test_the_best_of_periods_are_those_posted_in_them(store: Store, three_best: None) -> None:
    now = time.time()
    for number, age in enumerate((0.1, 0.9, 1.1, 3, 6.9, 7.1, 20, 31, 200, 364.5, 366, 800)):
        factories.imported(store, time=now - age * DAY, votes=10 + number, groups=("go",))
    expected = {Period.DAY: [2, 1], Period.WEEK: [5, 4, 3], Period.MONTH: [7, 6, 5], Period.YEAR: [10, 9, 8]}
    assert {period: best_ids(store, period) for period in expected} == expected
    assert best_ids(store, Period.WEEK, "go") == [5, 4, 3]
    assert best_ids(store, Period.WEEK, "nowhere") == []
    assert page(store, store.rankings.best(Period.WEEK)).as_of == pytest.approx(now, abs=60)
    assert broken(store) == []


def test_an_article_is_listed_under_its_domain(store: Store) -> None:
    ann = factories.user(store)
    for link in ("https://www.a.example/1", "https://a.example/2", ""):
        factories.article(store, ann, link=link)
    domain = store.rankings.domain("a.example")
    assert domain.order is Order.SECOND
    assert page_ids(store, domain) == [2, 1]
    store.articles.edit(2, factories.draft(link="https://b.example/2"), ann)
    assert page_ids(store, domain) == [1]
