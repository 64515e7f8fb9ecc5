"""``voteweb run``: the whole site, from the database to the web server."""

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from voteweb.cli.sample import import_sample
from voteweb.cli.site import data_option, load_settings, open_checked_store, reachable_host, site_origin
from voteweb.cli.workers import UnexpectedExitFilter, exit_on_early_sigterm, exit_with_parent
from voteweb.core.config import METRICS_DIR_VARIABLE, Settings, env_name
from voteweb.core.errors import ConfigError
from voteweb.embedded.database import open_database
from voteweb.store import Store
from voteweb.web.monitoring import access_log

if TYPE_CHECKING:
    from flask import Flask
    from granian.server import MPServer, MTServer

#: Seconds to wait for a database that may be starting at the same moment, such as in another container.
DATABASE_START_TIMEOUT = 10.0
#: Threads of each worker: a request that waits for Redis or hashes a password leaves the processor to others.
THREADS_PER_WORKER = 4
#: Seconds that requests in work are given at the end.
SHUTDOWN_SECONDS = 10


@click.command()
@click.option("--host", help="Address to listen at  [default: VOTEWEB_HOST or 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="Port to listen at; 0: a free one  [default: VOTEWEB_PORT or 8000]"
)
@click.option("--workers", type=click.IntRange(1), help="Web server processes  [default: VOTEWEB_WORKERS or 2]")
@data_option
@click.option("--sample", is_flag=True, help="Put articles and a moderator into an empty database.")
def run(host: str | None, port: int | None, workers: int | None, data: str | None, sample: bool) -> None:
    """Serve the site until Ctrl-C.

    Starts a database of its own in the data directory, unless VOTEWEB_REDIS_URL names one.
    """
    settings = load_settings(data, host=host, port=port, workers=workers)
    address, port = free_address(settings.host, settings.port)
    is_ours = not settings.redis_url
    with _metrics_dir(settings), open_database(replace(settings, port=port), keep_up=_warn) as settings:
        _check_app(settings)
        with open_checked_store(settings, DATABASE_START_TIMEOUT) as store:
            store.health.refuse_foreign()
            for each in (*settings.warnings(), *store.health.warnings(), *store.health.hints()):
                _warn(each)
            _prepare(store, settings, sample)
        _serve(settings, address)
    kept = f"; its data are in {Path(settings.data_dir).resolve()}" if is_ours else ""
    click.echo(f"voteweb has stopped{kept}.")


def _warn(words: str) -> None:
    click.echo(f"Warning: {words}", err=True)


def free_address(host: str, port: int) -> tuple[str, int]:
    """Return *host* as a number, and *port* or, for 0, a free one; raise ConfigError when we cannot listen there.

    The web server's processes share the port, so that they would also share it with a stranger who lets them:
    only trying first tells whether it is in use.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            name, number = probe.getsockname()[:2]
            return name, number
    except (OSError, UnicodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise ConfigError("Cannot listen at %(host)s port %(port)s: %(why)s", host=host, port=port, why=why) from None


def _check_app(settings: Settings) -> None:
    """Make the app once, so that what is wrong with it is said here, and not by each worker."""
    from voteweb.app import create_app

    create_app(settings)


def _prepare(store: Store, settings: Settings, sample: bool) -> None:
    """Put the sample in, if asked to, see to what was left half done, and tell how to make an admin."""
    account = import_sample(store, settings, time.time()) if sample else None
    if account:
        click.echo("The database was empty: it holds sample articles now, and a moderator.")
        click.echo(f"  name      {account.name}")
        click.echo(f"  password  {account.password}")
        click.echo("This is shown only once.")
    for name in store.account_deletion.unfinished():
        store.account_deletion.finish(name)
    if not store.users.has_admin():
        click.echo('There is no admin yet: "voteweb user create NAME --role admin" makes one.')


@contextmanager
def _metrics_dir(settings: Settings) -> Iterator[None]:
    """Give the workers an empty folder to count in together, if they are to count; it goes with them.

    The library looks for it once, as it is loaded, and workers may be copies of this process.
    """
    if not settings.metrics_token:
        yield
        return
    with TemporaryDirectory(prefix="voteweb-") as folder:
        os.environ[METRICS_DIR_VARIABLE] = folder
        yield


def web_server(target: str, address: str, port: int, workers: int, log: str = "text") -> "MPServer | MTServer":
    """Return a web server, not yet started, of the app that *target* (``module:factory``) makes in each worker.

    It writes its faults to the *log* as the site does: text or json.
    """
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.log import LogLevels

    return Granian(
        target,
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=min(THREADS_PER_WORKER, 2 * multiprocessing.cpu_count() + 1),
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=access_log.server_log_config(log),
        respawn_failed_workers=True,
        workers_kill_timeout=SHUTDOWN_SECONDS,
        factory=True,
    )


def _serve(settings: Settings, address: str) -> None:
    """Serve until a signal ends it; raise ConfigError when it ends by itself."""
    # The workers take their settings from here.
    os.environ.update({env_name(each.name): str(getattr(settings, each.name)) for each in fields(settings)})
    server = web_server("voteweb.app:create_app", address, settings.port, settings.workers, settings.log)
    logging.getLogger("_granian").addFilter(UnexpectedExitFilter(lambda: bool(server.interrupt_signal)))
    exit_on_early_sigterm()
    threading.Thread(target=_announce_address, args=(settings, address), daemon=True).start()
    try:
        server.serve(target_loader=load_app)
    except SystemExit:
        # It ends like this also when a worker got the signal to stop just before it did.
        if not server.interrupt_signal:
            raise ConfigError("The web server's processes end as soon as they start.") from None


def load_app(_target: str) -> "Flask":
    """Return the app, in a worker process, which from now on ends only with its parent or by its order.

    Ctrl-C reaches every process of a terminal, but it is for the parent to say when the workers end; and
    a parent that was killed can no longer say it.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=exit_with_parent, args=[SHUTDOWN_SECONDS], daemon=True).start()
    from voteweb.app import create_app

    return create_app()


def _announce_address(settings: Settings, address: str) -> None:
    """Print the address of the site as soon as it is served there."""
    place = reachable_host(address)
    while not _answers(place, settings.port):
        time.sleep(0.02)
    click.echo(f"voteweb is at {site_origin(address, settings.port)}/ - Ctrl-C stops it.")
    sys.stdout.flush()


def _answers(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True
