"""Scaling with size: the latency of pages and votes on the largest site relative to the smallest.

One connection, so that no request waits for another, and medians, so that a short disturbance does not count. Pages
are not cached: the time to render them is what is measured.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from statistics import median

from bench.budgets import MeasuredValue
from bench.constants import VOTED_ON
from bench.contenders import requests
from bench.contenders.contender import FORM_ACCEPTED, Contender, page_contender
from bench.contenders.measure import measure_rounds
from bench.contenders.workloads import VoteWorkload
from bench.load.measurement import Sample
from bench.load.sample_statistics import samples_by_contender
from bench.processes import database_copy, serve_site
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.pages import all_pages
from bench.sites.prepare import Site, voter_names
from bench.sites.queries import newest_ids, open_store_at

#: Share of the length of a measurement: there are many contenders, and thousands of latencies of each.
LENGTH_SHARE = 0.5
VOTE_LABEL = "a vote by form"


def measure(context: RunContext) -> list[Table]:
    """Return the latencies of every page and of a vote at each generated size."""
    with ExitStack() as stack:
        by_size = [stack.enter_context(_start_contenders(site, context)) for site in context.generated]
        # The sizes of one page follow each other, so that nothing comes between latencies that are compared.
        interleaved = [contender for same_page in zip(*by_size, strict=True) for contender in same_page]
        rounds = measure_rounds(interleaved, replace(context, seconds=context.seconds * LENGTH_SHARE))
    samples = samples_by_contender(rounds)
    rows = [
        _row(same_page[0].label, [samples[contender.key] for contender in same_page])
        for same_page in zip(*by_size, strict=True)
    ]
    sizes = [f"{site.profile.articles:,}" for site in context.generated]
    list_labels = {contender.label for contender in by_size[0] if contender.key.startswith("list ")}
    return [_table(rows, sizes, list_labels)]


def _table(rows: list[tuple[Cell, ...]], sizes: list[str], list_labels: set[str]) -> Table:
    return Table(
        "flat",
        "Scaling with size: milliseconds of one request (p50), one at a time",
        ("what", "largest/smallest", "lowest", "highest", *sizes),
        rows,
        measured={
            "scaling-page": _worst_ratio([row for row in rows if row[0] in list_labels]),
            "scaling-vote": _worst_ratio([row for row in rows if row[0] == VOTE_LABEL]),
        }
        if len(sizes) > 1
        else {},
        invalid=tuple(str(row[0]) for row in rows if row[1] is None),
    )


def _worst_ratio(rows: Sequence[tuple[Cell, ...]]) -> MeasuredValue:
    ratios = {str(label): ratio for label, ratio, *_ in rows if isinstance(ratio, float)}
    if len(ratios) < len(rows):
        return MeasuredValue(None)
    worst = max(ratios, key=ratios.__getitem__)
    return MeasuredValue(ratios[worst], worst)


def _row(label: str, samples_by_size: Sequence[Sequence[Sample]]) -> tuple[Cell, ...]:
    """Return the row of one page, without ratios if a sample has errors."""
    latencies = [median(sample.p50 for sample in samples) for samples in samples_by_size]
    if any(sample.errors for samples in samples_by_size for sample in samples):
        return (label, None, None, None, *latencies)
    smallest, largest = samples_by_size[0], samples_by_size[-1]
    ratios = [large.p50 / small.p50 for small, large in zip(smallest, largest, strict=True)]
    return (label, median(ratios), min(ratios), max(ratios), *latencies)


@contextmanager
def _start_contenders(site: Site, context: RunContext) -> Iterator[list[Contender]]:
    """Serve *site* and yield its contenders: list pages by a member, all other pages by a reader, and a vote."""
    with (
        database_copy(site.folder, context.scratch_folder(f"scaling-{site.name}"), context.engine) as url,
        serve_site(url, context.logs / f"scaling-{site.name}.log", VOTEWEB_PAGE_SECONDS="0") as server,
    ):
        store = open_store_at(url)
        members = requests.log_in_members(server.origin, voter_names())
        contenders = []
        for page in all_pages(site, store):
            key = f"{'list' if page.is_list else 'page'} {page.key} {site.name}"
            viewers = members if page.is_list else ()
            contenders.append(page_contender(key, page.label, server, [page.path], viewers, connections=1))
        votes = VoteWorkload(store, members, newest_ids(store, VOTED_ON), requests.vote_form_request)
        contenders.append(
            Contender(
                f"vote {site.name}",
                VOTE_LABEL,
                server,
                votes.make_requests,
                FORM_ACCEPTED,
                count_mismatches=votes.count_mismatches,
                connections=1,
            )
        )
        yield contenders
        store.connection.client.close()
