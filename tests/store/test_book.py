"""A program written after *Redis in Action*, chapter 1, on our database, and our store on its data.

tests/book.py has the five operations as the book describes them, with their separate calls. Its voters are names
(``user:83271``), ours are numbers. It knows no prefix of keys: here its client adds one.

No assertion in this file changes without the product's owner.
"""

import pytest

from tests import factories
from tests.book import ONE_WEEK, Book
from tests.conftest import MakeStore
from tests.store.examination import broken, broken_keys, raw_client, run, without_prefix
from tests.store.queries import good_ids, page_ids
from voteweb.core.errors import AlreadyVoted
from voteweb.core.models import Order
from voteweb.store import Store


@pytest.fixture
def book(store: Store) -> Book:
    return Book(raw_client(store))


def test_an_article_by_the_book_appears_in_our_lists(store: Store, book: Book) -> None:
    ours = factories.article(store)
    id = int(book.post_article("user:83271", "Go to statement considered harmful", "https://goo.gl/kZUSu"))
    assert id == ours.id + 1
    for order in (Order.SCORE, Order.TIME):
        assert page_ids(store, store.rankings.site(order)) == [id, ours.id]
    theirs = store.articles.get(id)
    assert (theirs.title, theirs.poster, theirs.votes, theirs.groups, theirs.text) == (
        "Go to statement considered harmful", "user:83271", 1, (), "",
    )  # fmt: skip
    assert broken(store) == []


def test_our_votes_count_on_an_article_by_the_book(store: Store, book: Book) -> None:
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


def test_our_vote_extends_the_lifetime_of_the_books_voters(store: Store, book: Book) -> None:
    id = int(book.post_article("user:83271", "A title", "https://a.example/"))
    assert run(store, "TTL", f"voted:{id}") <= ONE_WEEK
    store.votes.cast(id, factories.user(store, "bob"))
    assert run(store, "TTL", f"voted:{id}") > ONE_WEEK


def test_an_article_by_the_book_can_be_put_into_groups(store: Store, book: Book) -> None:
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


def test_a_vote_by_the_book_counts_on_our_article(store: Store, book: Book) -> None:
    article = factories.article(store)
    book.article_vote("user:83271", "article:1")
    book.article_vote("user:83271", "article:1")
    assert store.articles.get(1).votes == 2
    assert run(store, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 864, abs=1e-3)
    assert {key.partition(":")[0] for key in broken_keys(store)} == {"top", "top-day"}
    assert store.votes.cast(1, factories.user(store, "bob")) == 3
    assert broken(store) == []


def test_votes_from_both_programs_add_up(store: Store, book: Book) -> None:
    factories.article(store)
    for i, member in enumerate(factories.users(store, 10)):
        book.article_vote(f"user:{i}", "article:1")
        store.votes.cast(1, member)
    assert store.articles.get(1).votes == 21
    assert broken(store) == []


def test_a_late_vote_by_the_book_changes_nothing(store: Store, book: Book) -> None:
    factories.imported(store, votes=7)
    book.article_vote("user:83271", "article:1")
    assert store.articles.get(1).votes == 7
    assert broken(store) == []


def test_the_doctor_reports_rankings_unknown_to_the_book(
    make_store: MakeStore,
) -> None:
    store = make_store(good_votes=2, vote_score=432.0)
    book = Book(raw_client(store))
    factories.article(store, groups=("go", "redis"))
    book.article_vote("user:83271", "article:1")
    top = store.rankings.top(store.articles.get(1))
    assert broken_keys(store) == {"score:go", "score:redis", "good:", *(without_prefix(store, key) for key in top)}
    assert good_ids(store) == []
    store.votes.cast(1, factories.user(store, "bob"))
    assert good_ids(store) == [1]
    assert broken(store) == []


def test_the_doctor_reports_groups_set_by_the_book(store: Store, book: Book) -> None:
    factories.article(store, groups=("go",))
    factories.group(store, "redis")
    book.add_remove_groups("1", to_add=("redis",), to_remove=("go",))
    assert broken_keys(store) == {"group:go", "group:redis"}
    store.articles.set_groups(1, ["redis"], ["go"])
    assert broken(store) == []
    assert page_ids(store, store.rankings.groups(["redis"], Order.SCORE)) == [1]


def test_the_doctor_reports_a_group_created_by_the_book(store: Store, book: Book) -> None:
    factories.article(store)
    book.add_remove_groups("1", to_add=("perl",))
    assert [row["id"] for row in book.get_group_articles("perl", 1)] == ["article:1"]
    assert broken_keys(store) == {"group:perl", "score:perl"}
    factories.group(store, "perl")
    assert broken_keys(store) == {"group:perl", "score:perl"}
    store.articles.set_groups(1, ["perl"], [])
    assert broken(store) == []


@pytest.mark.parametrize("order", ["score:", "time:"])
def test_listing_our_group_by_the_book_expires_nothing(store: Store, book: Book, order: str) -> None:
    factories.article(store, groups=("go",))
    assert len(book.get_group_articles("go", 1, order)) == 1
    assert [run(store, "TTL", key) for key in ("group:go", "score:go", "time:go", order)] == [-1] * 4
    assert broken(store) == []


@pytest.mark.parametrize("order", ["score:", "time:"])
def test_our_write_makes_a_ranking_by_the_book_permanent(store: Store, book: Book, order: str) -> None:
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
    assert page_ids(store, store.rankings.groups(["go"], Order.SCORE)) == [2, 1]


def test_our_vote_makes_a_ranking_by_the_book_permanent(store: Store, book: Book) -> None:
    factories.article(store, groups=("go",))
    run(store, "DEL", "score:go")  # as after a minute, if the book had built it
    assert len(book.get_group_articles("go", 1)) == 1
    assert broken_keys(store) == {"score:go"}
    store.votes.cast(1, factories.user(store, "bob"))
    assert run(store, "TTL", "score:go") == -1
    assert broken(store) == []


def test_no_article_is_lost_by_any_operation_of_the_book(make_store: MakeStore) -> None:
    store = make_store(good_votes=3, vote_score=432.0)
    book = Book(raw_client(store))
    factories.group(store, "redis")
    ours = [factories.article(store, groups=("go",)).id for _ in range(3)]
    id = book.post_article("user:1", "Theirs", "https://a.example/")
    for voter in ("user:2", "user:3"):
        book.article_vote(voter, f"article:{ours[0]}")  # good by now, but the book has no such list
    book.add_remove_groups(id, to_add=("go", "redis"))
    for group in ("go", "redis"):
        for order in ("score:", "time:"):
            book.get_group_articles(group, 1, order)
    top = {without_prefix(store, key) for key in store.rankings.top(store.articles.get(ours[0]))}
    assert broken_keys(store) == {"group:go", "group:redis", "score:go", "good:", "score:redis", "time:redis", *top}
    assert set(page_ids(store, store.rankings.site(Order.TIME))) == {*ours, int(id)}
    assert set(page_ids(store, store.rankings.groups(["go"], Order.SCORE))) == set(ours)
