"""Purges: cut off anywhere, they are logged only when no word is left, and may be done again."""

from collections.abc import Iterator
from dataclasses import replace

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, run
from tests.store.purged_words import WORDS, log_entry, words_left, write_words
from voteweb.core.models import ArticleStatus, LogAction
from voteweb.store import Store


def purge(store: Store) -> Iterator[None]:
    return store.removals.purge(1, replace(log_entry(1, LogAction.PURGE), title=""), with_comments=True)


def is_logged(store: Store) -> bool:
    return bool(run(store, "EXISTS", "log-kind:purge"))


def test_an_interrupted_purge_is_logged_only_if_it_is_whole(store: Store) -> None:
    for _ in cut_everywhere(store, write_words, purge):
        is_deleted = factories.stored_article(store).status is ArticleStatus.DELETED
        assert is_deleted is is_logged(store) is (words_left(store) == [])
        list(purge(store))
        assert (words_left(store), is_logged(store), broken(store)) == ([], True, [])


def test_a_comment_that_is_written_meanwhile_is_purged_too(store: Store) -> None:
    write_words(store)
    steps = purge(store)
    next(steps)
    factories.comment(store, 1, text=WORDS[0])
    list(steps)
    assert words_left(store) == []
