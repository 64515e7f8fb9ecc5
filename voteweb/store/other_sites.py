"""The other sites on the database of a site that has no data: its name may be a wrong one."""

from contextlib import suppress

import redis

from voteweb.store.connection.connection import Connection
from voteweb.store.keys import Keys, site_of
from voteweb.store.server_info import ServerInfo

#: Keys that are looked at: a fraction of a millisecond on a database of any size.
SAMPLE_SIZE = 1_000
#: Names that are shown.
MAX_NAMES = 5


class OtherSites:
    """Looks for data of other sites where the site has none."""

    def __init__(self, connection: Connection, server_info: ServerInfo) -> None:
        self._connection = connection
        self._server_info = server_info

    def health_warnings(self) -> list[str]:
        """Return the warning that a site without data is beside others, in words that anybody may read."""
        if not self._names():
            return []
        return ["The site has no data, but other sites are on its database: unless it is new, VOTEWEB_SITE is wrong."]

    def warnings(self) -> list[str]:
        """Return the same warning with the names of the other sites, for the operator."""
        names = self._names()
        if not names:
            return []
        own = self._connection.keys.name
        shown = [name or "one without a name" for name in names[:MAX_NAMES]]
        return [
            f"This site (VOTEWEB_SITE {f'is {own}' if own else 'is not set'}) has no data, but others are on its "
            f"database: {', '.join(shown)}{', …' if len(names) > MAX_NAMES else ''}. Unless it is new, VOTEWEB_SITE is "
            "wrong."
        ]

    def _names(self) -> list[str]:
        """Return the names of the sites in a sample of the keys, "" for one without a name, which is the last.

        There are none if this site has data.
        """
        sample: list[str] = []
        with suppress(redis.ResponseError, UnicodeDecodeError):  # we may not ask, or a key is no text
            if self._server_info.is_empty():
                _, sample = self._connection.command("SCAN", 0, "COUNT", SAMPLE_SIZE)
        names = {name for key in sample if (name := site_of(key)) is not None and _is_data(key, name)}
        return sorted(names - {self._connection.keys.name}, key=lambda name: (not name, name))


def _is_data(key: str, site: str) -> bool:
    """Tell whether *key* is one that a site without articles and members lacks, unlike those of background jobs."""
    return Keys.of_site(site).split(key)[0] in ("article", "user")
