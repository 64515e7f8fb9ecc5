"""Secret addresses of feeds of what only one member sees: whoever knows one reads what its member reads."""

import secrets
from enum import StrEnum

from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import digest_of
from voteweb.store.site.context import StorePart


class SecretFeed(StrEnum):
    """The feeds that have secret addresses, each by its field of the member, which is the noun of its keys too."""

    INBOX = "inbox-feed"
    SAVED = "saved-feed"


class SecretFeeds(StorePart):
    """Gives, renews and withdraws the addresses of one site's feeds. Only a digest of each is stored.

    The digest is in the member's field of that feed.
    """

    def renew(self, feed: SecretFeed, member: User) -> str:
        """Return the token of a new address for the feed of *member*; one given before no longer works.

        Raises LoggedOut, Held, Conflict.
        """
        token = secrets.token_urlsafe(24)
        self._set(feed, member.name, digest_of(token), member)
        return token

    def withdraw(self, feed: SecretFeed, member: User) -> None:
        """Make the address of the feed of *member*, if there is one, work no longer.

        Raises LoggedOut, Held, Conflict.
        """
        self._set(feed, member.name, "", member)

    def remove_all(self, name: str) -> None:
        """Remove the addresses of a member who left."""
        for feed in SecretFeed:
            self._set(feed, name, "", None)

    def name_of(self, feed: SecretFeed, token: str) -> str | None:
        """Return the name, in lower case, of the member whose feed has this token, None if none."""
        name: str | None = self._connection.command("GET", self._key(feed, digest_of(token)))
        return name

    def queue_has(self, pipeline: Pipeline, feed: SecretFeed, name: str) -> Future[bool]:
        """Queue a read of whether a member has a feed."""
        return pipeline.queue([("HEXISTS", self._keys.user(name), feed)], lambda replies: bool(replies[0]))

    def _key(self, feed: SecretFeed, digest: str) -> str:
        return {SecretFeed.INBOX: self._keys.inbox_feed, SecretFeed.SAVED: self._keys.saved_feed}[feed](digest)

    def _set(self, feed: SecretFeed, name: str, digest: str, actor: User | None) -> None:
        user = self._keys.user(name)

        def decide(attempt: Attempt) -> list[Command]:
            (known,) = attempt.read(("HGET", user, feed))
            writes: list[Command] = [("UNLINK", self._key(feed, known)), ("HDEL", user, feed)] if known else []
            if digest:
                writes += [("HSET", user, feed, digest), ("SET", self._key(feed, digest), name_key(name))]
            return writes

        commit(self._connection, decide, actor=actor, role=Role.MEMBER, when_full=True)
