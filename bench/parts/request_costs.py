"""The costs of one request: round trips to Redis, time inside Redis, bytes, requests of a browser without script."""

import gzip
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from bench.apps.book_site import create_app
from bench.budgets import MeasuredValue
from bench.constants import DATABASE_URL
from bench.processes import database_copy
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.pages import SETTINGS, Page, all_pages
from bench.sites.prepare import Site, voter_names
from bench.sites.queries import newest_ids, open_store_at
from bench.tracing.in_process import InProcessClient, create_site_app
from bench.tracing.sent_commands import record_sent_commands
from bench.tracing.slowlog import direct_commands, record_commands
from voteweb.core.validation import new_submission_token
from voteweb.store import Store

#: Repetitions of each request; the median of the time inside Redis is reported.
REPETITIONS = 7
#: The default of common proxies.
GZIP_LEVEL = 6
#: What a browser without script loads with a page: style sheets, icons, pictures.
_SUBRESOURCE = re.compile(r'<link rel="(?:icon|stylesheet)"[^>]* href="([^"]+)"|<img[^>]* src="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one page or action; ``redis_us`` are microseconds, None where the log was too short.

    ``rows`` is that of the page, 0 for an action.
    """

    label: str
    who: str
    round_trips: int
    redis_us: int | None
    size: int = 0
    gzip_size: int = 0
    requests: int = 0
    rows: int = 0


def measure(context: RunContext) -> list[Table]:
    """Return the costs on all sites: for each the time inside Redis, and the maximum of all else."""
    costs_by_site = []
    for site in context.sites:
        context.report_progress(f"counting on {site.name}")
        costs_by_site.append(_measure_site(site, context))
    return [
        Table(
            "counts",
            "Costs of one request: microseconds inside Redis on each site, the maximum of all else",
            (
                "what",
                "who",
                "round trips",
                *(f"µs, {site.name}" for site in context.sites),
                "bytes",
                "gzip",
                "requests",
            ),
            [_row(same_request) for same_request in zip(*costs_by_site, strict=True)],
            measured=budget_values([cost for costs in costs_by_site for cost in costs if cost.rows]),
        )
    ]


def _row(costs: Sequence[Cost]) -> tuple[Cell, ...]:
    """Return the row of one request from its costs on all sites."""
    maxima = [
        max(cost.size for cost in costs),
        max(cost.gzip_size for cost in costs),
        max(cost.requests for cost in costs),
    ]
    return (
        costs[0].label,
        costs[0].who,
        max(cost.round_trips for cost in costs),
        *(cost.redis_us for cost in costs),
        *(maximum or None for maximum in maxima),
    )


def budget_values(lists: Sequence[Cost]) -> dict[str, MeasuredValue]:
    """Return the highest costs of list pages; a page of more rows than usual has budgets of its own."""
    usual = [cost for cost in lists if cost.rows <= SETTINGS.page_size]
    long = [cost for cost in lists if cost.rows > SETTINGS.page_size]
    return {
        "list-bytes": _maximum(usual, lambda cost: cost.size),
        "list-gzip": _maximum(usual, lambda cost: cost.gzip_size),
        "long-list-bytes": _maximum(long, lambda cost: cost.size),
        "long-list-gzip": _maximum(long, lambda cost: cost.gzip_size),
        "list-requests": _maximum(lists, lambda cost: cost.requests),
    }


def _maximum(costs: Sequence[Cost], value: Callable[[Cost], int]) -> MeasuredValue:
    worst = max(costs, key=value)
    return MeasuredValue(float(value(worst)), f"{worst.label}, {worst.who}")


def _measure_site(site: Site, context: RunContext) -> list[Cost]:
    with database_copy(site.folder, context.scratch_folder("counts"), context.engine) as url:
        store, app = open_store_at(url), create_site_app(url)
        reader, member = InProcessClient(app), InProcessClient(app, voter_names()[0])
        costs = [
            _measure_page(store, client, page)
            for page in all_pages(site, store)
            for client in ((reader, member) if page.is_list else (reader,))
        ]
        costs += [measure_action(store, *action) for action in _actions(store, member, site.profile.group)]
        os.environ[DATABASE_URL] = url
        book = InProcessClient(create_app())
        book.read_csrf_token("/log-in/1")
        costs += [measure_action(store, *action, who="the book") for action in _book_actions(store, book)]
        store.connection.client.close()
    return costs


def _measure_page(store: Store, client: InProcessClient, page: Page) -> Cost:
    bodies: list[bytes] = []
    round_trips, redis_us = _repeat(store, lambda: bodies.append(client.get(page.path)))
    body = bodies[-1]
    subresources = {url for pair in _SUBRESOURCE.findall(body.decode()) for url in pair if url}
    return Cost(
        page.label,
        "member" if client.name else "reader",
        round_trips,
        redis_us,
        len(body),
        len(gzip.compress(body, GZIP_LEVEL)),
        1 + len(subresources),
        page.rows,
    )


def _actions(store: Store, member: InProcessClient, group: str) -> list[tuple[str, Callable[[], object]]]:
    articles = iter(newest_ids(store, REPETITIONS + 1))

    def post() -> None:
        token = new_submission_token()
        member.post("/submit", title=f"Title {token}", link=f"https://example.com/{token}", groups=group, once=token)

    return [
        ("a vote by form", lambda: member.post(f"/a/{next(articles)}/vote")),
        ("post an article", post),
        ("the account with the votes of a week", lambda: member.get("/account")),
    ]


def _book_actions(store: Store, book: InProcessClient) -> list[tuple[str, Callable[[], object]]]:
    articles = iter(newest_ids(store, REPETITIONS + 1))
    return [
        ("front page", lambda: book.get("/page")),
        ("a vote by form", lambda: book.post(f"/a/{next(articles)}/vote")),
    ]


def measure_action(store: Store, label: str, action: Callable[[], object], who: str = "member") -> Cost:
    """Return the cost of *action*, which is run once more than REPETITIONS times."""
    return Cost(label, who, *_repeat(store, action))


def _repeat(store: Store, action: Callable[[], object]) -> tuple[int, int | None]:
    """Run *action* once to warm up, then REPETITIONS times; return its round trips and microseconds inside Redis.

    The time is None if the action sends more commands than the log of Redis holds.
    """
    action()
    times: list[float] = []
    for _ in range(REPETITIONS):
        with record_commands(store.connection.client) as commands, record_sent_commands() as sent:
            action()
        direct = direct_commands(commands, sent.names)
        if len(direct) == len(sent.names):
            times.append(sum(command.seconds for command in direct) * 1e6)
    return sent.round_trips, round(median(times)) if times else None
