"""A site on a cluster against the same site on a single server, and votes on several sites of one cluster."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median

from bench.budgets import MeasuredValue
from bench.contenders import requests
from bench.contenders.contender import FORM_ACCEPTED, Contender, page_contender
from bench.contenders.measure import measure_rounds
from bench.contenders.workloads import VoteWorkload
from bench.database_servers import DatabaseServers, cluster, single_server
from bench.load.measurement import Sample
from bench.load.sample_statistics import cpu_ratios, median_sample, rate_ratios, samples_by_contender
from bench.parts import cluster_load
from bench.parts.ratio_votes import cast_own_votes, ids_off_front
from bench.processes import serve_site
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.fill import fill_site
from bench.sites.prepare import create_voters, voter_names
from bench.sites.queries import open_store_at

NODES = 3
#: The databases that are compared; the first is the baseline.
SINGLE, CLUSTER = "single", "cluster"
#: The budgets by the labels of their rows.
BUDGETED = {"vote by form": "cluster-vote", "front page, member": "cluster-front"}


def measure(context: RunContext) -> list[Table]:
    """Return the rates of a vote and of pages on a cluster and on a single server, and those of votes on its sites."""
    rounds: list[dict[str, Sample]] = []
    for _ in range(context.runs):
        with _databases(context) as databases, ExitStack() as stack:
            site = databases[CLUSTER].site_on(0)
            by_database = [_contenders(stack, name, servers, site, context) for name, servers in databases.items()]
            # The same requests to both databases follow each other, so that nothing comes between what is compared.
            rounds += measure_rounds(
                [contender for same in zip(*by_database, strict=True) for contender in same], context
            )
    with _databases(context) as databases:
        load = cluster_load.measure(databases[SINGLE], databases[CLUSTER], context.seconds)
    samples = samples_by_contender(rounds)
    rows = [
        _row(single.label, samples[single.key], samples[nodes.key]) for single, nodes in zip(*by_database, strict=True)
    ]
    return [_table(rows, context), load]


@contextmanager
def _databases(context: RunContext) -> Iterator[dict[str, DatabaseServers]]:
    """Start both databases, empty, and delete their data at the end."""
    folder = context.scratch_folder("cluster")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with (
            single_server(folder / SINGLE, context.engine) as single,
            cluster(folder / CLUSTER, context.engine, NODES) as nodes,
        ):
            yield {SINGLE: single, CLUSTER: nodes}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _contenders(
    stack: ExitStack, name: str, servers: DatabaseServers, site: str, context: RunContext
) -> list[Contender]:
    """Fill *site* on the *servers* of the database *name*, serve it, and return its contenders."""
    store = open_store_at(servers.url, site)
    stack.callback(store.connection.close)
    fill_site(store, context.generated[0].profile.articles)
    create_voters(store)
    log = context.logs / f"{name}.log"
    server = stack.enter_context(serve_site(servers.url, log, VOTEWEB_SITE=site))
    uncached = stack.enter_context(
        serve_site(servers.url, log.with_stem(f"{name}-uncached"), VOTEWEB_SITE=site, VOTEWEB_PAGE_SECONDS="0")
    )
    members = requests.log_in_members(server.origin, voter_names())
    cast_own_votes(store, members)
    votes = VoteWorkload(store, members, ids_off_front(store)[::2], requests.vote_form_request)
    return [
        Contender(
            f"vote {name}",
            "vote by form",
            server,
            votes.make_requests,
            FORM_ACCEPTED,
            count_mismatches=votes.count_mismatches,
        ),
        page_contender(f"front {name}", "front page, member", server, ["/"], members),
        page_contender(f"unshared {name}", "front page, member, not shared", uncached, ["/"], members),
        page_contender(f"uncached {name}", "front page, reader, not cached", uncached, ["/"]),
    ]


def _row(label: str, singles: Sequence[Sample], clusters: Sequence[Sample]) -> tuple[Cell, ...]:
    """Return the row of one contender, without ratios if it met errors."""
    single, nodes = median_sample(singles), median_sample(clusters)
    errors = single.errors + nodes.errors
    ratios = rate_ratios(clusters, singles)
    spread: tuple[Cell, ...] = (median(ratios), min(ratios), max(ratios), median(cpu_ratios(clusters, singles)))
    costs = (sample.cpu_per_request for sample in (single, nodes))
    return (label, *((None,) * 4 if errors else spread), single.rate, nodes.rate, *costs, errors)


def _table(rows: list[tuple[Cell, ...]], context: RunContext) -> Table:
    return Table(
        "cluster",
        f"A site of {context.generated[0].profile.articles:,} articles on a cluster of {NODES} nodes and on one server",
        (
            *("what", "cluster/single", "lowest", "highest", "by CPU", "single/s", "cluster/s"),
            *("single CPU µs", "cluster CPU µs", "errors"),
        ),
        rows,
        notes=(
            f"Ratio: the median, the lowest and the highest of the rounds of {context.runs} runs. All over TCP.",
            "CPU: processor time of the web server and of the node with the site's slot.",
        ),
        measured={
            BUDGETED[str(row[0])]: MeasuredValue(row[1] if isinstance(row[1], float) else None)
            for row in rows
            if row[0] in BUDGETED
        },
        invalid=tuple(str(row[0]) for row in rows if row[-1]),
    )
