"""The machine: the core of each process, and the facts that every measurement depends on."""

import importlib.metadata
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

#: Packages whose versions are reported.
PACKAGES = ("flask", "werkzeug", "jinja2", "granian", "redis", "hiredis", "flask-login", "flask-wtf")


@cache
def assigned_cores() -> tuple[int, int]:
    """Return the core of the web server and the database, and that of the load generator and this process.

    Both are the same where there is only one. A request costs what server and database take together: on a core of its
    own, the work of the database would cost nothing.
    """
    available = sorted(os.sched_getaffinity(0))
    return available[0], available[-1]


@contextmanager
def on_server_core() -> Iterator[None]:
    """Run the processes that are started inside on the core of the web server only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {assigned_cores()[0]})
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


def cpu_seconds(*pids: int) -> float:
    """Return the processor time that these processes have used so far, in all threads together."""
    tasks = (task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir())
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def machine_facts() -> dict[str, str]:
    """Return processor, cores, load by other processes, and versions."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": (names or [platform.machine()])[0],
        "cores": str(os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.2f}",
        "system": platform.platform(),
        "python": platform.python_version(),
    } | {name: importlib.metadata.version(name) for name in PACKAGES}
