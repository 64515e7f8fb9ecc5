"""A program written after *Redis in Action*, chapter 1, on our database, and we on its.

The five operations are transcribed in bench/book.py from the book's description as it gives them, with their
separate calls.
Its voters are names (``user:83271``), ours are numbers.
"""

import pytest

from bench.book import ONE_WEEK, Book
from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, broken_keys, run
from tests.store.test_listings import good, ids_of, page
from voteweb.core.errors import AlreadyVoted
from voteweb.core.models import Order
from voteweb.store import Store


@pytest.fixture
def book(store: Store) -> Book:
    return Book(store.connection.client)


def test_an_article_of_the_book_appears_in_our_lists(store: Store, book: Book) -> None:
    ours = factories.article(store)
    id = int(book.post_article("user:83271", "Go to statement considered harmful", "https://goo.gl/kZUSu"))
    assert id == ours.id + 1
    for order in (Order.SCORE, Order.TIME):
        assert ids_of(page(store, store.rankings.site(order)).rows) == [id, ours.id]
    theirs = store.articles.get(id)
    assert (theirs.title, theirs.poster, theirs.votes, theirs.groups, theirs.text) == (
        "Go to statement considered harmful", "user:83271", 1, (), "",
    )  # fmt: skip
    assert broken(store) == []


def test_we_vote_on_an_article_of_the_book(store: Store, book: Book) -> None:
    id = int(book.post_article("user:83271", "A title", "https://a.example/"))
    bob = factories.user(store, "bob")
    assert store.votes.cast(id, bob) == 2
    with pytest.raises(AlreadyVoted):
        store.votes.cast(id, bob)
    article = store.articles.get(id)
    assert run(store, "ZSCORE", "score:", f"article:{id}") == pytest.approx(article.time + 864, abs=1e-3)
    assert book.get_articles(1)[0]["votes"] == "2"
    assert broken(store) == []
    assert store.votes.take_back(id, bob) == 1
    assert broken(store) == []


def test_our_vote_makes_the_voters_of_the_book_outlive_the_week(store: Store, book: Book) -> None:
    id = int(book.post_article("user:83271", "A title", "https://a.example/"))
    assert run(store, "TTL", f"voted:{id}") <= ONE_WEEK
    store.votes.cast(id, factories.user(store, "bob"))
    assert run(store, "TTL", f"voted:{id}") > ONE_WEEK


def test_we_sort_an_article_of_the_book_into_groups(store: Store, book: Book) -> None:
    id = int(book.post_article("user:83271", "A title", "https://a.example/"))
    factories.group(store, "go")
    store.articles.set_groups(id, ["go"], [])
    assert [row["id"] for row in book.get_group_articles("go", 1)] == [f"article:{id}"]
    assert broken(store) == []


def test_the_book_lists_our_articles(store: Store, book: Book) -> None:
    first, second = factories.article(store, groups=("go",), title="First"), factories.article(store, title="Second")
    store.votes.cast(first.id, factories.user(store, "bob"))
    assert [(row["title"], row["votes"]) for row in book.get_articles(1)] == [("First", "2"), ("Second", "1")]
    assert [row["title"] for row in book.get_articles(1, "time:")] == ["Second", "First"]
    assert [row["title"] for row in book.get_group_articles("go", 1)] == ["First"]
    assert float(book.get_articles(1)[0]["time"]) == pytest.approx(first.time)
    assert second.id == 2


def test_a_vote_of_the_book_counts_on_our_article(store: Store, book: Book) -> None:
    article = factories.article(store)
    book.article_vote("user:83271", "article:1")
    book.article_vote("user:83271", "article:1")
    assert store.articles.get(1).votes == 2
    assert run(store, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 864, abs=1e-3)
    assert broken(store) == []
    assert store.votes.cast(1, factories.user(store, "bob")) == 3
    assert broken(store) == []


def test_votes_from_both_sides_add_up(store: Store, book: Book) -> None:
    factories.article(store)
    for i, member in enumerate(factories.users(store, 10)):
        book.article_vote(f"user:{i}", "article:1")
        store.votes.cast(1, member)
    assert store.articles.get(1).votes == 21
    assert broken(store) == []


def test_a_vote_of_the_book_after_the_week_changes_nothing(store: Store, book: Book) -> None:
    factories.imported(store, votes=7)
    book.article_vote("user:83271", "article:1")
    assert store.articles.get(1).votes == 7
    assert broken(store) == []


