"""Undoing: it reverts what the moderator did, and nothing that somebody decided later."""

import pytest

from tests import factories
from tests.store.examination import unchanged
from voteweb.core.errors import NothingToUndo
from voteweb.core.models import ArticleStatus, LogAction, Role
from voteweb.store import Store
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
