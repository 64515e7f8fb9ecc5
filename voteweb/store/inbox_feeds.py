"""The secret addresses of feeds of inboxes: whoever knows one reads what its member reads."""

import secrets
import time
from hashlib import sha256

from voteweb.core.errors import Conflict
from voteweb.core.models import Role, User
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation_log import not_logged


class InboxFeeds:
    """Gives, renews and withdraws the addresses of one site. Only a digest of each is stored."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def renew(self, member: User) -> str:
        """Return the token of a new address for the feed of *member*'s inbox; one given before no longer works.

        Raises LoggedOut, Held, Conflict.
        """
        token = secrets.token_urlsafe(24)
        self._set(member.name, _digest(token), member)
        return token

    def withdraw(self, member: User) -> None:
        """Make the address of the feed of *member*'s inbox, if there is one, work no longer.

        Raises LoggedOut, Held, Conflict.
        """
        self._set(member.name, "", member)

    def remove(self, name: str) -> None:
        """Remove the address of a member who left."""
        self._set(name, "", None)

    def name_of(self, token: str) -> str | None:
        """Return the name, in lower case, of the member whose inbox the feed with this token shows, None if none."""
        name: str | None = self._connection.command("GET", self._keys.inbox_feed(_digest(token)))
        return name

    def queue_has(self, pipeline: Pipeline, name: str) -> Future[bool]:
        """Queue a read of whether the inbox of a member has a feed."""
        return pipeline.queue([("HEXISTS", self._keys.user(name), "inbox-feed")], lambda replies: bool(replies[0]))

    def has(self, name: str) -> bool:
        """Tell whether the inbox of a member has a feed."""
        pipeline = self._connection.pipeline()
        has_feed = self.queue_has(pipeline, name)
        pipeline.execute()
        return has_feed.result

    def _set(self, name: str, digest: str, actor: User | None) -> None:
        keys, act = self._keys, not_logged(self._keys)
        checked = actor_arguments(keys, actor, Role.MEMBER)
        known = self._connection.command("HGET", keys.user(name), "inbox-feed") or ""
        until = time.monotonic() + self._connection.deadline
        while time.monotonic() < until:
            if not known and not digest:
                return
            outcome = self._connection.script(
                "set_inbox_feed",
                [
                    keys.user(name),
                    keys.inbox_feed(known or digest),
                    keys.inbox_feed(digest or known),
                    *act.keys,
                    *checked.keys,
                ],
                [*act.arguments, name.lower(), known, digest, *checked.arguments],
            )
            if outcome.status != "again":
                return
            known = outcome.values[0]
        raise Conflict()


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()[:32]
