"""Search: size and speed of an index of a given number of articles and as many comments, by kinds of searches."""

import shutil
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from bench.budgets import MeasuredValue
from bench.parts import search_costs
from bench.processes import database_copy
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.documents import Recombined
from bench.sites.queries import open_store_at
from voteweb.core.search_documents import Document
from voteweb.search.documents import Kind, Note, Order
from voteweb.search.errors import SearchTooSlow
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import parse
from voteweb.search.index import SearchIndex
from voteweb.search.sources import CHUNK_SIZE
from voteweb.search.writer import IndexWriter

SMOKE_DOCUMENTS = 2_000
#: Searches of each kind that are typed.
SEARCHES = 60
#: Ids that the page of results asks for.
PAGE_IDS = 52


class Times(NamedTuple):
    """The seconds of searches, ascending, and how many of them ended without ranking, or without a result."""

    seconds: list[float]
    unranked: int
    refused: int

    def milliseconds(self, share: float) -> float:
        """Return the time below which a *share* of the searches is."""
        return 1e3 * self.seconds[min(int(share * len(self.seconds)), len(self.seconds) - 1)]


def measure(context: RunContext) -> list[Table]:
    """Return size and speed of the index, and what it costs the smallest generated site."""
    count = SMOKE_DOCUMENTS if context.is_smoke else context.documents
    recombined = Recombined(context.stories_file)
    site, home = context.generated[0], context.scratch_folder("search")
    shutil.rmtree(home, ignore_errors=True)
    try:
        with database_copy(site.folder, context.scratch_folder("search-site"), context.engine) as url:
            store = open_store_at(url)
            folder, position = IndexFolder(home / "search"), store.changes.end()
            with folder.locked():
                writer = folder.start_rebuild(store.changes.read(position, wait=0).epoch)
                build = _build_table(context, folder, writer, recombined, count)
                writer.apply([], [], position)
                folder.publish(writer)
                writer.close()
            queries = _query_table(context, SearchIndex(folder.path), recombined.typed(SEARCHES))
            costs = search_costs.measure(context, site, store, url, home)
            store.connection.client.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return [build, queries, *costs]


def _build_table(
    context: RunContext, folder: IndexFolder, writer: IndexWriter, recombined: Recombined, count: int
) -> Table:
    """Index *count* articles, then as many comments."""
    rows: list[tuple[Cell, ...]] = []
    measured, before = {}, 0
    for kind, documents in ((Kind.ARTICLES, recombined.articles(count)), (Kind.COMMENTS, recombined.comments(count))):
        context.report_progress(f"indexing {count:,} {kind}")
        seconds = characters = 0.0
        for chunk in _chunks(documents):
            characters += sum(len(document.title) + len(document.text) for document in chunk)
            begin = time.perf_counter()
            writer.apply(chunk)
            seconds += time.perf_counter() - begin
        begin = time.perf_counter()
        writer.finish()
        size = sum(file.stat().st_size for file in folder.path.iterdir())
        each = (size - before) / count
        rows.append((kind, count, characters / count, count / seconds, time.perf_counter() - begin, each))
        measured[f"search-{kind}-bytes"], before = MeasuredValue(each, f"{count:,} {kind}"), size
    return Table(
        "search-index",
        "The index of search",
        ("what", "indexed", "characters each", "rows/s", "s to merge", "bytes each"),
        rows,
        notes=("Rows/s without reading them from Redis, which the indexer does as well.",),
        measured=measured,
    )


def _chunks(documents: Iterator[Document]) -> Iterator[list[Document]]:
    while chunk := list(islice(documents, CHUNK_SIZE)):
        yield chunk


def _query_table(context: RunContext, index: SearchIndex, typed: list[str]) -> Table:
    context.report_progress(f"searching {len(typed):,} times, in each order")
    times = {(kind, order): _time_searches(index, typed, kind, order) for kind in Kind for order in _ORDERS}
    return Table(
        "search-queries",
        f"Milliseconds of {len(typed):,} searches, each made once",
        ("what", "order", "p50", "p99", "longest", "not ranked in time", "refused"),
        [
            (kind, order, *(found.milliseconds(share) for share in (0.5, 0.99, 1)), found.unranked, found.refused)
            for (kind, order), found in times.items()
        ],
        measured={
            f"search-{order}": MeasuredValue(max(times[kind, order].milliseconds(0.99) for kind in Kind))
            for order in _ORDERS
        },
    )


_ORDERS = (Order.NEW, Order.RELEVANCE)


def _time_searches(index: SearchIndex, typed: Iterable[str], kind: Kind, order: Order) -> Times:
    seconds, unranked, refused = [], 0, 0
    for text in typed:
        query, begin = parse(text), time.perf_counter()
        try:
            unranked += index.find(query, kind, order, 0, PAGE_IDS).note is Note.TOO_COMMON
        except SearchTooSlow:
            refused += 1
        seconds.append(time.perf_counter() - begin)
    return Times(sorted(seconds), unranked, refused)
