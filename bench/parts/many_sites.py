"""Many sites on one database: what each takes, and what the commands of one cost beside the others."""

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.constants import ROOT
from bench.database_servers import single_server
from bench.machine import assigned_cores, on_core
from bench.parts.memory import used_memory
from bench.processes import environment, serve_site
from bench.report.tables import Table
from bench.run_context import RunContext
from bench.sites.fill import fill_site
from bench.sites.queries import open_store_at
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.scan.scanner import Scanner

#: The sites, and the articles of each.
SITES, ARTICLES = 100, 1_000
SMOKE_SITES, SMOKE_ARTICLES = 3, 100
#: How often both are measured; the medians count.
ROUNDS = 3
#: The site that is measured alone and beside the others.
NAME = "site0"


def measure(context: RunContext) -> list[Table]:
    """Return what a site costs alone and beside others, measured in turns, and the memory of sites."""
    sites, articles = (SMOKE_SITES, SMOKE_ARTICLES) if context.is_smoke else (SITES, ARTICLES)
    folder = context.scratch_folder("sites")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with (
            single_server(folder / "alone", context.engine) as alone,
            single_server(folder / "beside", context.engine) as beside,
        ):
            stores = [open_store_at(beside.url, f"site{number}") for number in range(sites)]
            empty_site = _empty_sites(stores)
            context.report_progress(f"{sites} sites of {articles:,} articles")
            for store in stores:
                fill_site(store, articles)
                store.connection.close()
            databases = [open_store_at(alone.url, NAME), stores[0]]
            fill_site(databases[0], articles)
            rounds = [
                [
                    _measure_site(store, url, context)
                    for store, url in zip(databases, (alone.url, beside.url), strict=True)
                ]
                for _ in range(1 if context.is_smoke else ROUNDS)
            ]
            keys = [store.connection.command("DBSIZE") for store in databases]
            memory = [used_memory(store) / 2**20 for store in databases]
            for store in databases:
                store.connection.close()
        start = time.perf_counter()
        with single_server(folder / "beside", context.engine):
            loading = time.perf_counter() - start
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    medians = [[median(column) for column in zip(*same, strict=True)] for same in zip(*rounds, strict=True)]
    labels = ("start of the web server, s", "voteweb doctor, s", "voteweb backup, s", "a scan for the site's keys, s")
    others = keys[1] - keys[0]
    return [
        Table(
            "sites",
            f"A site of {articles:,} articles alone, and beside {sites - 1} others of the same size",
            ("what", "alone", "beside others", "more for a million keys of others"),
            [
                *(
                    (label, *pair, (pair[1] - pair[0]) / others * 1e6)
                    for label, *pair in zip(labels, *medians, strict=True)
                ),
                ("keys of the database", *keys, None),
                ("memory of the database, MiB", *memory, None),
                ("start of the database, s", None, loading, None),
                ("memory of an empty site, bytes", None, empty_site, None),
            ],
            notes=("The memory of articles includes that of their posters, of whom a small site has many.",),
        )
    ]


def _empty_sites(stores: Sequence[Store]) -> float:
    """Make a site in each of *stores*, and return the bytes that one takes."""
    _make_site(stores[0])  # the server itself needs some memory for the first
    before = used_memory(stores[0])
    for store in stores[1:]:
        _make_site(store)
    return (used_memory(stores[0]) - before) / (len(stores) - 1)


def _make_site(store: Store) -> None:
    """Make a site as ``voteweb init`` does, with one group."""
    store.users.make("admin", "", Role.ADMIN)
    store.groups.make("news", "News", "")


def _measure_site(store: Store, url: str, context: RunContext) -> tuple[float, ...]:
    """Return seconds of the site NAME at *url*: its start, its commands, a scan."""
    variables = {"VOTEWEB_SITE": NAME}
    file = context.scratch_folder("sites") / "backup"
    return (
        _start(url, context.logs / "sites.log", **variables),
        _run("doctor", url=url, **variables),
        _run("backup", str(file), url=url, **variables),
        _scan(store),
    )


def _start(url: str, log: Path, **variables: str) -> float:
    """Start the web server and return the seconds until it accepts connections."""
    start = time.perf_counter()
    with serve_site(url, log, **variables):
        return time.perf_counter() - start


def _scan(store: Store) -> float:
    """Look for all keys of the site, and return the seconds that this takes."""
    start = time.perf_counter()
    for _ in Scanner(store.connection).keys(f"{store.keys.prefix}*"):
        pass
    return time.perf_counter() - start


def _run(*arguments: str, url: str, **variables: str) -> float:
    """Run the command of voteweb with these *arguments* and return its seconds; raise CalledProcessError."""
    start = time.perf_counter()
    with on_core(assigned_cores()[1]):
        subprocess.run(
            [sys.executable, "-m", "voteweb.cli", *arguments],
            cwd=ROOT,
            env=environment(url, **variables),
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return time.perf_counter() - start
