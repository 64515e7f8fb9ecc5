"""Notes of moderators on members: few, deleted by their authors, gone with the member."""

import pytest

from tests import factories
from tests.store.examination import broken, run
from voteweb.core import config
from voteweb.core.errors import NoSuchMember, NotAllowed, NotYourNote, TooManyNotes
from voteweb.core.models import Note, Role, User
from voteweb.store import Store


def notes_on(store: Store, name: str) -> tuple[Note, ...]:
    notes = store.read(store.notes.queue_of, [name, "nobody", name])
    return notes.get(name, ())


def test_notes_are_written_once_and_deleted_by_author_or_admin(store: Store, mod: User, bob: User) -> None:
    sue, boss = factories.user(store, "sue", Role.MODERATOR), factories.user(store, "boss", Role.ADMIN)
    for author in (mod, mod, sue):
        store.notes.add("Bob", "Asked to stop.", author)
    of_sue, of_mod = notes_on(store, "bob")
    assert (of_mod.by, of_mod.text, of_sue.by) == ("mod", "Asked to stop.", "sue")
    with pytest.raises(NotYourNote):
        store.notes.delete("bob", of_mod.id, sue)
    for id, member in ((of_mod.id, mod), (of_mod.id, mod), (of_sue.id, boss)):
        store.notes.delete("bob", id, member)
    with pytest.raises(NotAllowed):
        store.notes.add("bob", "Mine.", bob)
    with pytest.raises(NoSuchMember):
        store.notes.add("nobody", "Who?", mod)
    assert run(store, "KEYS", "notes:*") == []


def test_notes_have_a_bound_and_go_with_the_member(store: Store, mod: User, bob: User) -> None:
    for number in range(config.MAX_NOTES):
        store.notes.add("bob", f"Note {number}.", mod)
    with pytest.raises(TooManyNotes):
        store.notes.add("bob", "One more.", mod)
    assert len(notes_on(store, "bob")) == config.MAX_NOTES
    store.account_deletion.start(bob, delete_articles=False)
    with pytest.raises(NoSuchMember):
        store.notes.add("bob", "Gone.", mod)
    store.account_deletion.finish("bob")
    assert run(store, "KEYS", "notes:*") == []
    assert broken(store) == []
