"""Lists of articles: pages, totals, ties, the best by votes, those without a group, and trials of other weights."""

import random
import time
from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run
from tests.store.queries import add_stories, all_ids, ids_of, page, page_ids
from voteweb.core import config
from voteweb.core.models import Order, Page, Period
from voteweb.core.ranking import by_votes, day_number, score
from voteweb.core.ranking_trial import change_weights
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.articles.listings import try_weights
from voteweb.store.schema.values import LEFT_OUT

START = 1_700_000_000.0


def test_a_row_has_every_field_but_the_text(store: Store) -> None:
    ranking = store.rankings.member("aNN")
    assert page(store, ranking) == Page(rows=(), number=1, total=0, first_rank=1, more=False)
    factories.article(store, factories.user(store, "bob"))
    article = factories.article(store, title="編 & <b>", text="not shown in lists", groups=("go", "redis"))
    assert page(store, ranking).rows == (replace(article, text=""),)


def test_a_page_has_rows_first_rank_total_and_more(store: Store) -> None:
    add_stories(store, [(START + i, 0) for i in range(50)])
    for number, rows, more in (
        (1, range(50, 25, -1), True),
        (2, range(25, 0, -1), False),
        (3, [], False),
        (10**12, [], False),
    ):
        listed = page(store, store.rankings.site(Order.TIME), number)
        assert (ids_of(listed.rows), listed.total, listed.more) == (list(rows), 50, more)
        assert (listed.number, listed.first_rank) == (number, 25 * number - 24)
        assert (listed.as_of, listed.bounded) == (None, False)


def test_no_page_follows_merged_rankings_that_end_with_one(store: Store, settings: Settings) -> None:
    for groups in (("go",), ("go", "redis"), ("redis",)):
        factories.article(store, groups=groups)
    rankings = [store.rankings.groups([name], Order.TIME) for name in ("go", "redis")]
    for size, more in ((2, True), (3, False)):
        store.context.put_in_force(replace(settings, page_size=size))
        merged, is_exact = store.read(store.listings.queue_merged, rankings, 1)
        assert (merged.rows, merged.more, is_exact) == ((3, 2, 1)[:size], more, True)


def test_rankings_of_a_period_are_merged_once_they_are_whole(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "BEST_STEP", 1)
    for groups in (("go",), ("go", "redis"), ("redis",), ("go",), ()):
        factories.article(store, groups=groups)
    store.votes.cast(2, factories.user(store, "zoe"))
    rankings = [store.rankings.best(Period.WEEK, name) for name in ("go", "redis", "empty")]
    for _ in range(2):  # made, and kept
        merged, is_exact = store.read(store.listings.queue_merged, rankings, 1)
        assert (merged.rows, merged.total, is_exact) == ((2, 4, 3, 1), 4, True)
    store.context.put_in_force(replace(settings, page_size=1))
    merged, is_exact = store.read(store.listings.queue_merged, rankings, 1)
    assert (merged.rows, merged.total, merged.more, is_exact) == ((2,), 5, True, False)


