"""Search: size and speed of an index of a given number of articles and as many comments, by kinds of searches."""

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from bench.budgets import MeasuredValue
from bench.parts import search_costs
from bench.processes import database_copy
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.queries import open_store_at
from bench.sites.search_documents import Recombined
from voteweb.core import config
from voteweb.core.search_documents import Document
from voteweb.search.errors import SearchTooSlow
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import Query, parse
from voteweb.search.index import SearchIndex
from voteweb.search.models import Kind, Order
from voteweb.search.steps import CHUNK_SIZE
from voteweb.search.writer import IndexWriter
from voteweb.store import Store
from voteweb.web.search_results import by_worth

SMOKE_DOCUMENTS = 2_000
#: Searches of each kind that are typed.
SEARCHES = 50
#: Repetitions of a search, the fastest of which counts: on a busy machine every other is disturbed.
REPETITIONS = 3
#: Ids that the page of results asks for.
PAGE_IDS = 52
_ORDERS = (Order.NEW, Order.RELEVANCE)


def measure(context: RunContext) -> list[Table]:
    """Return size and speed of the index, and what it costs the smallest generated site."""
    count = SMOKE_DOCUMENTS if context.is_smoke else context.documents
    recombined = Recombined(context.stories_file)
    site, home = context.generated[0], context.scratch_folder("search")
    shutil.rmtree(home, ignore_errors=True)
    try:
        with database_copy(site.folder, context.scratch_folder("search-site"), context.engine) as url:
            store = open_store_at(url)
            folder, position = IndexFolder(home / "search"), store.search.end_of_changes()
            with folder.locked():
                writer = folder.start_rebuild(store.search.changes_since(position, wait=0).epoch)
                build = _build_table(context, folder, writer, recombined, count)
                writer.apply([], [], position)
                folder.publish(writer)
                writer.close()
            queries = _query_table(context, store, SearchIndex(folder.path), recombined.typed(SEARCHES))
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
        for _ in writer.merge():
            pass
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


def _query_table(context: RunContext, store: Store, index: SearchIndex, typed: dict[str, list[str]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    all_times: dict[Order, list[float]] = {order: [] for order in _ORDERS}
    for kind in Kind:
        for label, texts in typed.items():
            context.report_progress(f"searching {kind}: {label}")
            cells: list[Cell] = []
            for order in _ORDERS:
                times = sorted(_milliseconds(store, index, parse(text), kind, order) for text in texts)
                all_times[order] += times
                cells += [_below(times, 0.5), _below(times, 0.99)]
            rows.append((kind, label, len(texts), *cells))
    return Table(
        "search-queries",
        "Milliseconds of searches",
        ("in", "for", "searches", "newest: p50", "p99", "by relevance: p50", "p99"),
        rows,
        notes=(
            f"The fastest of {REPETITIONS} times. The budgets are those of all kinds together.",
            "By relevance with a read of the votes of all that are ranked, of which this database has none.",
            f"A search that cannot be ranked within {config.SEARCH_SECONDS * 1e3:.0f} ms returns the newest results.",
        ),
        measured={
            "search-new": MeasuredValue(_below(sorted(all_times[Order.NEW]), 0.5)),
            "search-relevance": MeasuredValue(_below(sorted(all_times[Order.RELEVANCE]), 0.99)),
        },
    )


def _below(times: list[float], share: float) -> float:
    """Return the time below which a *share* of *times* is, which are ascending."""
    return times[min(int(share * len(times)), len(times) - 1)]


def _milliseconds(store: Store, index: SearchIndex, query: Query, kind: Kind, order: Order) -> float:
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        with suppress(SearchTooSlow):
            found = index.find(query, kind, order, 0, PAGE_IDS if order is Order.NEW else config.MAX_RANKED_MATCHES)
            if found.weights:
                votes = store.read(store.votes.queue_counts, found.ids)
                by_worth(found, votes, time.time())
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)
