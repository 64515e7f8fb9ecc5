"""The costs of search for the site: the time until a post is found, and list pages."""

import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.budgets import MeasuredValue
from bench.parts.request_costs import REPETITIONS
from bench.processes import run_jobs
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.pages import Page, all_pages
from bench.sites.prepare import Site, voter_names
from bench.tracing.in_process import InProcessClient, create_site_app
from bench.tracing.sent_commands import record_sent_commands
from voteweb.core.models import Draft, User
from voteweb.core.validation import new_submission_token
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import parse
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.search.models import Kind, Order
from voteweb.store import Store

#: Posts that are looked for, one after another, and seconds between two looks and until it is given up.
POSTS, SMOKE_POSTS = 300, 5
POLL_SECONDS, MAX_SECONDS = 0.0005, 60.0
#: Rounds in which each list page is made with and without search.
ROUNDS = 40


def measure(context: RunContext, site: Site, store: Store, url: str, home: Path) -> list[Table]:
    """Return the costs on *site*, whose database at *url* is *store* and whose index is in *home*."""
    member = store.users.get(voter_names()[0])
    rows: list[tuple[Cell, ...]] = []
    context.report_progress("posting and searching while the indexer runs")
    waits = _measure_waits(context, store, url, home, member)
    p50, p99 = (1e3 * waits[int(share * (len(waits) - 1))] for share in (0.5, 0.99))
    rows.append(("posted to found by another process, ms: p50, p99", p50, p99, 1e3 * waits[-1]))
    rows.append(("`voteweb index --rebuild`, articles/s", _measure_rebuild(store, home), None, None))
    return [
        Table(
            "search-costs",
            "What search costs",
            ("what", "", "", "longest"),
            rows,
            measured={"search-visible": MeasuredValue(p99 / 1e3)},
        ),
        _list_table(context, site, store, url, home),
    ]


def _measure_waits(context: RunContext, store: Store, url: str, home: Path, member: User) -> list[float]:
    index, waits = SearchIndex(home / "search"), []
    with run_jobs(url, context.logs / "search-jobs.log", VOTEWEB_DATA_DIR=str(home), VOTEWEB_SEARCH="1"):
        # The first one waits for the process to start.
        for _ in range(1 + (SMOKE_POSTS if context.is_smoke else POSTS)):
            query = parse(word := f"word{secrets.token_hex(8)}")
            begin = time.perf_counter()
            id = _post(store, member, f"A title of usual length about {word}")
            while index.find(query, Kind.ARTICLES, Order.NEW, 0, 1).ids != (id,):
                if time.perf_counter() - begin > MAX_SECONDS:
                    raise RuntimeError(f"Article {id} was not found.")
                time.sleep(POLL_SECONDS)
            waits.append(time.perf_counter() - begin)
    return sorted(waits[1:])


def _post(store: Store, member: User, title: str) -> int:
    token = new_submission_token()
    return store.articles.post(Draft(title, f"https://example.com/{token}", "", ()), member, token)


def _measure_rebuild(store: Store, home: Path) -> float:
    """Return the articles that are read from Redis and indexed in a second."""
    folder = home / "rebuild"
    indexer, begin = Indexer(IndexFolder(folder), store.search), time.perf_counter()
    indexer.catch_up()
    seconds = time.perf_counter() - begin
    articles = SearchIndex(folder).state().articles
    shutil.rmtree(folder)
    return articles / seconds


def _list_table(context: RunContext, site: Site, store: Store, url: str, home: Path) -> Table:
    context.report_progress("making list pages with and without search")
    settings = {"VOTEWEB_DATA_DIR": str(home)}
    apps = [create_site_app(url, VOTEWEB_SEARCH=search, **settings) for search in ("1", "0")]
    rows: list[tuple[Cell, ...]] = []
    rounds = REPETITIONS if context.is_smoke else ROUNDS
    for name in ("", voter_names()[0]):
        clients = [InProcessClient(app, name) for app in apps]
        for page in all_pages(site, store):
            if page.is_list:
                rows.append((page.label, "member" if name else "reader", *_compare(clients, page, rounds)))
    return Table(
        "search-lists",
        "List pages with search and without: milliseconds of Python, round trips, bytes",
        ("what", "who", "ratio", "ms", "without", "round trips", "without", "bytes", "without"),
        rows,
        measured={
            "search-lists": MeasuredValue(median(float(row[2] or 0) for row in rows), "the median of all"),
        },
    )


def _compare(clients: list[InProcessClient], page: Page, rounds: int) -> Iterator[Cell]:
    """Yield the ratio of the time of *page* for the first client to that for the second, then times, trips, bytes."""
    times: list[list[float]] = [[], []]
    trips, sizes = [0, 0], [0, 0]
    for round in range(rounds):
        for number in (0, 1) if round % 2 else (1, 0):
            client = clients[number]
            with record_sent_commands() as sent:
                begin = time.perf_counter()
                sizes[number] = len(client.get(page.path))
                times[number].append(1e3 * (time.perf_counter() - begin))
            trips[number] = sent.round_trips
    yield median(first / second for first, second in zip(*times, strict=True))
    yield from (*map(median, times), *trips, *sizes)