def test_of_a_vote_of_the_book_the_doctor_misses_what_it_could_not_know_until_our_next_vote(
    make_store: MakeStore,
) -> None:
    store = make_store(good_votes=2, vote_score=432.0)
    book = Book(store.connection.client)
    factories.article(store, groups=("go", "redis"))
    book.article_vote("user:83271", "article:1")
    assert broken_keys(store) == {"score:go", "score:redis", "good:"}
    assert good(store) == []
    store.votes.cast(1, factories.user(store, "bob"))
    assert good(store) == [1]
    assert broken(store) == []


def test_of_a_group_set_by_the_book_the_doctor_names_the_membership_until_we_set_it_too(
    store: Store, book: Book
) -> None:
    factories.article(store, groups=("go",))
    factories.group(store, "redis")
    book.add_remove_groups("1", to_add=("redis",), to_remove=("go",))
    assert broken_keys(store) == {"group:go", "group:redis"}
    store.articles.set_groups(1, ["redis"], ["go"])
    assert broken(store) == []
    assert ids_of(page(store, store.rankings.groups(["redis"], Order.SCORE)).rows) == [1]


def test_a_group_that_only_the_book_knows_is_named_by_its_keys(store: Store, book: Book) -> None:
    factories.article(store)
    book.add_remove_groups("1", to_add=("perl",))
    assert [row["id"] for row in book.get_group_articles("perl", 1)] == ["article:1"]
    assert broken_keys(store) == {"group:perl", "score:perl"}
    factories.group(store, "perl")
    assert broken_keys(store) == {"group:perl", "score:perl"}
    store.articles.set_groups(1, ["perl"], [])
    assert broken(store) == []


@pytest.mark.parametrize("order", ["score:", "time:"])
def test_after_the_book_listed_a_group_of_ours_nothing_of_it_is_to_vanish(store: Store, book: Book, order: str) -> None:
    factories.article(store, groups=("go",))
    assert len(book.get_group_articles("go", 1, order)) == 1
    assert [run(store, "TTL", key) for key in ("group:go", "score:go", "time:go", order)] == [-1] * 4
    assert broken(store) == []


@pytest.mark.parametrize("order", ["score:", "time:"])
def test_a_ranking_that_the_book_built_to_vanish_is_kept_from_our_next_write_on(
    store: Store, book: Book, order: str
) -> None:
    factories.article(store)
    factories.group(store, "go")
    book.add_remove_groups("1", to_add=("go",))
    assert len(book.get_group_articles("go", 1, order)) == 1
    key = f"{order}go"
    assert 0 < run(store, "TTL", key) <= 60
    assert broken_keys(store) == {"group:go", key}
    factories.article(store, groups=("go",))  # another article comes into the group
    assert run(store, "TTL", key) == -1
    store.articles.set_groups(1, ["go"], [])
    assert broken(store) == []
    assert ids_of(page(store, store.rankings.groups(["go"], Order.SCORE)).rows) == [2, 1]


def test_our_vote_keeps_a_ranking_that_the_book_let_expire(store: Store, book: Book) -> None:
    factories.article(store, groups=("go",))
    run(store, "DEL", "score:go")  # as if a minute had passed for a ranking that the book built
    assert len(book.get_group_articles("go", 1)) == 1
    assert broken_keys(store) == {"score:go"}
    store.votes.cast(1, factories.user(store, "bob"))
    assert run(store, "TTL", "score:go") == -1
    assert broken(store) == []


def test_we_lose_nothing_when_the_book_runs_through_all_it_can_do(make_store: MakeStore) -> None:
    store = make_store(good_votes=3, vote_score=432.0)
    book = Book(store.connection.client)
    factories.group(store, "redis")
    ours = [factories.article(store, groups=("go",)).id for _ in range(3)]
    id = book.post_article("user:1", "Theirs", "https://a.example/")
    for voter in ("user:2", "user:3"):
        book.article_vote(voter, f"article:{ours[0]}")  # good by now, but the book knows no such list
    book.add_remove_groups(id, to_add=("go", "redis"))
    for group in ("go", "redis"):
        for order in ("score:", "time:"):
            book.get_group_articles(group, 1, order)
    assert broken_keys(store) == {"group:go", "group:redis", "score:go", "good:", "score:redis", "time:redis"}
    assert set(ids_of(page(store, store.rankings.site(Order.TIME)).rows)) == {*ours, int(id)}
    assert set(ids_of(page(store, store.rankings.groups(["go"], Order.SCORE)).rows)) == set(ours)
