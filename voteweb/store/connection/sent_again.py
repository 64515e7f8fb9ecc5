"""Acts of moderation that are sent again: the log tells whether what an act finds done is its own result."""

from collections.abc import Iterator, Mapping

from voteweb.core import clock, config
from voteweb.core.models import LogEntry
from voteweb.core.names import name_key
from voteweb.store.connection.connection import Connection
from voteweb.store.schema.fields import unpack
from voteweb.store.schema.log_entries import script_values
from voteweb.store.schema.values import finite_number


def newest_entries(connection: Connection) -> Iterator[tuple[int, str]]:
    """Yield the ids and texts of all entries of the log, the newest first, in batches of READ_BATCH_SIZE."""
    key, size = connection.keys.log_entries(), config.READ_BATCH_SIZE
    for last in range(connection.command("LLEN", key), 0, -size):
        first = max(last - size, 0)
        texts = connection.command("LRANGE", key, first, last - 1)
        yield from zip(range(last, first, -1), reversed(texts), strict=True)


def is_own_result(connection: Connection, entry: LogEntry) -> bool:
    """Tell whether the last entry of the log about its subject says what *entry* does, and is of DONE_SECONDS.

    Then the same member has done this, and nobody has decided otherwise since: the answer was lost.
    """
    wanted = unpack(script_values(connection.keys, entry)[0])
    oldest = clock.now() - config.DONE_SECONDS
    for _, text in newest_entries(connection):
        fields = unpack(text)
        if (finite_number(fields.get("time")) or oldest) < oldest:
            return False
        if _subject(fields) == _subject(wanted):
            said = [[of.get(name) for name in ("kind", "who", "why", "undoes")] for of in (fields, wanted)]
            since = [finite_number(of.get("since", "0")) or 0.0 for of in (fields, wanted)]
            return said[0] == said[1] and abs(since[0] - since[1]) <= config.DONE_SECONDS
    return False


def _subject(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the article or comment, else the member, else the group, domain or switch that an entry is about."""
    article, about = fields.get("article", ""), name_key(fields.get("about", ""))
    return article, fields.get("comment", ""), "" if article else about or fields.get("title", "")
