"""A removal that hides the title: in the log too, wherever it is cut off, until the article is restored or purged."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests import factories
from tests.store.backup.copying import back_up, restore
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, run
from tests.store.purged_words import log_entry, words_left, write_words
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.store import Store

TITLE = "An atrocious title"


def removal(who: str) -> LogEntry:
    return replace(log_entry(1, LogAction.REMOVE, title=""), hidden=TITLE, who=who)


def hide(store: Store) -> None:
    store.removals.remove(1, removal("mod"))


def show(store: Store) -> None:
    store.removals.restore(1, log_entry(1, LogAction.RESTORE))


def titles(store: Store) -> list[tuple[str, str]]:
    """Return the title and the hidden title of each entry of the log."""
    entries = map(store.log.get, range(1, int(run(store, "LLEN", "log-entries:")) + 1))
    return [(entry.title, entry.hidden) for entry in entries if entry]


def state(store: Store) -> tuple[str | None, bool]:
    """Return the title of the article in lists, and whether it is hidden."""
    return run(store, "HGET", "article:1", "title"), factories.stored_article(store).hides_title


def finish(store: Store) -> None:
    list(store.removals.steps())
    assert not run(store, "EXISTS", "removing:")
    assert broken(store) == []


def test_the_whole_log_follows_a_title_also_after_a_cut(store: Store) -> None:
    others = ("Harmless", "")
    for _ in cut_everywhere(store, write_words, lambda store: [hide(store)]):
        if state(store) == (TITLE, False):
            continue
        finish(store)
        assert state(store) == ("", True)
        assert titles(store) == [("", TITLE), ("", TITLE), others, ("", TITLE)]

    def make_hidden(store: Store) -> None:
        write_words(store)
        hide(store)

    for _ in cut_everywhere(store, make_hidden, lambda store: [show(store)]):
        if state(store) == ("", True):
            continue
        finish(store)
        assert state(store) == (TITLE, False)
        assert run(store, "HGET", "article:1", "hidden-title") is None
        assert titles(store) == [(TITLE, ""), (TITLE, ""), others, (TITLE, ""), (TITLE, "")]


def undo(store: Store, mod: User) -> None:
    (entry,) = store.read(store.log.queue_page, 1, who="mod").rows
    store.undoing.undo(entry.id, mod)


def undo_all(store: Store, boss: User) -> None:
    store.undoing.start("mod", 0, boss)
    list(store.undoing.steps())


@pytest.mark.parametrize(("act", "role"), [(undo, Role.MODERATOR), (undo_all, Role.ADMIN)])
def test_undoing_the_removal_shows_the_title_again(
    store: Store, act: Callable[[Store, User], None], role: Role
) -> None:
    write_words(store)
    mod = factories.user(store, "mod", Role.MODERATOR)
    store.removals.remove(1, removal("mod"), actor=mod)
    act(store, mod if role is Role.MODERATOR else factories.user(store, "boss", role))
    assert state(store) == (TITLE, False)
    assert [pair for pair in titles(store) if TITLE in pair] == [(TITLE, "")] * (4 if act is undo else 3)
    finish(store)


def test_a_deletion_before_the_log_is_changed_leaves_it_hidden(store: Store) -> None:
    for _ in cut_everywhere(store, write_words, lambda store: [hide(store)]):
        if state(store) == (TITLE, False):
            continue
        store.removals.delete(1)
        finish(store)
        assert [title for title, _ in titles(store) if title] == ["Harmless"]
        assert TITLE not in str(run(store, "HGETALL", "article:1"))


def test_what_is_undone_meanwhile_is_logged_without_the_title(store: Store) -> None:
    write_words(store)
    mod, bob = factories.user(store, "mod", Role.MODERATOR), store.users.get("bob")
    comment = factories.comment(store, 1, bob)
    entry = LogEntry(LogAction.REMOVE, "mod", "bob", 1, TITLE, "Rude.", comment=comment.number)
    store.removals.remove(comment, entry, actor=mod)
    hide(store)
    store.undoing.undo(4, mod)
    assert titles(store)[-1] == ("", TITLE)
    show(store)
    assert {title for title, _ in titles(store)} == {TITLE, "Harmless"}


def test_the_title_of_a_removed_article_is_hidden_later(store: Store) -> None:
    write_words(store)
    store.removals.remove(1, log_entry(1, LogAction.REMOVE))
    assert store.removals.remove(1, removal("mod"))
    assert not store.removals.remove(1, removal("mod"))
    assert {title for title, _ in titles(store)} == {"", "Harmless"}
    finish(store)


def test_a_backup_keeps_it_hidden_and_a_purge_ends_it(store: Store) -> None:
    write_words(store)
    hide(store)
    hidden = titles(store)
    restore(store, back_up(store))
    finish(store)
    assert (state(store), titles(store)) == (("", True), hidden)
    list(store.removals.purge(1, log_entry(1, LogAction.PURGE, title=""), with_comments=True))
    assert words_left(store) == []
