"""``voteweb run``: start the whole site, from the database to the web server."""

import errno
import gc
import logging
import os
import shlex
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from voteweb.cli.doctor import convert_site
from voteweb.cli.environment import FILE_NAME
from voteweb.cli.jobs import SIGNAL_DELAY_SECONDS, background_jobs, exit_with_parent
from voteweb.cli.output import warn
from voteweb.cli.sample import MODERATOR_NAME, import_sample
from voteweb.cli.signals import STOP_SIGNALS, SignalEvent
from voteweb.cli.site import data_option, load_settings, open_checked_store, reachable_host, reachable_place
from voteweb.core.config import METRICS_DIR_VARIABLE, SITE_ID_VARIABLE, SOURCES_VARIABLE
from voteweb.core.errors import ConfigError
from voteweb.core.operator_pages import operator_page_faults
from voteweb.core.settings import Settings, env_name, unknown_name_warnings
from voteweb.core.settings_in_force import sources
from voteweb.embedded.database import open_database
from voteweb.embedded.folder import disk_warnings, keep_site_id, read_site_id
from voteweb.search import health as search_health
from voteweb.store.migrations import Migrations

if TYPE_CHECKING:
    from flask import Flask
    from granian.server import MPServer, MTServer

#: Seconds to wait for a database that may be starting at the same time, such as one in another container.
DATABASE_START_TIMEOUT = 10.0
#: Threads of each worker, so that requests are served while others wait for Redis or hash a password: with a database
#: that answers in 20 ms, each serves an equal share. On one core, a reader's page takes a third longer with two or
#: three, and as long with one or five.
THREADS_PER_WORKER = 4
#: Seconds that open requests have to finish when the site stops.
SHUTDOWN_SECONDS = 10


@click.command()
@click.option("--host", help="Address to listen at  [default: VOTEWEB_HOST or 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="Port to listen at; 0: a free one  [default: VOTEWEB_PORT or 8000]"
)
@click.option("--workers", type=click.IntRange(1), help="Web server processes  [default: VOTEWEB_WORKERS]")
@data_option
@click.option("--sample", is_flag=True, help="Put articles and a moderator into an empty database.")
@click.option("--new", is_flag=True, help="Go on with a database that is empty, or was another site's.")
@click.option("--further", is_flag=True, help="Be a further process of the site: refuse the embedded database.")
def run(
    host: str | None, port: int | None, workers: int | None, data: str | None, sample: bool, new: bool, further: bool
) -> None:
    """Serve the site until Ctrl-C.

    Uses the embedded database in the data directory, unless VOTEWEB_REDIS_URL is set.
    """
    environment = set(os.environ)
    settings = load_settings(data, host=host, port=port, workers=workers)
    if further and not settings.redis_url:
        raise ConfigError(
            "A further process of the site needs a Redis or Valkey server, VOTEWEB_REDIS_URL: the embedded database "
            "belongs to the first one, and stops with it."
        )
    from_file = set(os.environ) - environment
    setting_sources = sources(settings, from_file, FILE_NAME)
    for warning in unknown_name_warnings():
        warn(warning)
    place, is_embedded = settings, not settings.redis_url
    with (
        # Until the end: a free port that nobody has bound could be another program's before the web server binds it.
        bind(settings.host, settings.port) as bound,
        _metrics_dir(settings),
        open_database(replace(settings, port=bound.getsockname()[1]), notify=warn) as settings,
    ):
        with open_checked_store(settings, DATABASE_START_TIMEOUT, place=place, any_schema=True, any_site=new) as store:
            store.context.site_id = None if new else store.context.site_id
            state, folder = Migrations(store.context).state(), Path(settings.data_dir)
            if is_embedded and not state.is_current:
                convert_site(store, state, folder, embedded=folder)
            Migrations(store.context).refuse_other()
            store.site_settings.take_settings()
            site_id = store.context.site_id or ""
            if is_embedded or from_file or read_site_id(place):
                keep_site_id(place, site_id)
            _check_app(settings)
            store.health.refuse_foreign()
            search_warnings = search_health.start_warnings(is_on=bool(settings.search))
            files = disk_warnings(settings.data_dir)
            for warning in (*settings.warnings(), *store.health.warnings(), *files, *search_warnings):
                warn(warning)
            if sample and (password := import_sample(store, settings, time.time())):
                click.echo("The database was empty: sample articles and a moderator were added.")
                click.echo(f"  name      {MODERATOR_NAME}\n  password  {password}")
                click.echo("The password is shown only once.")
            if not store.users.has_admin():
                option = f" --data {shlex.quote(data)}" if data else ""
                click.echo(f'There is no admin yet: "voteweb user create NAME --role admin{option}" makes one.')
        _serve(settings, bound.getsockname()[0], {SOURCES_VARIABLE: setting_sources, SITE_ID_VARIABLE: site_id})
    data_note = f"; its data are in {Path(settings.data_dir).resolve()}" if is_embedded else ""
    click.echo(f"voteweb has stopped{data_note}.")


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to *host* and *port*, or a free one for 0; raise ConfigError if that cannot be bound.

    The web server's processes share the port, and would share it with another program that allows it too: only
    binding it before shows whether it is in use.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = min(addresses, key=lambda info: info[0] != socket.AF_INET)
        with ExitStack() as stack:
            bound = stack.enter_context(socket.socket(family, kind))
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            stack.pop_all()
            return bound
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(
            "Cannot listen at %(host)s port %(port)s: %(reason)s%(advice)s",
            host=host,
            port=port,
            reason=reason,
            advice=_advice(error, host, port),
        ) from None


