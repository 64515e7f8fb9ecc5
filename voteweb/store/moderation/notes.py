"""Notes: what moderators write down about a member, for moderators alone."""

import json
from collections.abc import Iterable

from voteweb.core import config
from voteweb.core.errors import NoSuchMember, NotYourNote, TooManyNotes
from voteweb.core.models import Note, Role, User
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt, commit, json_object
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import digest_of, finite_number
from voteweb.store.site.context import StorePart


class Notes(StorePart):
    """The notes on members of one site."""

    def add(self, name: str, text: str, actor: User) -> None:
        """Add a note of the moderator *actor* on a member, unless it is there: a form that is sent again adds nothing.

        Raises NoSuchMember, TooManyNotes, LoggedOut, NotAllowed.
        """
        key, id = self._keys.notes(name), digest_of(f"{actor.id} {text}")

        def decide(attempt: Attempt) -> list[Command] | None:
            (member, left), is_there, count = attempt.read(
                ("HMGET", self._keys.user(name), "id", "left"), ("HEXISTS", key, id), ("HLEN", key)
            )
            if member is None or left is not None:
                raise NoSuchMember(name=name)
            if is_there:
                return None
            if count >= config.MAX_NOTES:
                raise TooManyNotes(max=config.MAX_NOTES)
            return [("HSET", key, id, json.dumps({"by": actor.name, "time": attempt.now, "text": text}))]

        commit(self._connection, decide, actor=actor)

    def delete(self, name: str, id: str, actor: User) -> None:
        """Delete a note that *actor* wrote, or any as an admin; does nothing if there is none.

        Raises NotYourNote, LoggedOut, NotAllowed.
        """
        key = self._keys.notes(name)

        def decide(attempt: Attempt) -> list[Command]:
            stored, role = attempt.read(("HGET", key, id), ("HGET", self._keys.user(actor.name), "role"))
            if stored is not None and role != Role.ADMIN and json_object(stored).get("by") != actor.name:
                raise NotYourNote()
            return [("HDEL", key, id)] if stored is not None else []

        commit(self._connection, decide, actor=actor, when_full=True)

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
