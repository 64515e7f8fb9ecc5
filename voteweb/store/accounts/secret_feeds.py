"""Secret addresses of feeds of what only one member sees: whoever knows one reads what its member reads."""

import secrets
from collections.abc import Callable

from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import digest_of
from voteweb.store.site.context import Context, StorePart


class SecretFeeds(StorePart):
    """Gives, renews and withdraws the addresses of one kind on one site. Only a digest of each is stored.

    The digest is in the field *field* of its member, and *feed_key* returns its key.
    """

    def __init__(self, context: Context, field: str, feed_key: Callable[[str], str]) -> None:
        super().__init__(context)
        self._field = field
        self._feed_key = feed_key

    def renew(self, member: User) -> str:
        """Return the token of a new address for the feed of *member*; one given before no longer works.

        Raises LoggedOut, Held, Conflict.
        """
        token = secrets.token_urlsafe(24)
        self._set(member.name, digest_of(token), member)
        return token

    def withdraw(self, member: User) -> None:
        """Make the address of the feed of *member*, if there is one, work no longer.

        Raises LoggedOut, Held, Conflict.
        """
        self._set(member.name, "", member)

    def remove(self, name: str) -> None:
        """Remove the address of a member who left."""
        self._set(name, "", None)

    def name_of(self, token: str) -> str | None:
        """Return the name, in lower case, of the member whose feed has this token, None if none."""
        name: str | None = self._connection.command("GET", self._feed_key(digest_of(token)))
        return name

    def queue_has(self, pipeline: Pipeline, name: str) -> Future[bool]:
        """Queue a read of whether a member has a feed."""
        return pipeline.queue([("HEXISTS", self._keys.user(name), self._field)], lambda replies: bool(replies[0]))

    def has(self, name: str) -> bool:
        """Tell whether a member has a feed."""
        pipeline = self._connection.pipeline()
        has_feed = self.queue_has(pipeline, name)
        pipeline.execute()
        return has_feed.result

    def _set(self, name: str, digest: str, actor: User | None) -> None:
        user = self._keys.user(name)

        def decide(attempt: Attempt) -> list[Command]:
            (known,) = attempt.read(("HGET", user, self._field))
            writes: list[Command] = [("UNLINK", self._feed_key(known)), ("HDEL", user, self._field)] if known else []
            if digest:
                writes += [("HSET", user, self._field, digest), ("SET", self._feed_key(digest), name_key(name))]
            return writes

        commit(self._connection, decide, actor=actor, role=Role.MEMBER, when_full=True)
