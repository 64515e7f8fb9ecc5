"""Undoing: it reverts what the moderator did, and nothing that somebody decided later."""

from collections.abc import Iterator

import pytest

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, run, unchanged
from tests.store.queries import log_page, logged_act, reported
from voteweb.core.comments import CommentId
from voteweb.core.errors import NoSuchMember, NotAllowed, NothingToUndo, VotewebError
from voteweb.core.models import ArticleStatus, LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.moderation.bans import Span
from voteweb.store.moderation.undoing import KeptReason
from voteweb.store.schema.log_entries import NewLogEntry

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def site(store: Store) -> Store:
    """An article in "go" among the groups "go", "lua" and "redis"; and bob."""
    for name in ("lua", "redis"):
        factories.group(store, name)
    factories.article(store, groups=("go",))
    factories.user(store, "bob")
    return store


def entry(kind: LogAction, who: str = "Mod", undoes: int = 0) -> NewLogEntry:
    return NewLogEntry(kind, who, about="ann", article=1, why="spam", undoes=undoes)


def set_groups(store: Store, add: str, remove: str, undoes: int = 0, who: str = "Mod") -> None:
    store.articles.set_groups(1, add.split(), remove.split(), entry(LogAction.GROUPS, who, undoes))


def test_undoing_a_removal_leaves_a_later_one_in_force(site: Store) -> None:
    factories.remove(site)
    factories.restore(site, by="Sue")
    factories.remove(site, by="Sue")
    with unchanged(site), pytest.raises(NothingToUndo):
        factories.restore(site, undoes=1)
    factories.restore(site, by="Sue", undoes=3)
    assert factories.stored_article(site, 1).status is ArticleStatus.LISTED


def test_decision_that_no_group_fits_is_undone_once(site: Store) -> None:
    set_groups(site, "", "go")
    site.articles.set_groups(1, [], [], entry(LogAction.GROUPS), no_group=True)
    set_groups(site, "", "", undoes=2)
    assert not site.articles.get(1).no_group
    with unchanged(site), pytest.raises(NothingToUndo):
        set_groups(site, "", "", undoes=2)


def test_undoing_groups_leaves_a_later_choice_or_edit_of_them(site: Store) -> None:
    set_groups(site, "lua", "go")
    set_groups(site, "", "lua", who="Sue")
    set_groups(site, "lua", "", who="Sue")
    mod = factories.user(site, "Sue", Role.MODERATOR)
    site.articles.edit(1, factories.draft(groups=("go",)), mod, entry(LogAction.EDIT, "Sue"))
    site.articles.edit(1, factories.draft(groups=("go", "lua")), mod, entry(LogAction.EDIT, "Sue"))
    for undoes, groups in ((1, "lua"), (3, "")):
        with unchanged(site), pytest.raises(NothingToUndo):
            set_groups(site, groups, "lua" if not groups else "go", undoes=undoes)


def test_an_article_stays_in_a_group_that_took_in_another(site: Store) -> None:
    set_groups(site, "lua", "")
    site.group_merges.start("go", "lua", NewLogEntry(LogAction.MERGE, "Mod", title="go"))
    with unchanged(site), pytest.raises(NothingToUndo):
        set_groups(site, "", "lua", undoes=1)


def test_acts_are_undone_one_after_the_other(site: Store) -> None:
    set_groups(site, "lua", "go")
    set_groups(site, "go redis", "lua")
    with pytest.raises(NothingToUndo):
        set_groups(site, "go", "lua", undoes=1)
    set_groups(site, "lua", "go redis", undoes=2)
    set_groups(site, "go", "lua", undoes=1)
    assert site.articles.get(1).groups == ("go",)


def test_an_undoing_that_was_undone_stays_in_force(site: Store) -> None:
    set_groups(site, "lua", "")
    set_groups(site, "redis", "lua")
    set_groups(site, "lua", "redis", undoes=2)
    set_groups(site, "redis", "lua", undoes=3)
    set_groups(site, "lua", "", who="Sue")
    with pytest.raises(NothingToUndo):
        set_groups(site, "", "lua", undoes=1)
    assert site.articles.get(1).groups == ("go", "redis", "lua")


def test_lifting_a_ban_leaves_a_later_one_in_force(site: Store) -> None:
    for who in ("Mod", "Sue"):
        factories.ban(site, "bob", by=who)
        if who == "Mod":
            factories.lift(site, "bob", by="Sue")
    with pytest.raises(NothingToUndo):
        factories.lift(site, "bob", undoes=1)
    assert site.users.get("bob").banned


def test_a_missing_act_cannot_be_undone_but_one_on_another_article_hinders_nothing(site: Store) -> None:
    other = factories.article(site, groups=("lua",))
    factories.remove(site)
    factories.remove(site, other.id, by="Sue")
    for missing in (3, 77):
        with unchanged(site), pytest.raises(NothingToUndo):
            factories.restore(site, undoes=missing)
    factories.restore(site, undoes=1)
    assert site.articles.get(1).is_listed


