"""Secret addresses of feeds, each of what only one member sees: whoever knows one reads what its member reads."""

import secrets
from collections.abc import Mapping
from enum import StrEnum

from voteweb.core.comments import AccountChange
from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.values import digest_of
from voteweb.store.site.context import StorePart, act


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
        self._set(feed, member.name, digest_of(token), actor=member)
        return token

    def withdraw(self, feed: SecretFeed, name: str, *, actor: User | None = None) -> None:
        """Make the address of the feed of a member, if there is one, work no longer.

        *actor* is the member, None where the account is deleted. Raises LoggedOut, Held, Conflict.
        """
        self._set(feed, name, "", actor=actor)

    def name_of(self, feed: SecretFeed, token: str) -> str | None:
        """Return the name, in lower case, of the member whose feed has this token, None if none."""
        name: str | None = self._connection.command("GET", _feed_key(self._keys, feed, digest_of(token)))
        return name

    def queue_has(self, pipeline: Pipeline, feed: SecretFeed, name: str) -> Future[bool]:
        """Queue a read of whether a member has a feed."""
        return pipeline.queue_one(("HEXISTS", self._keys.user(name), feed), bool)

    @act(Role.MEMBER, when_full=True)
    def _set(self, attempt: Attempt, feed: SecretFeed, name: str, digest: str, *, actor: User | None) -> list[Command]:
        user = self._keys.user(name)
        known = attempt.value("HGET", user, feed)
        writes: list[Command] = [("UNLINK", _feed_key(self._keys, feed, known)), ("HDEL", user, feed)] if known else []
        if digest:
            attempt.tell(name, AccountChange.FEED)
            writes += [("HSET", user, feed, digest), ("SET", _feed_key(self._keys, feed, digest), name_key(name))]
        return writes


def _feed_key(keys: Keys, feed: SecretFeed, digest: str) -> str:
    return f"{keys.prefix}{feed}:{digest}"


def feed_keys(keys: Keys, fields: Mapping[str, str | None]) -> dict[SecretFeed, str]:
    """Return the fields of a member that are addresses of feeds, with the key of each."""
    return {feed: _feed_key(keys, feed, digest) for feed in SecretFeed if (digest := fields[feed])}


def end_feeds(attempt: Attempt, name: str) -> list[Command]:
    """Return the writes that make the addresses of all feeds of a member work no longer."""
    user = attempt.keys.user(name)
    fields = dict(zip(SecretFeed, attempt.value("HMGET", user, *SecretFeed), strict=True))
    return [
        write
        for feed, key in feed_keys(attempt.keys, fields).items()
        for write in (("UNLINK", key), ("HDEL", user, feed))
    ]
