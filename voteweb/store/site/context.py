"""The context of a site's parts: where its data are, how it is set up, and what acts of all kinds share."""

from dataclasses import dataclass

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.schema.keys import Keys
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.site.rate_limits import RateLimits


@dataclass(frozen=True, slots=True)
class Context:
    """The connection of one site, its settings, its log of moderation and its rate limits."""

    connection: Connection
    settings: Settings
    log: ModerationLog
    limits: RateLimits

    @classmethod
    def of(cls, connection: Connection, settings: Settings) -> "Context":
        """Return the context of the site at *connection*."""
        return cls(connection, settings, ModerationLog(connection), RateLimits(connection, settings))

    @property
    def keys(self) -> Keys:
        """The keys of the site."""
        return self.connection.keys


class StorePart:
    """A part of the store: the acts on one noun, and its reads."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._connection = context.connection
        self._keys = context.keys
        self._settings = context.settings
