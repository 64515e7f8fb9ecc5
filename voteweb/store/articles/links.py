"""Find articles by their links, however old they are."""

from collections.abc import Iterable

from voteweb.core import links
from voteweb.store.connection.connection import Connection
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.keys import article_id, is_article
from voteweb.store.schema.values import finite_number


def find_articles(connection: Connection, wanted: Iterable[str]) -> dict[str, int]:
    """Return the newest listed article of each of these digests of links that has one.

    Links of the last 30 days have an index; for others all articles are read, in bounded steps.
    """
    keys, scanner = connection.keys, Scanner(connection)
    found: dict[str, int] = {}
    missing: set[str] = set()
    for batch in batched(dict.fromkeys(wanted)):
        newest = connection.run([("ZRANGE", keys.link(digest), 0, 0, "REV") for digest in batch])
        for digest, members in zip(batch, newest, strict=True):
            if members and is_article(members[0]):
                found[digest] = article_id(members[0])
            else:
                missing.add(digest)
    if missing:
        found |= _search(scanner, missing)
    return found


def _search(scanner: Scanner, wanted: set[str]) -> dict[str, int]:
    found: dict[str, tuple[float, int]] = {}
    for batch in batched(scanner.article_ids()):
        keys = [scanner.site_keys.article(id) for id in batch]
        rows = scanner.run_atomic([("HMGET", key, "link", "time", "gone") for key in keys])
        for id, (link, time, gone) in zip(batch, rows, strict=True):
            digest = links.digest(link or "")
            if digest in wanted and not gone:
                found[digest] = max(found.get(digest, (0.0, 0)), (finite_number(time) or 0.0, id))
    return {digest: id for digest, (_, id) in found.items()}
