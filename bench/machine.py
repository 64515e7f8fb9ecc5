"""The machine: the core of each process, and the facts that every measurement depends on."""

import importlib.metadata
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

#: Packages whose versions are reported.
PACKAGES = ("flask", "werkzeug", "jinja2", "granian", "redis", "hiredis", "flask-login", "flask-wtf")
#: Pauses are looked for so many times, each so many seconds long.
PAUSE_SPELLS, PAUSE_SPELL_SECONDS = 10, 0.05


@cache
def assigned_cores() -> tuple[int, int]:
    """Return the core of the web server and the database, and that of the load generator and this process.

    Both are the same where there is only one. A request costs what server and database take together: on a core of its
    own, the work of the database would cost nothing.
    """
    available = sorted(os.sched_getaffinity(0))
    return available[0], available[-1]


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Run the processes that are started inside on *core* only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def prevent_preemption(pid: int) -> None:
    """Give the process *pid* real-time priority where that is allowed, so that its own timings are exact.

    Its children do not inherit it: a database and the child that rewrites its log could together use up the time
    that the system allows to real-time processes, and would both be halted.
    """
    with suppress(PermissionError):
        os.sched_setscheduler(pid, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def longest_pause() -> float:
    """Return the longest time, in seconds, for which a program that only reads the clock did not run, of half a second.

    It has the core and the priority of a database whose commands are recorded, which the machine may halt for as long.
    """
    longest = 0.0
    with on_core(assigned_cores()[0]):
        prevent_preemption(os.getpid())
        try:
            for _ in range(PAUSE_SPELLS):
                now = time.perf_counter()
                end = now + PAUSE_SPELL_SECONDS
                while now < end:
                    before, now = now, time.perf_counter()
                    longest = max(longest, now - before)
                time.sleep(PAUSE_SPELL_SECONDS)  # the system halts those with real-time priority that never pause
        finally:
            os.sched_setscheduler(os.getpid(), os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
    return longest


def machine_facts() -> dict[str, str]:
    """Return processor, cores, load by other processes, and versions."""
    return {
        "processor": _processor_name(),
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.2f}",
        "system": platform.platform(),
        "python": platform.python_version(),
    } | {name: importlib.metadata.version(name) for name in PACKAGES}


def _processor_name() -> str:
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
