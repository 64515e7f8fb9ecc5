"""Merges of groups: a second name at once, then articles and followers in steps, whatever else happens meanwhile."""

from collections.abc import Iterator

import pytest

from tests import factories
from tests.store.backup.copying import back_up, restore
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, refused, repair, run, unchanged
from voteweb.core import config
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import (
    GroupMerged,
    GroupNotEmpty,
    NoSuchGroup,
    SameGroup,
    StillMerging,
    TooManyAliases,
    VotewebError,
)
from voteweb.core.models import LogAction, LogEntry, User
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.store import Store
from voteweb.store.members import group_merges


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_merges, "_STEP", 2)


def start(store: Store, name: str = "go", into: str = "golang") -> str:
    return store.group_merges.start(name, into, LogEntry(LogAction.MERGE_GROUP, COMMAND_LINE, title=name))


def finish(store: Store) -> None:
    list(store.group_merges.steps())


def merge(store: Store) -> Iterator[object]:
    start(store)
    yield from store.group_merges.steps()


def make_groups(store: Store) -> None:
    """Make articles 1 to 3 in go, 2 of them in golang too and 3 removed, 4 in golang alone; and three who choose."""
    for names in (("go", "java"), ("golang", "go"), ("go",), ("golang",)):
        factories.article(store, groups=names, link="")
    factories.remove(store, 3)
    store.groups.change("go", "Go", "", aliases=["g"])
    ann, bob, cat = (factories.user(store, name) for name in ("ann", "bob", "cat"))
    store.my_sites.follow("go", ann)
    store.my_sites.follow("golang", cat)
    for member in (bob, cat):
        store.my_sites.hide(Hidden(HiddenKind.GROUP, "go"), member)


def choices(store: Store) -> list[list[str]]:
    return [run(store, "ZRANGE", key, 0, -1) for key in ("follows:ann", "hides:bob", "follows:cat", "hides:cat")]


def check_merged(store: Store) -> None:
    """Check that nothing is left under go but a second name."""
    assert ids(store, "time:golang") == ids(store, "score:golang") == [4, 2, 1]
    assert [store.articles.get(id).groups for id in (1, 2)] == [("golang", "java"), ("golang",)]
    assert store.read(store.groups.queue_aliases) == {"go": "golang", "g": "golang"}
    assert run(store, "EXISTS", "merging:", "group-info:go", "group:go", "time:go", "score:go", "top-group:go") == 0
    assert choices(store) == [["golang"], ["ggolang"], ["golang"], []]
    assert broken(store) == []


def test_a_merge_that_is_cut_off_anywhere_ends_whole(store: Store) -> None:
    states = list[object]()
    for _ in cut_everywhere(store, make_groups, merge):
        in_go, in_golang = ids(store, "time:go"), ids(store, "time:golang")
        assert {*in_go, *in_golang} == {1, 2, 4}
        if (state := (in_go, choices(store))) not in states:
            states.append(state)
            assert broken(store) == []
            restore(store, back_up(store))  # which has all that is left to do
        start(store)
        finish(store)
        check_merged(store)
    assert len(states) == 6
    (entry,) = store.read(store.log.queue_page, 1, kind=LogAction.MERGE_GROUP).rows
    assert (entry.title, entry.added) == ("go", ("golang",))


def test_what_names_the_old_group_meanwhile_gets_the_other(store: Store, mod: User) -> None:
    make_groups(store)
    start(store)
    ann = store.users.get("ann")
    posted = store.articles.post(factories.draft(groups=("go", "golang"), link=""), ann, factories.token())
    store.imports.add([factories.story(groups=("go", "new"))])
    imported = store.articles.get(posted + 1)
    factories.restore(store, 3)
    edited = factories.draft(groups=("go",), link="", title="Go, again")
    store.articles.edit(2, edited, mod, LogEntry(LogAction.EDIT, "mod"))
    groups = [store.articles.get(id).groups for id in (posted, imported.id, 3, 2)]
    assert groups == [("golang",), ("golang", "new"), ("golang",), ("golang",)]
    # Chosen on a page from before the merge, and undone.
    for add, remove in ("golang", "go"), ("go", "golang"):
        assert store.articles.set_groups(1, [add], [remove]) == ("golang", "java")
    assert store.articles.set_groups(1, [], ["golang"]) == ("java",)
    assert broken(store) == []
    finish(store)
    assert {*ids(store, "time:golang")} == {2, 3, 4, posted, imported.id}
    assert (run(store, "SISMEMBER", "groups:", "go"), broken(store)) == (0, [])


REFUSALS: dict[tuple[str, str], type[VotewebError]] = {
    ("go", "nowhere"): NoSuchGroup,
    ("nowhere", "go"): NoSuchGroup,
    ("go", "go"): SameGroup,
    ("go", "g"): SameGroup,
    ("g", "java"): GroupMerged,
    ("go", "full"): TooManyAliases,
}


def test_a_merge_that_makes_no_sense_is_refused(store: Store) -> None:
    make_groups(store)
    factories.group(store, "full")
    store.groups.change("full", "Full", "", aliases=[f"full{i}" for i in range(config.MAX_ALIASES - 1)])
    for (name, into), error in REFUSALS.items():
        with refused(store, error):
            start(store, name, into)


def test_a_second_name_stays_while_its_articles_move(store: Store) -> None:
    make_groups(store)
    start(store)
    with unchanged(store):
        assert start(store) == "golang", "sent twice"
        with pytest.raises(StillMerging, match="go are still moving"):
            store.groups.change("golang", "Golang", "", aliases=["g"])
        with pytest.raises(GroupNotEmpty):
            store.groups.delete("golang", LogEntry(LogAction.DELETE_GROUP, COMMAND_LINE, title="golang"))
    run(store, "SREM", "merging:", "go")
    assert broken(store) == [("merging:", "lacks go, a second name with articles")]
    repair(store)
    finish(store)
    store.groups.change("golang", "Golang", "", aliases=["g"])
    assert store.read(store.groups.queue_aliases) == {"g": "golang"}


def test_an_article_that_only_the_set_holds_moves_too(store: Store) -> None:
    make_groups(store)
    run(store, "HSET", "article:1", "groups", "java")  # as a program after the book, which knows no such field
    start(store)
    finish(store)
    assert store.articles.get(1).groups == ("java", "golang")
    assert (ids(store, "time:golang"), broken(store)) == ([4, 2, 1], [])
