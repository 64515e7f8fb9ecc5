"""Planned merges of groups: a day in which any moderator stops them, whatever else happens meanwhile."""

from collections.abc import Callable

import pytest

from tests import factories
from tests.store.backup.copying import back_up, restore
from tests.store.examination import refused, run
from tests.store.queries import log_page
from voteweb.core import config
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import AliasTaken, MergePlanned, NotAllowed, NothingToUndo
from voteweb.core.models import LogAction, LogEntry, PlannedMerge, Role, User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def boss(store: Store) -> User:
    """An admin of a site with the groups go and golang, and an article in the first."""
    for name in ("go", "golang", "java"):
        factories.group(store, name)
    factories.article(store, groups=("go",))
    return factories.user(store, "boss", Role.ADMIN)


@pytest.fixture
def due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin merges as soon as they are planned."""
    monkeypatch.setattr(config, "MERGE_DELAY_SECONDS", 0)


def plan(store: Store, admin: User, name: str = "go", into: str = "golang") -> bool:
    entry = LogEntry(LogAction.PLAN_MERGE, admin.name, title=name)
    return store.planned_merges.plan(name, into, entry, actor=admin)


def planned(store: Store) -> list[tuple[str, str]]:
    return [(one.name, one.into) for one in store.read(store.planned_merges.queue_all)]


def finish(store: Store) -> None:
    list(store.group_merges.steps())


def acts(store: Store) -> list[tuple[str, LogAction, tuple[str, ...], tuple[str, ...]]]:
    """Return who did what to which groups, the newest first."""
    return [(one.who, one.kind, one.added, one.removed) for one in log_page(store).rows]


def test_a_planned_merge_begins_a_day_later(store: Store, boss: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plan(store, boss)
    (entry,) = log_page(store).rows
    assert factories.group(store, "go").merge == PlannedMerge("go", "golang", "boss", 1, entry.until)
    assert entry.until == pytest.approx(entry.time + 86_400, abs=1)
    restore(store, back_up(store))
    finish(store)
    assert planned(store) == [("go", "golang")]
    run(store, "HSET", "planned-merges:", "go", '{"into": "golang", "by": "boss", "entry": "1", "time": "1"}')
    factories.user(store, "eva", Role.ADMIN)
    factories.ban(store, "boss")
    finish(store)
    assert (planned(store), store.articles.get(1).groups) == ([], ("golang",))
    assert acts(store)[::2] == [
        ("boss", LogAction.MERGE_GROUP, ("golang",), ()),
        ("boss", LogAction.PLAN_MERGE, ("golang",), ()),
    ]


def test_another_plan_for_a_group_is_refused(store: Store, boss: User, mod: User) -> None:
    plan(store, boss)
    assert plan(store, boss), "sent again"
    with refused(store, MergePlanned):
        plan(store, boss, into="java")
    eva = factories.user(store, "eva", Role.ADMIN)
    with refused(store, MergePlanned):
        plan(store, eva)
    with refused(store, NotAllowed):
        plan(store, mod, name="java")
    assert (planned(store), log_page(store).total) == ([("go", "golang")], 1)


#: What ends a plan.
ENDS: dict[str, Callable[[Store, User], object]] = {
    "undo": lambda store, mod: store.undoing.undo(1, mod),
    "operator": lambda store, _: store.planned_merges.stop(
        "go", LogEntry(LogAction.STOP_MERGE, COMMAND_LINE, title="go", undoes=1)
    ),
    "delete": lambda store, mod: (
        store.articles.set_groups(1, [], ["go"]),
        store.groups.delete("go", LogEntry(LogAction.DELETE_GROUP, "mod", title="go"), actor=mod),
    ),
    "merge": lambda store, _: store.group_merges.start(
        "go", "java", LogEntry(LogAction.MERGE_GROUP, COMMAND_LINE, title="go")
    ),
}


@pytest.mark.parametrize("end", ENDS)
def test_an_ended_plan_neither_begins_nor_is_stopped(store: Store, boss: User, mod: User, end: str) -> None:
    plan(store, boss)
    ENDS[end](store, mod)
    assert planned(store) == []
    sue = factories.user(store, "sue", Role.MODERATOR)
    with refused(store, NothingToUndo):
        store.undoing.undo(1, sue)
    assert store.undoing.find("boss", 0).acts == ()
    finish(store)
    assert "golang" not in store.read(store.groups.queue_aliases).values()


def test_undoing_all_of_an_admin_stops_their_plans(store: Store, boss: User) -> None:
    for name in ("go", "java"):
        plan(store, boss, name)
    eva = factories.user(store, "eva", Role.ADMIN)
    store.users.set_role("boss", Role.MEMBER, LogEntry(LogAction.ROLE, "eva", about="boss", why="member"), actor=eva)
    store.undoing.start("boss", 0, eva)
    list(store.undoing.steps())
    assert (planned(store), store.log.get(1).undone, store.log.get(2).undone) == ([], True, True)


@pytest.mark.usefixtures("due")
@pytest.mark.parametrize("case", ["target deleted", "in a circle", "too many names"])
def test_a_merge_that_cannot_begin_ends_and_says_so(store: Store, boss: User, case: str) -> None:
    plan(store, boss)
    if case == "target deleted":
        store.groups.delete("golang", LogEntry(LogAction.DELETE_GROUP, COMMAND_LINE, title="golang"))
        with pytest.raises(AliasTaken):  # which would lead the merge elsewhere
            store.groups.change("java", "Java", "", aliases=["golang"])
    elif case == "in a circle":
        plan(store, boss, "golang", "go")
    else:
        store.groups.change("golang", "Golang", "", aliases=[f"g{i}" for i in range(config.MAX_ALIASES)])
    finish(store)
    assert planned(store) == []
    assert acts(store)[0] == ("boss", LogAction.STOP_MERGE, (), ("go",) if case == "in a circle" else ("golang",))
    finish(store)


@pytest.mark.usefixtures("due")
def test_merges_follow_one_another(store: Store, boss: User) -> None:
    plan(store, boss)
    plan(store, boss, "golang", "java")
    finish(store)
    assert store.articles.get(1).groups == ("java",)
    assert store.read(store.groups.queue_aliases) == {"go": "java", "golang": "java"}


@pytest.mark.usefixtures("due")
def test_a_merge_that_is_stopped_just_before_does_not_begin(store: Store, boss: User, mod: User) -> None:
    for name in ("go", "java"):
        plan(store, boss, name)
    steps = store.group_merges.steps()
    next(steps)  # it has read both
    store.planned_merges.stop("java", LogEntry(LogAction.STOP_MERGE, "mod", title="java", undoes=2), actor=mod)
    list(steps)
    assert store.read(store.groups.queue_aliases) == {"go": "golang"}
    assert acts(store)[0] == ("mod", LogAction.STOP_MERGE, ("golang",), ())
