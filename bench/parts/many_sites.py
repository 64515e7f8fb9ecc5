"""Many sites on one database: what each takes, and what the commands of one cost beside the others."""

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

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
from voteweb.store.scanner import Scanner

#: The sites, and the articles of each.
SITES, ARTICLES = 100, 1_000
SMOKE_SITES, SMOKE_ARTICLES = 3, 100
#: The site that is measured alone and beside the others.
NAME = "site0"


@dataclass(frozen=True, slots=True)
class Costs:
    """The keys and the bytes of a database, and seconds of one of its sites: its start, its commands, a scan."""

    keys: int
    memory: int
    start: float
    doctor: float
    backup: float
    scan: float


def measure(context: RunContext) -> list[Table]:
    """Return the costs of a site alone and beside others, and the memory of sites."""
    sites, articles = (SMOKE_SITES, SMOKE_ARTICLES) if context.is_smoke else (SITES, ARTICLES)
    folder = context.scratch_folder("sites")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with single_server(folder, context.engine) as database:
            url = database.url
            stores = [open_store_at(url, f"site{number}") for number in range(sites)]
            _make_site(stores[0])  # the server itself needs some memory for the first
            empty = used_memory(stores[0])
            for store in stores[1:]:
                _make_site(store)
            empty_site = (used_memory(stores[0]) - empty) / (sites - 1)
            fill_site(stores[0], articles)
            alone = _measure_site(stores[0], url, context)
            context.report_progress(f"{sites} sites of {articles:,} articles")
            for store in stores[1:]:
                fill_site(store, articles)
                store.connection.close()
            beside = _measure_site(stores[0], url, context)
            stores[0].connection.close()
        start = time.perf_counter()
        with single_server(folder, context.engine):
            loading = time.perf_counter() - start
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    others = beside.keys - alone.keys
    scan = (beside.scan - alone.scan) / others * 1e6
    return [
        Table(
            "sites",
            f"A site of {articles:,} articles alone, and beside {sites - 1} others of the same size",
            ("what", "alone", "beside others", "per million keys of others"),
            [
                ("start of the web server, s", alone.start, beside.start, None),
                ("voteweb doctor, s", alone.doctor, beside.doctor, (beside.doctor - alone.doctor) / others * 1e6),
                ("voteweb backup, s", alone.backup, beside.backup, (beside.backup - alone.backup) / others * 1e6),
                ("one scan for the site's keys, s", alone.scan, beside.scan, scan),
                ("keys of the database", alone.keys, beside.keys, None),
                ("memory of the database, MiB", alone.memory / 2**20, beside.memory / 2**20, None),
                ("start of the database, s", None, loading, None),
                ("memory of an empty site, bytes", None, empty_site, None),
            ],
            notes=(
                "The site alone has the others beside it too, but empty: an admin and a group each.",
                "The memory of articles includes that of the members who posted them, of whom a small site has many.",
            ),
        )
    ]


def _make_site(store: Store) -> None:
    """Make a site as ``voteweb init`` does, with one group."""
    store.users.make("admin", "", Role.ADMIN)
    store.groups.make("news", "News", "")


def _measure_site(store: Store, url: str, context: RunContext) -> Costs:
    """Return the costs of the site NAME, whose database is *store*."""
    variables = {"VOTEWEB_SITE": NAME}
    start = time.perf_counter()
    with serve_site(url, context.logs / "sites.log", **variables):
        started = time.perf_counter() - start
    doctor = _run("doctor", url=url, **variables)
    file = context.scratch_folder("sites") / "backup"
    backup = _run("backup", str(file), url=url, **variables)
    file.unlink()
    start = time.perf_counter()
    for _ in Scanner(store.connection).keys(f"{store.keys.prefix}*"):
        pass
    scan = time.perf_counter() - start
    return Costs(store.connection.command("DBSIZE"), used_memory(store), started, doctor, backup, scan)


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
