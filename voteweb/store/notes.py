"""Notes: what moderators write down about a member, for moderators alone."""

import json
from collections.abc import Iterable

from voteweb.core import config
from voteweb.core.errors import NoSuchMember, NotYourNote, TooManyNotes
from voteweb.core.models import Note, User
from voteweb.core.names import name_key
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.digests import digest_of
from voteweb.store.scanner import finite_number


class Notes:
    """The notes on members of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def add(self, name: str, text: str, actor: User) -> None:
        """Add a note of the moderator *actor* on a member, unless it is there: a form that is sent again adds nothing.

        Raises NoSuchMember, TooManyNotes, LoggedOut, NotAllowed.
        """
        keys, checked = self._keys, actor_arguments(self._keys, actor)
        outcome = self._connection.script(
            "add_note",
            [keys.notes(name), keys.user(name), *checked.keys],
            [digest_of(f"{actor.id} {text}"), text, actor.name, config.MAX_NOTES, *checked.arguments],
        )
        if outcome.status == "unknown":
            raise NoSuchMember(name=name)
        if outcome.status == "full":
            raise TooManyNotes(max=config.MAX_NOTES)

    def delete(self, name: str, id: str, actor: User) -> None:
        """Delete a note that *actor* wrote, or any as an admin; does nothing if there is none.

        Raises NotYourNote, LoggedOut, NotAllowed.
        """
        checked = actor_arguments(self._keys, actor)
        keys = [self._keys.notes(name), *checked.keys]
        outcome = self._connection.script("delete_note", keys, [id, actor.name, *checked.arguments])
        if outcome.status == "not-yours":
            raise NotYourNote()

    def queue_on(self, pipeline: Pipeline, name: str) -> Future[tuple[Note, ...]]:
        """Queue a read of the notes on one member, newest first."""
        return pipeline.queue([("HGETALL", self._keys.notes(name))], lambda replies: _notes(replies[0]))

    def queue_of(self, pipeline: Pipeline, names: Iterable[str]) -> Future[dict[str, tuple[Note, ...]]]:
        """Queue a read of the notes on these members by name in lower case, newest first; none for who has none."""
        unique = list(dict.fromkeys(name_key(name) for name in names))
        return pipeline.queue(
            [("HGETALL", self._keys.notes(name)) for name in unique],
            lambda replies: {
                name: notes for name, stored in zip(unique, replies, strict=True) if (notes := _notes(stored))
            },
        )


def _notes(stored: dict[str, str]) -> tuple[Note, ...]:
    notes = (_note(id, text) for id, text in stored.items())
    return tuple(sorted((note for note in notes if note), key=lambda note: note.time, reverse=True))


def _note(id: str, stored: str) -> Note | None:
    """Return the note that *stored* holds, None for what another program wrote."""
    try:
        fields = json.loads(stored)
        return Note(id, str(fields["by"]), finite_number(str(fields["time"])) or 0.0, str(fields["text"]))
    except (ValueError, TypeError, LookupError):
        return None
