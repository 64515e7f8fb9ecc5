"""Pages that nobody has read: processor time of a process that has rendered none of their rows.

Each address is asked for once, of a server of its own in each round. A scraper costs a site so much.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from statistics import median

from bench.constants import THREAD_SIZE
from bench.processes import Server, scratch_database, serve_baseline, serve_site
from bench.sessions import Visitor
from bench.sites import SETTINGS, Run, newest_ids, open_store_at, report_progress
from bench.tables import Table
from bench.threads import write_thread

#: Addresses of a round.
LISTS, ARTICLES, THREADS = 149, 600, 40


def measure(run: Run) -> list[Table]:
    """Return the processor time of each kind of page, and how often a bare Flask app answers in that time."""
    logs = run.folder / "logs"
    with scratch_database(run.folder / "cold", run.stories.folder) as url:
        store = open_store_at(url)
        first, *ids = newest_ids(store, 1 + ARTICLES + THREADS)
        threads, articles = ids[-THREADS:], ids[:-THREADS]
        for id in (first, *threads):
            write_thread(store, id)
        store.connection.close()
        last = max(run.stories.profile.articles // SETTINGS.page_size, 2)
        pages = {
            "list, rows never seen": [f"/new?page={number}" for number in range(1, min(LISTS + 1, last))],
            "article, never seen": [f"/a/{id}" for id in articles],
            f"conversation of {THREAD_SIZE}, never seen": [f"/a/{id}" for id in threads],
        }
        cpu: dict[str, list[float]] = {label: [] for label in pages}
        ratios: dict[str, list[float]] = {label: [] for label in pages}
        for number in range(1, run.rounds + 1):
            report_progress(f"round {number} of {run.rounds}, {len(pages)} kinds of cold pages")
            floor = _cpu_per_page(serve_baseline("plain_flask", logs / "plain_flask.log"), ["/"], ["/"] * ARTICLES)
            for label, paths in pages.items():
                # The code and the templates are loaded before.
                seen = [f"/new?page={last}", f"/a/{first}"]
                cpu[label].append(_cpu_per_page(serve_site(url, logs / "cold.log"), seen, paths))
                ratios[label].append(floor / cpu[label][-1])
    rows = [
        (label, len(pages[label]), median(cpu[label]), min(cpu[label]), max(cpu[label]), median(ratios[label]))
        for label in pages
    ]
    columns = ("page", "addresses", "CPU µs", "lowest", "highest", "of bare Flask")
    return [Table("cold", "Pages that nobody has read: processor time of server and database", columns, rows)]


def _cpu_per_page(server: AbstractContextManager[Server], seen: Sequence[str], paths: Sequence[str]) -> float:
    """Return the microseconds of each of *paths*, after the pages *seen*."""
    with server as started:
        visitor = Visitor(started.origin)
        for path in seen:
            visitor.page(path)
        before = started.cpu_seconds()
        for path in paths:
            visitor.page(path)
        return (started.cpu_seconds() - before) / len(paths) * 1e6
