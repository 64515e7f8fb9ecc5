"""Where the time of a request goes: the shares of packages and of functions, by Python's profiler.

The app runs in this process. Calls of functions take longer with the profiler, and all else does not: the shares tell
where to look, not how much there is to win.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from cProfile import Profile
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from bench.contenders.requests import MemberSession, page_requests, vote_form_request
from bench.load.measurement import Request
from bench.processes import database_copy
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.prepare import voter_names
from bench.sites.queries import newest_ids, open_store_at
from bench.sites.threads import write_thread
from bench.tracing.function_times import package_of, place_of, times_by_function
from bench.tracing.in_process import InProcessClient, create_site_app
from voteweb.web.caching.shared_pages import MARK

#: Requests of each kind that are profiled, after as many to warm up and as many that are timed without the profiler.
REQUESTS, SMOKE_REQUESTS = 300, 5
#: Comments of the conversation, characters of each, and articles that are voted for.
THREAD_SIZE, THREAD_TEXT_LENGTH, VOTED_ON = 100, 300, 20
#: Functions of the text, of which the JSON has all; and packages.
MAX_ROWS, MAX_PACKAGES = 14, 10


def measure(context: RunContext) -> list[Table]:
    """Return the shares of functions and packages in requests to the site of real stories, if there is one."""
    site = context.stories or context.generated[0]
    tables = []
    with database_copy(site.folder, context.scratch_folder("profile"), context.engine) as url:
        store, app = open_store_at(url), create_site_app(url, VOTEWEB_PAGE_SECONDS="1")
        client = InProcessClient(app, voter_names()[0])
        member = MemberSession(client.name, client.cookie, client.csrf_token)
        thread, *articles = newest_ids(store, 1 + VOTED_ON)
        write_thread(store, thread, THREAD_SIZE, THREAD_TEXT_LENGTH)
        votes = [vote_form_request(member, id, action) for id in articles for action in ("vote", "unvote")]
        (own_page,) = page_requests(["/"], [replace(member, cookie=f"{member.cookie}; {MARK}=1")])
        requests = {
            "front page, member": page_requests(["/"], [member]),
            f"a conversation of {THREAD_SIZE}, member": page_requests([f"/a/{thread}"], [member]),
            "vote by form": votes,
            "votes by form, each with the voter's next page": [page for vote in votes for page in (vote, own_page)],
        }
        for label, same_requests in requests.items():
            context.report_progress(f"profiling: {label}")
            tables.append(_table(label, app, same_requests, SMOKE_REQUESTS if context.is_smoke else REQUESTS))
        store.connection.client.close()
    return tables


def _table(label: str, app: Flask, requests: Sequence[Request], count: int) -> Table:
    """Return the table of *count* of these *requests*, one after the other and from the first again."""
    environs = _environs(requests)
    for environ in islice(environs, count):
        _answer(app, environ)
    seconds = sum(_answer(app, environ) for environ in islice(environs, count))
    profiler = Profile()
    for environ in islice(environs, count):
        profiler.runcall(_answer, app, environ)
    profiler.create_stats()
    functions = times_by_function(profiler.stats)
    percent = sum(own for _, own, _ in functions.values()) / 100
    packages: defaultdict[str, float] = defaultdict(float)
    for function, (_, own, _) in functions.items():
        packages[package_of(function)] += own / percent
    rows: list[tuple[Cell, ...]] = [
        (place_of(function), calls / count, own / percent, total / percent)
        for function, (calls, own, total) in sorted(functions.items(), key=lambda item: -item[1][1])
    ]
    largest = sorted(packages.items(), key=lambda item: -item[1])[:MAX_PACKAGES]
    shares = ", ".join(f"{package} {share:.0f}" for package, share in largest)
    return Table(
        f"profile-{label}",
        f"Profile: {label}, {seconds / count * 1e6:,.0f} µs without the profiler",
        ("function", "calls", "% itself", "% with what it calls"),
        rows,
        notes=(f"By package, in %: {shares}.",),
        max_rows=MAX_ROWS,
    )


def _environs(requests: Sequence[Request]) -> Iterator[dict[str, Any]]:
    """Yield the WSGI environment of each request, from the first again after the last."""
    for request in cycle(requests):
        headers = list(request.headers.items())
        yield EnvironBuilder(request.path, method=request.method, headers=headers, data=request.body).get_environ()


def _answer(app: Flask, environ: dict[str, Any]) -> float:
    """Answer one request and return the seconds that it took; raise RuntimeError on an error."""
    start = time.perf_counter()
    body, status, _ = run_wsgi_app(app.wsgi_app, environ, buffered=True)
    b"".join(body)
    seconds = time.perf_counter() - start
    if status[:3] not in ("200", "303"):
        raise RuntimeError(f"{environ['PATH_INFO']}: {status}")
    return seconds
