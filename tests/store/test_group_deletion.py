"""The deletion of a group with articles in it: cut off anywhere, it is logged only when the group is gone."""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, run
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import NoSuchGroup
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


def make_group(store: Store) -> None:
    for _ in range(3):
        factories.article(store, groups=("go", "java"), link="")


def delete(store: Store) -> Iterator[int]:
    return store.groups.delete_in_steps("go", NewLogEntry(LogAction.DELETE, COMMAND_LINE, title="go"))


def test_a_deletion_that_is_cut_off_leaves_the_group_until_it_is_empty(store: Store) -> None:
    for _ in cut_everywhere(store, make_group, delete):
        is_group = bool(run(store, "SISMEMBER", "groups:", "go"))
        assert run(store, "LLEN", "log-kind:delete") == (0 if is_group else 1)
        assert (ids(store, "time:java"), broken(store)) == ([3, 2, 1], [])
        with suppress(NoSuchGroup):
            deque(delete(store), maxlen=0)
        assert run(store, "EXISTS", "group:go", "time:go", "score:go", "group-info:go") == 0
        assert (run(store, "LLEN", "log-kind:delete"), broken(store)) == (1, [])


def test_an_article_that_only_the_set_holds_leaves_the_group(store: Store) -> None:
    make_group(store)
    run(store, "HSET", "article:1", "groups", "java")  # as a program after the book, which knows no such field
    assert sorted(delete(store)) == [1, 2, 3]
    assert (run(store, "EXISTS", "group:go", "time:go", "score:go"), broken(store)) == (0, [])
