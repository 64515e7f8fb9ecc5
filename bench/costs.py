"""The costs of each operation at each size of the site, in turns: in time, in Redis, on the wire.

Pages are not cached: what it takes to make them is measured. Processor times hardly change with what else the machine
does, and the lowest count of round trips is that of an operation without those of the site's background work.
"""

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median

from bench.budgets import Measured
from bench.machine import cpu_seconds
from bench.operations import READ_LABEL, THREAD_LABEL, VOTE_LABEL, Operation, all_operations
from bench.processes import Server, scratch_database, serve_site
from bench.sites import SETTINGS, Run, Site, open_store_at, report_progress
from bench.tables import Table
from bench.tracing import Command, count_reads, record_commands
from voteweb.store import Store
from voteweb.store.connection import scripts

#: The default of common proxies.
GZIP_LEVEL = 6
#: What a browser without script loads with a page: style sheets, icons, pictures.
_SUBRESOURCE = re.compile(r'<link rel="(?:icon|stylesheet)"[^>]* href="([^"]+)"|<img[^>]* src="([^"]+)"')


@dataclass(slots=True)
class Cost:
    """The cost of one operation on one site, for each repetition; ``page`` is the last one.

    ``cpu`` are the microseconds of processor time of server and database, ``redis`` those of the database alone.
    """

    label: str
    who: str
    rows: int
    cpu: list[float] = field(default_factory=list)
    redis: list[float] = field(default_factory=list)
    round_trips: list[int] = field(default_factory=list)
    longest: list[Command] = field(default_factory=list)
    page: bytes = b""

    def add(self, store: Store, server: Server, operation: Operation) -> None:
        """Run *operation* twice: to measure its time, then with each of its commands."""
        client = store.connection.client
        reads, redis, cpu = count_reads(client), cpu_seconds(server.database_pid), server.cpu_seconds()
        page = operation.run()
        self.cpu.append((server.cpu_seconds() - cpu) * 1e6)
        self.redis.append((cpu_seconds(server.database_pid) - redis) * 1e6)
        self.round_trips.append(count_reads(client) - reads - 1)
        with record_commands(client) as commands:
            operation.run()
        self.longest.append(max(commands, key=lambda command: command.seconds))
        self.page = page if isinstance(page, bytes) else b""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The bytes of the page, plain and compressed, and the requests of a browser without script for it."""
        if not self.page:
            return 0, 0, 0
        loaded = {url for pair in _SUBRESOURCE.findall(self.page.decode()) for url in pair if url}
        return len(self.page), len(gzip.compress(self.page, GZIP_LEVEL)), 1 + len(loaded)

    @property
    def longest_command(self) -> Command:
        """The median of the longest of each repetition: a disturbance makes one long, and not most."""
        return sorted(self.longest, key=lambda command: command.seconds)[len(self.longest) // 2]


def measure(run: Run) -> list[Table]:
    """Return the costs of operations by size, and the commands that block Redis longest."""
    with ExitStack() as stack:
        sites = [stack.enter_context(_start(site, run)) for site in run.generated]
        rows = [
            _measure(operations, [site[:2] for site in sites])
            for operations in zip(*(operations for *_, operations in sites), strict=True)
        ]
    sizes = [f"{site.profile.articles:,}" for site in run.generated]
    return [_cost_table(rows, sizes), _slow_table(rows, sizes)]


@contextmanager
def _start(site: Site, run: Run) -> Iterator[tuple[Store, Server, Iterator[Operation]]]:
    name = f"costs-{site.profile.articles}"
    with (
        scratch_database(run.folder / name, site.folder) as url,
        serve_site(url, run.folder / "logs" / f"{name}.log", VOTEWEB_PAGE_SECONDS="0") as server,
    ):
        store = open_store_at(url)
        store.connection.load_scripts()
        yield store, server, all_operations(site, store, url, server.origin, run)
        store.connection.close()


def _measure(operations: Sequence[Operation], servers: Sequence[tuple[Store, Server]]) -> list[Cost]:
    """Return the costs of the same operation on each site, run in turns."""
    label, who, _, times, rows = operations[0]
    report_progress(f"{label}: {who}" if who else label)
    costs = [Cost(label, who, rows) for _ in operations]
    for operation in operations:
        operation.run()  # to warm up
    for _ in range(times):
        for cost, (store, server), operation in zip(costs, servers, operations, strict=True):
            cost.add(store, server, operation)
    return costs


def _cost_table(rows: Sequence[Sequence[Cost]], sizes: Sequence[str]) -> Table:
    return Table(
        "costs",
        "Costs of one operation: by size of the site, microseconds of Redis, and of Redis and web server",
        (
            *("what", "who", "round trips", "bytes", "gzip", "requests", "largest/smallest"),
            *(f"Redis, {size}" for size in sizes),
            *(f"all, {size}" for size in sizes),
        ),
        [
            (
                costs[0].label,
                costs[0].who,
                max(min(cost.round_trips) for cost in costs),
                *(max(numbers) or None for numbers in zip(*(cost.sizes for cost in costs), strict=True)),
                _growth(costs),
                *(median(cost.redis) for cost in costs),
                *(median(cost.cpu) for cost in costs),
            )
            for costs in rows
        ],
        measured=budget_values(rows),
    )


def _growth(costs: Sequence[Cost]) -> float:
    """Return how many times as long the operation takes on the largest site as on the smallest."""
    return median(large / small for large, small in zip(costs[-1].cpu, costs[0].cpu, strict=True))


def budget_values(rows: Sequence[Sequence[Cost]]) -> dict[str, Measured]:
    """Return the highest costs of votes, list pages and conversations; a list of more rows than usual has its own."""
    lists = [costs for costs in rows if costs[0].rows]
    usual = [costs for costs in lists if costs[0].rows <= SETTINGS.page_size]
    long = [costs for costs in lists if costs[0].rows > SETTINGS.page_size]
    threads = [costs for costs in rows if costs[0].label == THREAD_LABEL]
    votes = [costs for costs in rows if costs[0].label == VOTE_LABEL]
    return {
        "list-bytes": _highest(usual, lambda cost: cost.sizes[0]),
        "list-gzip": _highest(usual, lambda cost: cost.sizes[1]),
        "long-list-bytes": _highest(long, lambda cost: cost.sizes[0]),
        "long-list-gzip": _highest(long, lambda cost: cost.sizes[1]),
        "list-requests": _highest(lists, lambda cost: cost.sizes[2]),
        "thread-bytes": _highest(threads, lambda cost: cost.sizes[0]),
        "thread-gzip": _highest(threads, lambda cost: cost.sizes[1]),
        "thread-trips": _highest(threads, lambda cost: min(cost.round_trips)),
        "scaling-page": Measured(*max((_growth(costs), f"{costs[0].label}, {costs[0].who}") for costs in lists)),
        "scaling-vote": Measured(max(map(_growth, votes))),
    }


def _highest(rows: Sequence[Sequence[Cost]], value: Callable[[Cost], int]) -> Measured:
    worst = max((cost for costs in rows for cost in costs), key=value)
    return Measured(value(worst), f"{worst.label}, {worst.who}")


def _slow_table(rows: Sequence[Sequence[Cost]], sizes: Sequence[str]) -> Table:
    rows = sorted(rows, key=lambda costs: -costs[-1].longest_command.seconds)
    names = {script.digest: name for name, script in scripts.scripts().items()}
    slowest, (read,) = rows[0][-1], [costs[-1] for costs in rows if costs[-1].label == READ_LABEL]
    return Table(
        "slow",
        "Longest time one command blocks Redis, in milliseconds",
        ("what", "who", "command", *sizes),
        [
            (
                costs[0].label,
                costs[0].who,
                " ".join(names.get(word, word) for word in costs[-1].longest_command.text.split()),
                *(cost.longest_command.seconds * 1e3 for cost in costs),
            )
            for costs in rows
        ],
        measured={
            "blocking": Measured(slowest.longest_command.seconds * 1e3, slowest.label),
            "thread-read": Measured(read.longest_command.seconds * 1e3),
        },
    )