def _advice(error: Exception, host: str, port: int) -> str:
    """Return what to do about an *error* of binding *port* at *host*, behind a full stop; "" if that is not known."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        other = port + 1 if port < 65_535 else 8_000
        return f". Another program has this port: VOTEWEB_PORT={other} make run, or --port {other}, takes another."
    if number == errno.EADDRNOTAVAIL and host != "::1":
        with suppress(ConfigError):
            bind("::1", port).close()
            return ". This machine has no such address: VOTEWEB_HOST=::1 make run, or --host ::1, takes its own."
    return ""


def _check_app(settings: Settings) -> None:
    """Create the app once, so that its errors are reported here and not by each worker."""
    from voteweb.app import create_app

    app = create_app(settings)
    app.extensions["voteweb.store"].connection.close()
    faults = [*operator_page_faults(settings.pages_dir), *app.extensions["voteweb.brand"].faults]
    if faults:
        raise ConfigError("%(faults)s", faults=" ".join(faults))


@contextmanager
def _metrics_dir(settings: Settings) -> Iterator[None]:
    """Provide a temporary folder in which the workers share their metrics, if metrics are enabled.

    It is set up before the app is imported: prometheus-client reads the variable once, when it is imported, and the
    workers may be forks of this process.
    """
    if not settings.metrics_token:
        yield
        return
    # Workers map these files into memory: on a disk that is full, writing there would kill them.
    memory = "/dev/shm"  # noqa: S108  # nosec B108
    with TemporaryDirectory(prefix="voteweb-", dir=memory if os.access(memory, os.W_OK) else None) as folder:
        os.environ[METRICS_DIR_VARIABLE] = folder
        yield


def web_server(target: str, address: str, port: int, workers: int, log: str = "text") -> "MPServer | MTServer":
    """Return a web server, not yet started, for the app that *target* (``module:factory``) creates in each worker.

    It logs its errors in the format *log*, text or json.
    """
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.log import LogLevels

    from voteweb.web.monitoring import access_log  # other commands start without Flask

    return Granian(
        target,
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=THREADS_PER_WORKER,
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=access_log.server_log_config(log),
        respawn_failed_workers=True,
        workers_kill_timeout=SHUTDOWN_SECONDS,
        factory=True,
    )


def _serve(settings: Settings, address: str, variables: dict[str, str]) -> None:
    """Serve the site until a signal; raise ConfigError if the web server ends by itself."""
    # The workers read their settings, and these *variables*, from the environment.
    os.environ.update({env_name(setting.name): str(getattr(settings, setting.name)) for setting in fields(settings)})
    os.environ.update(variables)
    workers = settings.workers or default_workers()
    server = web_server("voteweb.app:create_app", address, settings.port, workers, settings.log)

    def is_stopping() -> bool:
        return bool(STOP_SIGNALS.received)

    # The server's own handlers set an event of threads, whose lock the thread that they interrupt may hold.
    note, event = server.signal_handler_interrupt, SignalEvent(is_stopping)
    vars(server).update(main_loop_interrupt=event, signal_handler_interrupt=STOP_SIGNALS.handle)
    STOP_SIGNALS.call(note)
    logging.getLogger("_granian").addFilter(unexpected_exit_filter(is_stopping))
    exit_on_early_sigterm()
    threading.Thread(target=_announce_address, args=(settings, address), daemon=True).start()
    try:
        # Other sites may have the same folder.
        site = blake2b(f"{settings.redis_url} {settings.site}".encode(), digest_size=4).hexdigest()
        lock = Path(settings.data_dir) / f"jobs-{site}.lock"
        if settings.search:  # the jobs will put the index there
            with suppress(OSError):
                lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A collection in a fork would copy every page of memory that it shares with this process: with this, a worker
        # that has served for a minute takes 65 MB of its own instead of 76.
        gc.collect()
        gc.freeze()
        with background_jobs(lock, is_stopping):
            server.serve(target_loader=load_app)
    except SystemExit:
        # It ends like this too if a worker received the signal just before it did.
        if not is_stopping():
            raise ConfigError("The web server's processes exit as soon as they start.") from None


def default_workers() -> int:
    """Return how many workers to start unless a setting says so: one for each core, at most two.

    On one core, a second one would take turns with the first, and render and cache each page again: readers' pages
    would take a sixth longer.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, 2)


