"""The public log: every act once, found by who, kind and whom."""

from typing import Any

import pytest

from tests import factories
from tests.store.examination import broken, run
from voteweb.core.models import LogAction, LogEntry, Page
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry


def page(store: Store, number: int = 1, **of: str) -> Page[LogEntry]:
    pipeline = store.pipeline()
    asked = store.moderation_log.queue_page(pipeline, number, **of)
    pipeline.execute()
    return asked.result


def found(store: Store, **of: str) -> list[int]:
    return [entry.id for entry in page(store, **of).rows]


@pytest.fixture
def acts(store: Store) -> Store:
    """Five acts: Mod makes "go" and bans bob, Sue makes "redis" and bans cid, Mod unbans bob."""
    for name in ("bob", "cid"):
        factories.user(store, name)
    store.groups.make("go", "Go", "", NewLogEntry(LogAction.GROUP, "Mod", title="go"))
    store.users.ban("bob", NewLogEntry(LogAction.BAN, "Mod", about="Bob", why="spam"))
    store.groups.make("redis", "Redis", "", NewLogEntry(LogAction.GROUP, "Sue", title="redis"))
    store.users.ban("cid", NewLogEntry(LogAction.BAN, "Sue", about="cid", why="spam"))
    store.users.unban("bob", NewLogEntry(LogAction.UNBAN, "Mod", about="bob"))
    assert broken(store) == []
    return store


@pytest.mark.parametrize(
    ("of", "ids"),
    [
        ({}, [5, 4, 3, 2, 1]),
        ({"who": "mod"}, [5, 2, 1]),
        ({"who": "SUE"}, [4, 3]),
        ({"who": "nobody"}, []),
        ({"kind": "ban"}, [4, 2]),
        ({"kind": "role"}, []),
        ({"who": "Mod", "kind": "ban"}, [2]),
        ({"who": "Sue", "kind": "unban"}, []),
        ({"about": "BOB"}, [5, 2]),
    ],
)
def test_acts_are_found_by_who_by_kind_by_both_and_by_whom(acts: Store, of: dict[str, str], ids: list[int]) -> None:
    assert found(acts, **of) == ids
    assert page(acts, **of).total == len(ids)


def test_an_entry_says_who_did_what_when_and_why(acts: Store) -> None:
    entry = acts.log.get(2)
    assert entry is not None
    assert entry == LogEntry(2, LogAction.BAN, "Mod", entry.time, about="Bob", why="spam")
    assert page(acts).rows[3] == entry
    assert acts.log.get(77) is None


def test_the_log_has_pages_of_twenty_five(store: Store) -> None:
    for i in range(27):
        store.groups.make(f"g{i}", "A group", "", NewLogEntry(LogAction.GROUP, "Mod", title=f"g{i}"))
    first, second, third = (page(store, number) for number in (1, 2, 3))
    assert [entry.id for entry in first.rows] == list(range(27, 2, -1))
    assert [entry.id for entry in second.rows] == [2, 1]
    assert (first.total, first.first, first.more, second.first, second.more) == (27, 1, True, 26, False)
    assert third.rows == ()


def test_what_changed_nothing_is_in_no_log(acts: Store) -> None:
    again: Any = {"entry": NewLogEntry(LogAction.BAN, "Sue", about="cid", why="other words")}
    acts.users.ban("cid", **again)
    acts.users.unban("bob", NewLogEntry(LogAction.UNBAN, "Mod", about="bob"))
    acts.groups.change("go", "Go", "", NewLogEntry(LogAction.GROUP, "Mod", title="go"))
    assert found(acts) == [5, 4, 3, 2, 1]
    assert acts.users.get("cid").ban_reason == "spam"


def test_the_words_of_an_act_outlive_its_article(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store, title="A story", groups=("go",))
    store.articles.set_groups(1, [], ["go"], NewLogEntry(LogAction.GROUPS, "Mod", about="ann", article=1, title=article.title))
    store.removals.delete(article.id, ann)
    (entry,) = page(store).rows
    assert (entry.title, entry.removed, entry.added) == ("A story", ("go",), ())


def test_an_act_that_is_undone_says_so(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    factories.group(store, "redis")
    groups = NewLogEntry(LogAction.GROUPS, "Mod", about="ann", article=1, title=article.title)
    store.articles.set_groups(1, ["redis"], ["go"], groups)
    (done,) = page(store).rows
    assert (done.added, done.removed, done.undone) == (("redis",), ("go",), False)
    undo = NewLogEntry(LogAction.GROUPS, "Mod", about="ann", article=1, title=article.title, undoes=done.id)
    store.articles.set_groups(1, done.removed, done.added, undo)
    assert store.articles.get(1).groups == ("go",)
    assert [(entry.undone, entry.added) for entry in page(store).rows] == [(False, ("go",)), (True, ("redis",))]
    store.articles.set_groups(1, done.removed, done.added, undo)  # pressed twice
    assert len(page(store).rows) == 2
    assert broken(store) == []


def test_a_removal_is_undone_by_restoring(store: Store) -> None:
    factories.article(store)
    store.removals.remove(1, NewLogEntry(LogAction.REMOVE, "Mod", article=1, why="spam"))
    store.removals.restore(1, NewLogEntry(LogAction.RESTORE, "Mod", article=1, undoes=1))
    assert [entry.undone for entry in page(store).rows] == [False, True]
    assert store.articles.get(1).gone == ""
    assert run(store, "ZCARD", "log-kind:restore+mod") == 1
