"""The stream of changes and the documents that are read after it."""

import threading
import time
from collections.abc import Callable

from tests import factories
from tests.conftest import MakeStore
from tests.store.backup.copying import back_up, restore
from tests.store.examination import run
from voteweb.core.comments import CommentId
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, LogEntry
from voteweb.core.ranking import vote_level
from voteweb.core.search_documents import Changes
from voteweb.store import Store
from voteweb.store.articles.search_documents import START


def since(store: Store, position: str = START) -> Changes:
    return store.search.changes_since(position, wait=0)


def test_changes_are_read_from_where_the_last_read_ended(store: Store) -> None:
    factories.article(store)
    changes = since(store)
    assert (changes.articles, changes.is_complete) == ({1}, True)
    comment = factories.comment(store, 1)
    later = since(store, changes.position)
    assert (later.comments, later.position) == ({comment}, store.search.end_of_changes())
    run(store, "XTRIM", "changes:", "MAXLEN", 1)
    # A server that took over has numbered by its own clock, and may be behind.
    positions = (changes.position, "99999999999999-0", later.position)
    assert [since(store, position).is_complete for position in positions] == [False, False, True]


def test_a_read_waits_for_a_change(make_store: MakeStore) -> None:
    store, position = make_store(), make_store().search.end_of_changes()
    poster = threading.Timer(0.2, factories.article, [make_store()])
    poster.start()
    while not (changes := store.search.changes_since(position, wait=1)).articles:
        pass
    poster.join()
    assert changes.articles == {1}


def test_a_flushed_or_restored_database_has_another_epoch(store: Store) -> None:
    factories.article(store)
    backup = back_up(store)
    epochs = [since(store).epoch]
    run(store, "FLUSHDB")
    epochs.append(since(store).epoch)
    restore(store, backup)
    assert len({*epochs, since(store).epoch, since(store).epoch}) == 3


def test_each_act_on_an_article_is_a_change(store: Store) -> None:
    ann, id = factories.user(store), factories.article(store, groups=("go",)).id
    factories.group(store, "redis")
    purge = LogEntry(LogAction.PURGE, COMMAND_LINE, article=id)
    nothing, article, conversation = (set(), set(), False), ({id}, set(), False), ({id}, {id}, False)
    acts: list[tuple[Callable[[], object], object]] = [
        (lambda: store.articles.edit(id, factories.draft(title="Another", groups=("go",)), ann), article),
        (lambda: store.articles.set_groups(id, ["redis"], []), conversation),
        (lambda: store.articles.set_groups(id, ["redis"], []), nothing),
        (lambda: factories.remove(store), conversation),
        (lambda: factories.remove(store), nothing),
        (lambda: factories.restore(store), conversation),
        (lambda: store.removals.leave(id, "ann", deletes=False), article),
        (lambda: store.removals.delete(id), conversation),
        (lambda: list(store.removals.purge(id, purge, with_comments=False)), ({id}, {id}, True)),
    ]
    for number, (act, expected) in enumerate(acts):
        position = store.search.end_of_changes()
        act()
        changes = since(store, position)
        assert (changes.articles, changes.conversations, changes.is_purge) == expected, number


def test_votes_of_another_level_are_a_change(store: Store) -> None:
    """Levels are rounded logarithms: that of 4 votes is the first, the next are those of 10 and 21."""
    levels = [vote_level(votes) for votes in (-1, 3, 4, 9, 10, 20, 21, 10**6)]
    assert levels == [0, 0, 3, 3, 4, 4, 5, 13]
    for votes in (3, 4, 9, 20):
        article = factories.imported(store, votes=votes, time=time.time())
        position, voter = store.search.end_of_changes(), factories.user(store, f"voter{votes}")
        told = {article.id} if vote_level(votes) != vote_level(votes + 1) else set()
        store.votes.cast(article.id, voter)
        assert since(store, position).articles == told
        assert {document.level for document in store.search.articles([article.id])} == {vote_level(votes + 1)}
    comment = factories.comment(store, article)
    for number in range(4):
        position = store.search.end_of_changes()
        store.votes.cast(comment, factories.user(store, f"reader{number}"))
        assert bool(since(store, position).comments) is (number == 3)


def test_what_stands_below_a_removed_comment_is_no_document(store: Store) -> None:
    id = factories.article(store, groups=("go",)).id
    for parent in (0, 1, 2, 0):
        factories.comment(store, id, parent=parent)
    ids = [CommentId(id, number) for number in range(1, 6)]
    assert [document.groups for document in store.search.comments(ids)] == [("go",)] * 4
    factories.remove(store, ids[0], with_replies=True)
    assert [document.id for document in store.search.comments(ids)] == [ids[3]]
    factories.restore(store, ids[0])
    assert len(store.search.comments(ids)) == 4


def test_listed_articles_come_once_each_whatever_their_times(store: Store) -> None:
    factories.article(store)
    for id in range(70, 75):  # of a program after the book, which may give several the same time
        run(store, "HSET", f"article:{id}", "title", "A title", "poster", "user:7", "time", "17.5", "votes", "1")
        run(store, "ZADD", "time:", 17.5, f"article:{id}")
    steps = [ids for ids, _ in store.search.listed_ids(2)]
    assert sorted(id for ids in steps for id in ids) == [1, 70, 71, 72, 73, 74]
    assert store.search.newest_ids(2) == [1, 74]
    assert store.search.listed_count() == 6
