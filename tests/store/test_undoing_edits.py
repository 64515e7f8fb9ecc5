"""Undoing decides no more than the act that it undoes: links with votes, what posters had last, later decisions."""

import pytest

from tests import factories
from voteweb.core.errors import DomainRefused, LinkFixed, VotewebError
from voteweb.core.models import DomainAction, LogAction, LogEntry, Role, User
from voteweb.store import Store

SPAM, GOOD = "https://spam.example/", "https://good.example/"


@pytest.fixture
def admin(store: Store) -> User:
    return factories.user(store, "boss", Role.ADMIN)


def edit(store: Store, editor: User, **words: object) -> None:
    """Edit the article of ann as its poster or as a moderator."""
    entry = LogEntry(LogAction.EDIT, editor.name, about="ann", article=1, title="A title")
    store.articles.edit(1, factories.draft(**words), editor, None if editor.name == "ann" else entry)


def had_last(store: Store) -> list[str]:
    """Return the titles that the poster had last, none if nobody else has changed words."""
    return [version.title for version in store.read(store.articles.queue_earlier, 1) if version.as_posted]


@pytest.mark.parametrize("error", [LinkFixed, DomainRefused])
def test_undoing_exchanges_no_link_that_an_edit_may_not(
    store: Store, mod: User, admin: User, error: type[VotewebError]
) -> None:
    factories.article(store, link=SPAM)
    edit(store, mod, link=GOOD)
    if error is LinkFixed:
        store.votes.cast(1, factories.user(store, "bob"))
    else:
        rule = LogEntry(LogAction.DOMAIN, "boss", title="spam.example", why="Spam.")
        store.domain_rules.set("spam.example", DomainAction.REFUSE, rule, actor=admin)
    with pytest.raises(error):
        store.undoing.undo(1, mod)
    assert store.articles.get(1).link == GOOD


def test_admins_undo_an_exchange_of_a_link_with_votes(store: Store, admin: User) -> None:
    factories.article(store, link=GOOD)
    edit(store, admin, link=SPAM)
    store.votes.cast(1, factories.user(store, "bob"))
    store.undoing.undo(1, admin)
    assert store.articles.get(1).link == GOOD


def test_undoing_a_way_back_keeps_what_the_poster_had_last(store: Store, mod: User) -> None:
    factories.article(store, title="First")
    for title in ("Second", "First"):
        edit(store, mod, title=title)
    assert had_last(store) == []
    store.undoing.undo(2, mod)
    assert (store.articles.get(1).title, had_last(store)) == ("Second", ["First"])


def test_groups_that_the_poster_changes_keep_what_they_had_last(store: Store, mod: User) -> None:
    factories.group(store, "go")
    ann = factories.article(store, title="First") and store.users.get("ann")
    edit(store, mod, title="Second")
    edit(store, ann, title="Second", groups=("go",))
    assert had_last(store) == ["First"]
    edit(store, ann, title="Third")
    assert had_last(store) == []


def test_words_of_who_has_left_are_kept_for_nobody(store: Store, mod: User) -> None:
    factories.article(store, title="First")
    store.account_deletion.start(store.users.get("ann"), delete_articles=False)
    for _ in store.account_deletion.steps():
        pass
    edit(store, mod, title="Second")
    assert had_last(store) == []


def test_undoing_a_rule_ends_the_removals_that_it_began(store: Store, admin: User) -> None:
    for number in range(60):
        factories.article(store, link=f"https://spam.example/{number}")
    for action, removes in ((DomainAction.HOLD, False), (DomainAction.REFUSE, True)):
        rule = LogEntry(LogAction.DOMAIN, "boss", title="spam.example", why=action)
        store.domain_rules.set("spam.example", action, rule, removes=removes, actor=admin)
    removed = sum(_is_removed(store, id) for id in range(1, 61))
    store.undoing.undo(2, admin)
    assert [*store.domain_rules.steps()] == []
    assert sum(_is_removed(store, id) for id in range(1, 61)) == removed < 60


def _is_removed(store: Store, id: int) -> bool:
    return factories.stored_article(store, id).is_removed


def test_a_merge_overrules_changes_of_the_group_before_it(store: Store, mod: User) -> None:
    for name in ("go", "golang"):
        factories.group(store, name)
    entry = LogEntry(LogAction.GROUP, "mod", title="go")
    store.groups.change("go", "Go", "First", entry, aliases=["gopher"], actor=mod)
    store.group_merges.start("golang", "go", LogEntry(LogAction.MERGE_GROUP, "boss", title="golang"))
    ((_, _),) = store.undoing.find("mod", 0.0).kept
    assert store.undoing.find("mod", 0.0).acts == ()
