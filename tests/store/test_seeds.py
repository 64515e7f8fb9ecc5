"""The five descriptions that the site comes from: settings alone make it rank and count as each of them does.

Java A, Java B, Python A and Python B: a vote is worth 432 seconds (86,400 / 200) and the poster's vote counts.
Go: a vote is worth 100 seconds, the poster is among the voters, but the count starts at 0.
"""

from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run
from tests.store.queries import good_ids, page_ids
from voteweb.core.errors import AlreadyVoted, VotingClosed
from voteweb.core.models import Order

BOOK: dict[str, Any] = {}
GO: dict[str, Any] = {"vote_score": 100.0, "own_vote": 0}
#: Three articles, posted one after the other; 3, 5 and 0 others vote for them. The numbers are worked out by hand.
#: By the book: votes 1 + 3, 1 + 5, 1; lifts 4 × 432 = 1,728, 6 × 432 = 2,592, 1 × 432 = 432 seconds.
#: Go: votes 3, 5, 0; lifts 300, 500, 0 seconds.
ROWS = [
    pytest.param(BOOK, (4, 6, 1), (1_728, 2_592, 432), id="Java A"),
    pytest.param(BOOK, (4, 6, 1), (1_728, 2_592, 432), id="Java B"),
    pytest.param(BOOK, (4, 6, 1), (1_728, 2_592, 432), id="Python A"),
    pytest.param(BOOK, (4, 6, 1), (1_728, 2_592, 432), id="Python B"),
    pytest.param(GO, (3, 5, 0), (300, 500, 0), id="Go"),
]


@pytest.mark.parametrize(("changes", "votes", "lifts"), ROWS)
def test_settings_alone_make_each_described_site(
    make_store: MakeStore, changes: dict[str, Any], votes: tuple[int, ...], lifts: tuple[int, ...]
) -> None:
    store = make_store(**changes)
    ann = factories.user(store)
    voters = factories.users(store, 5)

    # Post: two in the group "programming", one in none; the poster is a voter of each.
    posted = [factories.article(store, ann, groups=groups) for groups in (("programming",), ("programming",), ())]
    assert [article.id for article in posted] == [1, 2, 3]
    assert [str(ann.id) in run(store, "SMEMBERS", f"voted:{id}") for id in (1, 2, 3)] == [True] * 3

    # Vote: three for the first, five for the second; nobody twice, the poster neither.
    for voter in voters[:3]:
        store.votes.cast(1, voter)
    for voter in voters:
        store.votes.cast(2, voter)
    for voter in (voters[0], ann):
        with pytest.raises(AlreadyVoted):
            store.votes.cast(1, voter)
    assert tuple(store.articles.get(id).votes for id in (1, 2, 3)) == votes
    for article, lift in zip(posted, lifts, strict=True):
        score = run(store, "ZSCORE", "score:", f"article:{article.id}")
        assert score - article.time == pytest.approx(lift, abs=1e-3)

    # List: by score the second, the first, the third; by time the newest first.
    assert page_ids(store, store.rankings.site(Order.SCORE)) == [2, 1, 3]
    assert page_ids(store, store.rankings.site(Order.TIME)) == [3, 2, 1]

    # Groups: into several and out of one in one act; both orders of a group.
    factories.group(store, "redis")
    store.articles.set_groups(3, ["redis", "programming"], [])
    store.articles.set_groups(2, ["redis"], ["programming"])
    assert page_ids(store, store.rankings.groups(["programming"], Order.SCORE)) == [1, 3]
    assert page_ids(store, store.rankings.groups(["programming"], Order.TIME)) == [3, 1]
    assert page_ids(store, store.rankings.groups(["redis"], Order.SCORE)) == [2, 3]
    assert broken(store) == []


@pytest.mark.parametrize("changes", [row.values[0] for row in ROWS], ids=[row.id for row in ROWS])
def test_voting_closes_after_a_week_and_the_score_stays(make_store: MakeStore, changes: dict[str, Any]) -> None:
    store = make_store(**changes)
    old = factories.imported(store, votes=7)
    before = run(store, "ZSCORE", "score:", "article:1")
    with pytest.raises(VotingClosed):
        store.votes.cast(old.id, factories.user(store, "bob"))
    assert run(store, "ZSCORE", "score:", "article:1") == before
    assert run(store, "EXISTS", "voted:1") == 0


def test_java_a_lists_articles_with_two_hundred_votes_as_good(make_store: MakeStore) -> None:
    store = make_store(**BOOK)
    article = factories.article(store)
    good_before = []
    for voter in factories.users(store, 199):  # and the poster makes 200
        good_before.append(good_ids(store))
        store.votes.cast(article.id, voter)
    assert good_before == [[]] * 199
    assert good_ids(store) == [article.id]


def test_python_b_values_two_hundred_votes_as_one_day(make_store: MakeStore) -> None:
    store = make_store(**BOOK)
    # 200 × 432 s is one day: the article has the score of one posted a day later without votes.
    start = 1_700_000_000.0
    store.imports.add([factories.story(time=start, votes=200), factories.story(time=start + 86_399, votes=0)])
    assert page_ids(store, store.rankings.site(Order.SCORE)) == [1, 2]
    store.imports.add([factories.story(time=start + 86_401, votes=0)])
    assert page_ids(store, store.rankings.site(Order.SCORE)) == [3, 1, 2]
