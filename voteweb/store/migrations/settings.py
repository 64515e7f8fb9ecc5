"""Layout 5: the settings that shape stored scores are in the data."""

from collections.abc import Iterator

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.site.context import Context
from voteweb.store.site.site_settings import SiteSettings, refuse_other_scores


def convert(connection: Connection, settings: Settings, dry_run: bool) -> Iterator[int]:
    """Store these settings; yield 1. Raises ConfigError if stored scores tell of others."""
    if dry_run:
        refuse_other_scores(connection, settings)
    else:
        SiteSettings(Context.of(connection, settings)).take_settings()
    yield 1
