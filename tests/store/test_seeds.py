"""The five descriptions that the site comes from: settings alone make it rank and count as each of them does.

Java A, Java B, Python A and Python B: a vote is worth 432 seconds (86,400 / 200) and the poster's vote counts.
Go: a vote is worth 100 seconds, the poster is among the voters, but the count starts at 0.

No assertion in this file changes without the product's owner.
"""

from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run
from tests.store.queries import good_ids, page, page_ids
from voteweb.core.errors import AlreadyVoted, NotVoted, OwnVote, VotingClosed
from voteweb.core.models import Order
from voteweb.store import Store

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
DESCRIBED = pytest.mark.parametrize("changes", [row.values[0] for row in ROWS], ids=[row.id for row in ROWS])
ORDERS = (Order.SCORE, Order.TIME)
START = 1_700_000_000.0


def total(store: Store, order: Order, *groups: str) -> int:
    """Return how many articles a list says that it has."""
    rankings = store.rankings
    return page(store, rankings.groups(list(groups), order) if groups else rankings.site(order)).total


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


@DESCRIBED
def test_the_poster_votes_once_and_keeps_that_vote(make_store: MakeStore, changes: dict[str, Any]) -> None:
    store = make_store(**changes)
    ann = factories.user(store)
    article = factories.article(store, ann)
    counted = changes.get("own_vote", 1)
    with pytest.raises(AlreadyVoted):
        store.votes.cast(article.id, ann)
    with pytest.raises(OwnVote):
        store.votes.take_back(article.id, ann)
    assert run(store, "SMEMBERS", "voted:1") == {str(ann.id)}
    assert store.articles.get(article.id).votes == counted
    assert run(store, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 432 * counted, abs=1e-3)


@DESCRIBED
def test_a_vote_is_answered_by_voted_already_or_closed(make_store: MakeStore, changes: dict[str, Any]) -> None:
    store = make_store(**changes)
    bob = factories.user(store, "bob")
    article, old = factories.article(store), factories.imported(store, votes=7)
    worth = changes.get("vote_score", 432.0)
    before = run(store, "ZSCORE", "score:", "article:1")
    assert store.votes.cast(article.id, bob) == article.votes + 1
    with pytest.raises(AlreadyVoted):
        store.votes.cast(article.id, bob)
    with pytest.raises(VotingClosed):
        store.votes.cast(old.id, bob)
    assert run(store, "ZSCORE", "score:", "article:1") - before == pytest.approx(worth, abs=1e-3)
    assert store.votes.take_back(article.id, bob) == article.votes
    with pytest.raises(NotVoted):
        store.votes.take_back(article.id, bob)
    assert run(store, "ZSCORE", "score:", "article:1") == pytest.approx(before, abs=1e-3)
    assert broken(store) == []


@DESCRIBED
def test_one_act_adds_to_groups_and_removes_from_others(make_store: MakeStore, changes: dict[str, Any]) -> None:
    store = make_store(**changes)
    factories.article(store, groups=("go", "redis"))
    for name in ("java", "lua"):
        factories.group(store, name)
    store.articles.set_groups(1, ["java", "lua"], ["go", "redis"])
    assert sorted(store.articles.get(1).groups) == ["java", "lua"]
    for name, has_it in (("java", 1), ("lua", 1), ("go", 0), ("redis", 0)):
        assert run(store, "SISMEMBER", f"group:{name}", "article:1") == has_it
        assert [total(store, order, name) for order in ORDERS] == [has_it] * 2
    assert broken(store) == []


@DESCRIBED
def test_combined_groups_are_ordered_by_score_and_time(make_store: MakeStore, changes: dict[str, Any]) -> None:
    store = make_store(**changes)
    posted = [factories.article(store, groups=("go", "redis")) for _ in range(3)]
    factories.article(store, groups=("go",))
    for voter in factories.users(store, 2):
        store.votes.cast(posted[0].id, voter)
    store.votes.cast(posted[1].id, factories.user(store, "bob"))
    assert page_ids(store, store.rankings.groups(["go", "redis"], Order.SCORE)) == [1, 2, 3]
    assert page_ids(store, store.rankings.groups(["go", "redis"], Order.TIME)) == [3, 2, 1]


@DESCRIBED
def test_every_list_says_how_many_articles_it_has(make_store: MakeStore, changes: dict[str, Any]) -> None:
    store = make_store(**changes, page_size=2)
    store.imports.add([factories.story(time=START + at, groups=("go", "redis")) for at in range(3)])
    store.imports.add([factories.story(time=START + at, groups=("go",)) for at in range(4, 6)])
    factories.group(store, "empty")
    for order in ORDERS:
        assert (total(store, order), total(store, order, "go"), total(store, order, "redis")) == (5, 5, 3)
        assert (total(store, order, "go", "redis"), total(store, order, "empty")) == (3, 0)
    assert page(store, store.rankings.site(Order.TIME), 3).total == 5


@DESCRIBED
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


def test_java_a_lists_the_newest_fifty_good_articles(make_store: MakeStore) -> None:
    store = make_store(**BOOK)
    store.imports.add([factories.story(time=START + at, votes=200) for at in range(51)])
    store.imports.add([factories.story(time=START + 99, votes=199)])
    assert good_ids(store) == list(range(51, 1, -1))


def test_python_b_values_two_hundred_votes_as_one_day(make_store: MakeStore) -> None:
    store = make_store(**BOOK)
    # 200 × 432 s is one day: the article has the score of one posted a day later without votes.
    store.imports.add([factories.story(time=START, votes=200), factories.story(time=START + 86_399, votes=0)])
    assert page_ids(store, store.rankings.site(Order.SCORE)) == [1, 2]
    store.imports.add([factories.story(time=START + 86_401, votes=0)])
    assert page_ids(store, store.rankings.site(Order.SCORE)) == [3, 1, 2]
