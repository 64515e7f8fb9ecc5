"""Generated stories in a site, imported by this process."""

import time

from bench.sites.stories import COLUMNS, generate_row
from voteweb.cli.import_file import parse_story
from voteweb.core.config import Settings
from voteweb.store import Store
from voteweb.store.scan.scanner import batched

#: Stories sent to Redis at once.
BATCH_SIZE = 500


def fill_site(store: Store, articles: int) -> None:
    """Import so many generated stories into the site of *store*."""
    now, max_groups = int(time.time()), Settings().max_groups
    for positions in batched(range(articles - 1, -1, -1), BATCH_SIZE):
        rows = (dict(zip(COLUMNS, generate_row(position, now), strict=True)) for position in positions)
        store.imports.add([parse_story(row, max_groups) for row in rows])
