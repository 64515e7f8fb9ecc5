"""The context of a site's parts: where its data are, how it is set up, and what acts of all kinds share."""

from voteweb.core.settings import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.site.rate_limits import RateLimits


class Context:
    """The connection of one site, its settings, its log of moderation and its rate limits."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self.connection = connection
        self.settings = settings
        self.keys = connection.keys
        self.log = ModerationLog(connection)
        self.limits = RateLimits(connection, settings)


class StorePart:
    """A part of the store: the acts on one noun, and its reads."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._connection = context.connection
        self._keys = context.keys

    @property
    def _settings(self) -> Settings:
        """The settings in force as this process has read them last."""
        return self._context.settings
