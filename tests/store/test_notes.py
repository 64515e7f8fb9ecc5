"""Notes of moderators on members: few, deleted by their authors, gone with the member."""

from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken, run
from voteweb.core import config
from voteweb.core.errors import NoSuchMember, NotAllowed, NotYourNote, TooManyNotes
from voteweb.core.models import Note, Role
from voteweb.store import Store


def notes_on(store: Store, name: str) -> tuple[Note, ...]:
    notes = store.read(store.notes.queue_of, [name, "nobody", name])
    return notes.get(name, ())


def test_a_note_is_deleted_by_its_author_or_an_admin(store: Store) -> None:
    mod, sue = (factories.user(store, name, Role.MODERATOR) for name in ("mod", "sue"))
    boss, bob = factories.user(store, "boss", Role.ADMIN), factories.user(store, "bob")
    for text in ("First.", "Second."):
        store.notes.add("Bob", text, mod)
    second, first = notes_on(store, "bob")
    assert (first.by, first.text, second.text) == ("mod", "First.", "Second.")
    with pytest.raises(NotYourNote):
        store.notes.delete("bob", first.id, sue)
    for _ in range(2):
        store.notes.delete("bob", first.id, mod)
    store.notes.delete("bob", second.id, boss)
    with pytest.raises(NotAllowed):
        store.notes.add("bob", "Mine.", bob)
    with pytest.raises(NoSuchMember):
        store.notes.add("nobody", "Who?", mod)
    assert run(store, "KEYS", "notes:*") == []


def test_a_note_that_is_sent_again_is_one(store: Store) -> None:
    mod, sue = (factories.user(store, name, Role.MODERATOR) for name in ("mod", "sue"))
    factories.user(store, "bob")
    for moderator in (mod, mod, sue):
        store.notes.add("bob", "Asked to stop.", moderator)
    assert sorted((note.by, note.text) for note in notes_on(store, "bob")) == [
        ("mod", "Asked to stop."),
        ("sue", "Asked to stop."),
    ]


def test_notes_have_a_bound_and_go_with_the_member(store: Store) -> None:
    mod, bob = factories.user(store, "mod", Role.MODERATOR), factories.user(store, "bob")
    for number in range(config.MAX_NOTES - 4):
        store.notes.add("bob", f"Note {number}.", mod)
    answers = at_once([partial(store.notes.add, "bob", f"At once {number}.", mod) for number in range(8)])
    assert answers.count(TooManyNotes) == 4
    assert len(notes_on(store, "bob")) == config.MAX_NOTES
    store.account_deletion.start(bob, delete_articles=False)
    with pytest.raises(NoSuchMember):
        store.notes.add("bob", "Gone.", mod)
    store.account_deletion.finish("bob")
    assert run(store, "KEYS", "notes:*") == []
    assert broken(store) == []