def exit_on_early_sigterm() -> None:
    """Make a worker end at a SIGTERM that arrives before it has its own handler.

    A worker is a fork of this process: with this process's handler it would ignore the signal, and be waited for
    until its time to stop is over. It has no requests yet.
    """

    def reset_in_child() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM}),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM}),
        after_in_child=reset_in_child,
    )


def unexpected_exit_filter(
    is_stopping: Callable[[], bool], delay: float = SIGNAL_DELAY_SECONDS
) -> Callable[[logging.LogRecord], bool]:
    """Return a filter that delays the log record of a worker's unexpected exit, and drops it if the site stops by then.

    A signal to all processes may end a worker before it reaches this process.
    """

    def emit(record: logging.LogRecord) -> None:
        if not is_stopping():
            logging.getLogger(record.name).callHandlers(record)

    def passes(record: logging.LogRecord) -> bool:
        if not record.getMessage().startswith("Unexpected exit"):
            return True
        threading.Timer(delay, emit, [record]).start()
        return False

    return passes


def load_app(_target: str) -> "Flask":
    """Create the app in a worker process, and make the worker ignore Ctrl-C and end with its parent.

    Ctrl-C reaches every process of a terminal, but the parent decides when its workers end; a parent that was killed
    cannot tell them.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=exit_with_parent, args=[SHUTDOWN_SECONDS], daemon=True).start()
    from voteweb.app import create_app

    return create_app()


def _announce_address(settings: Settings, address: str) -> None:
    """Print the address of the site as soon as it accepts connections."""
    while True:
        with suppress(OSError):
            socket.create_connection((reachable_host(address), settings.port), timeout=1).close()
            break
        time.sleep(0.02)
    click.echo(f"voteweb is at http://{reachable_place(address, settings.port)}/ - Ctrl-C stops it.")