@pytest.mark.parametrize("size", [1, 2, 3, 25])
def test_several_ties_are_ordered_across_pages(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    run(store, "SET", "article:", 7)  # of one score, 10 comes before 9
    # Scores over START in units of 432: 5 (three times), 4, 3 (twice), 2; the oldest of each tie comes last.
    rows = [(0, 5), (1, 4), (2, 3), (2, 2), (1, 2), (0, 3), (1, 1)]
    add_stories(store, [(START + 432 * age, votes) for age, votes in rows], groups=("go", "redis"))
    run(store, "HSET", "article:9", "time", run(store, "HGET", "article:10", "time"), "votes", 3)
    rankings = store.rankings
    for ranking in (
        rankings.site(Order.SCORE),
        *(rankings.groups(names, Order.SCORE) for names in (["go"], ["go", "redis"])),
    ):
        assert all_ids(store, ranking) == [10, 9, 8, 11, 12, 13, 14]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_ties_are_ordered_across_pages_from_a_time(make_store: MakeStore, size: int) -> None:
    store = make_store(page_size=size)
    run(store, "SET", "article:", 7)
    add_stories(store, [(START + age, 1) for age in range(6)])
    for key, posted in (("article:9", START), ("article:10", START), ("article:12", START + 3)):
        run(store, "HSET", key, "time", repr(posted))
        run(store, "ZADD", "time:", repr(posted), key)
    ranking = replace(store.rankings.site(Order.TIME), newest=repr(START + 3))
    assert all_ids(store, ranking) == [12, 11, 10, 9, 8]


def test_an_unkept_combination_begins_at_a_time(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(page_size=2)
    add_stories(store, [(START + i, 9) for i in range(5)], groups=("go", "redis"))
    ranking = replace(store.rankings.groups(["go", "redis"], Order.TIME), newest=repr(START + 3))
    assert all_ids(store, ranking) == [4, 3, 2, 1]
    run(store, "DEL", ranking.key, "combined:")
    monkeypatch.setattr(config, "MAX_COMBINATIONS", 0)
    assert all_ids(store, ranking) == [4, 3, 2, 1]


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


def test_articles_are_found_across_steps(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(page_size=2)
    monkeypatch.setattr(config, "SORT_STEP", 2)
    ids = [factories.article(store, groups=("redis",) if number % 4 else ()).id for number in range(12)]
    # As a program written after the book stores it, and something that is no article.
    run(store, "HSET", "article:100", "title", "Old", "poster", "eve", "time", "1.5", "votes", "1")
    run(store, "ZADD", "time:", 1.5, "article:100", 1, "article:101", 0.5, "nonsense")
    run(store, "SET", "article:101", "no hash")
    found, before = [], ""
    for _ in range(20):
        page = store.read(store.listings.queue_unsorted, before)
        assert len(page.rows) <= 2
        found += [row.id for row in page.rows]
        before = page.next
        if not before:
            break
    assert found == [*reversed(ids[::4]), 100]


def test_those_left_are_counted_without_what_no_group_fits(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "SORT_STEP", 3)
    factories.group(store, "redis")
    for _ in range(5):
        factories.article(store)
    store.context.put_in_force(replace(settings, page_size=2))
    assert store.read(store.listings.queue_unsorted, "")[2:] == (3, False)
    store.context.put_in_force(replace(settings, page_size=5))
    store.articles.set_groups(4, [], [], no_group=True)
    assert store.read(store.listings.queue_unsorted, "")[2:] == (4, True)
    store.articles.set_groups(4, ["redis"], [])
    store.articles.set_groups(4, [], ["redis"])
    page = store.read(store.listings.queue_unsorted, "")
    assert ([row.id for row in page.rows], page.left, page.is_exact) == ([5, 4, 3, 2, 1], 5, True)


def test_steps_find_the_page_or_say_that_they_did_not(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MAX_RANKED", 5), ("TRIAL_STEP", 3), ("TRIAL_STEPS", 2)):
        monkeypatch.setattr(config, name, value)
    store, now = make_store(page_size=4), time.time()
    chance = random.Random(4)
    articles = [
        factories.imported(store, title=f"Title {n}", time=now - n * 86_400 / 3, votes=int(chance.paretovariate(0.6)))
        for n in range(1, 41)
    ]
    site = Settings(page_size=4)
    for good_votes in (2, 200):
        tried = change_weights(site, good_votes=good_votes)
        ranked = sorted(articles, key=lambda article: -score(article, tried))
        trial = try_weights(store.context, store.listings, tried, now)
        assert trial.is_exact
        assert [row.article.id for row in trial.rows] == [article.id for article in ranked[:4]]
    assert len(trial.sample.articles) == 40
    monkeypatch.setattr(config, "MAX_TRIAL_ARTICLES", 6)
    trial = try_weights(store.context, store.listings, change_weights(site, good_votes=2), now)
    assert (trial.is_exact, trial.read, len(trial.sample.articles)) == (False, 6, 6)
    assert trial.sample.span == pytest.approx(2 * 86_400, abs=1)
