"""The machine: which core does what, and the facts that belong beside every figure."""

import importlib.metadata
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

#: Packages whose versions are told with the figures.
PACKAGES = ("flask", "werkzeug", "jinja2", "granian", "redis", "hiredis", "flask-login", "flask-wtf")


@cache
def cores() -> tuple[int, int]:
    """Return the core of the web server and that of all else: client, database, this program, which is yet to move.

    One and the same where there is only one. The database shares the client's core: measured on two cores, beside
    the server it took up to a tenth off every contender that asks it anything, and nothing off the floors.
    """
    mine = sorted(os.sched_getaffinity(0))
    return mine[0], mine[-1]


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Let whatever is started inside run on *core* only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def put_first(pid: int) -> None:
    """Let no other process take the processor away from this one, where we may ask for that.

    A log of how long commands took is of no use when some were stopped in the middle for somebody else. Its children
    are as all others: a database and the one that rewrites its log would together be halted, for having all there is.
    """
    with suppress(PermissionError):
        os.sched_setscheduler(pid, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def facts() -> dict[str, str]:
    """Return what the figures depend on: processor, cores, load by others, versions."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.2f}",
        "system": platform.platform(),
        "python": platform.python_version(),
    } | {name: importlib.metadata.version(name) for name in PACKAGES}


def _processor() -> str:
    with open("/proc/cpuinfo") as told:
        for line in told:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
