"""Secret addresses of feeds of what only one member sees: whoever knows one reads what its member reads."""

import secrets
import time
from collections.abc import Callable

from voteweb.core.errors import Conflict
from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.digests import digest_of
from voteweb.store.moderation_log import not_logged


class SecretFeeds:
    """Gives, renews and withdraws the addresses of one kind on one site. Only a digest of each is stored.

    The digest is in the field *field* of its member, and *feed_key* returns its key.
    """

    def __init__(self, connection: Connection, field: str, feed_key: Callable[[str], str]) -> None:
        self._connection = connection
        self._keys = connection.keys
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
        keys, act = self._keys, not_logged(self._keys)
        checked = actor_arguments(keys, actor, Role.MEMBER)
        known = self._connection.command("HGET", keys.user(name), self._field) or ""
        until = time.monotonic() + self._connection.deadline
        while time.monotonic() < until:
            if not known and not digest:
                return
            outcome = self._connection.script(
                "set_secret_feed",
                [
                    keys.user(name),
                    self._feed_key(known or digest),
                    self._feed_key(digest or known),
                    *act.keys,
                    *checked.keys,
                ],
                [*act.arguments, self._field, name_key(name), known, digest, *checked.arguments],
            )
            if outcome.status != "again":
                return
            known = outcome.values[0]
        raise Conflict()