def act_of_every_kind(site: Store) -> None:
    """Make Mod sort article 1, remove article 2 and a comment, ban bob and his comments, dismiss reports, and edit."""
    mod, bob = factories.user(site, "Mod", Role.MODERATOR), factories.user(site, "bob")
    factories.article(site)
    for author in (bob, factories.user(site)):
        factories.comment(site, 1, author)
    set_groups(site, "lua", "go")
    factories.remove(site, 2, by="Mod")
    factories.remove(site, CommentId(1, 2), by="Mod")
    factories.ban(site, "bob", by="Mod", comments=Span.ALL)
    list(site.bans.steps())
    site.reports.make(1, factories.user(site, "cid"), Reason.SPAM, "a note")
    site.reports.dismiss(1, entry(LogAction.DISMISS))
    site.articles.edit(1, factories.draft(title="Edited", groups=("lua",)), mod, entry(LogAction.EDIT))


def readable(site: Store) -> tuple[list[int], tuple[str, ...], list[int], int]:
    """Return the listed articles, groups and readable comments of the first, and since when bob is banned."""
    list(site.bans.steps())
    visible = [node.number for node in factories.thread(site).nodes.values() if not node.status]
    return sorted(ids(site, "time:")), factories.stored_article(site).groups, visible, site.users.get("bob").banned


def undo_all(site: Store) -> Iterator[None]:
    site.undoing.start("Mod", 0, factories.user(site, "Una", Role.ADMIN))
    yield from site.undoing.steps()


def test_an_admin_undoes_all_that_a_moderator_did_by_one_act(site: Store) -> None:
    act_of_every_kind(site)
    found = site.undoing.find("mod", 0)
    assert [act.id for act in found.acts] == [5, 4, 3, 2, 1]
    assert [(act.id, why) for act, why in found.kept] == [(6, KeptReason.KIND)]
    list(undo_all(site))
    assert readable(site) == ([1, 2], ("go",), [1, 2], 0)
    order = logged_act(site, 7)
    assert (order.kind, order.who, order.about, order.acts, order.kept) == (LogAction.UNDO, "Una", "Mod", 5, 1)
    assert [logged_act(site, id).undone for id in range(1, 7)] == [True] * 5 + [False]
    assert log_page(site).total == 7
    assert [row.reports.rows[0].note for row in reported(site)] == ["a note"]
    newest = {name: run(site, "LINDEX", f"inbox:{name}", 0).rpartition(" ")[0] for name in ("una", "ann")}
    assert newest == {"una": "undone log-7", "ann": "removed log-7"}
    with unchanged(site), pytest.raises(NothingToUndo):
        list(undo_all(site))


def test_undoing_all_leaves_what_somebody_decided_later(site: Store) -> None:
    act_of_every_kind(site)
    since = logged_act(site, 2).time
    factories.restore(site, 2, by="Sue")
    factories.remove(site, 2, by="Sue")
    site.removals.delete(CommentId(1, 2))
    undoing = undo_all(site)
    assert [why for _, why in site.undoing.find("Mod", since).kept] == [KeptReason.KIND, KeptReason.OVERRULED]
    next(undoing)
    set_groups(site, "redis", "lua", who="Sue")
    list(undoing)
    assert readable(site) == ([1], ("redis",), [1], 0)
    assert (logged_act(site, 9).acts, logged_act(site, 9).kept) == (2, 4)


def test_only_acts_since_the_time_are_undone(site: Store) -> None:
    act_of_every_kind(site)
    site.undoing.start("Mod", logged_act(site, 3).time, factories.user(site, "Una", Role.ADMIN))
    factories.remove(site, 1, by="Mod")  # after the admin's act
    list(site.undoing.steps())
    assert [logged_act(site, id).undone for id in range(1, 7)] == [False, False, True, True, False, False]
    assert not logged_act(site, 8).undone


@pytest.mark.parametrize(
    ("name", "admin", "refusal"),
    [
        ("Mod", "Sue", NotAllowed),  # who is a moderator
        ("Una", "Eva", NotAllowed),  # another admin
        ("nobody", "Una", NoSuchMember),
        ("ann", "Una", NothingToUndo),  # who did nothing
    ],
)
def test_undoing_all_is_refused(site: Store, name: str, admin: str, refusal: type[VotewebError]) -> None:
    act_of_every_kind(site)
    for who, role in (("Una", Role.ADMIN), ("Eva", Role.ADMIN), ("Sue", Role.MODERATOR)):
        factories.user(site, who, role)
    with unchanged(site), pytest.raises(refusal):
        site.undoing.start(name, 0, site.users.get(admin))


def sort_and_remove(store: Store) -> None:
    factories.user(store, "Mod", Role.MODERATOR)
    factories.group(store, "lua")
    for _ in range(2):
        factories.article(store, groups=("go",))
    set_groups(store, "lua", "go")
    factories.remove(store, 2, by="Mod")


def test_undoing_all_that_is_cut_off_between_any_two_trips_ends_whole(store: Store) -> None:
    for _ in cut_everywhere(store, sort_and_remove, undo_all):
        list(store.undoing.steps())
        assert (run(store, "EXISTS", "undoing:"), broken(store)) == (0, [])
        listed, groups = ids(store, "time:"), factories.stored_article(store).groups
        if (order := store.log.get(3)) is None:  # cut off before it had begun
            assert (listed, groups) == ([1], ("lua",))
        else:
            assert (sorted(listed), groups) == ([1, 2], ("go",))
            assert (order.acts, order.kept, log_page(store).total) == (2, 0, 3)
