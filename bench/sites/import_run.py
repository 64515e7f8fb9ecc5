"""A measured run of ``voteweb import``: rows a second during the import, its memory, its longest command."""

import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.constants import ROOT
from bench.machine import assigned_cores, longest_pause, on_core
from bench.processes import environment
from bench.sites.queries import count_articles
from bench.tracing.slowlog import Command, record_commands
from voteweb.store import Store

#: Intervals whose rate is measured: of a million rows, each has a hundred thousand.
INTERVALS = 10
#: Rows of an interval at least: fewer are imported between two polls.
MIN_INTERVAL_ROWS = 2_000
POLL_SECONDS = 0.01
#: Seconds that a command of an import must take to be recorded: most take some microseconds.
MIN_COMMAND_SECONDS = 0.0005


@dataclass(frozen=True, slots=True)
class ImportResult:
    """One import: the rows a second of each interval, the peak memory, the command that blocked Redis longest.

    ``rewrite_ms`` is that of the longest command while Redis rewrote its append-only file, which is not among the
    others: the first write to a page of memory then copies it. ``pause_ms`` is that of the machine, afterwards.
    """

    rows: int
    rates: list[float]
    peak_mib: float
    longest_ms: float
    longest_command: str
    rewrite_ms: float
    pause_ms: float

    @property
    def steadiness(self) -> float:
        """The lowest rate over the highest, 1 for an import of fewer than two intervals."""
        return min(self.rates) / max(self.rates) if self.rates else 1.0


def run_import(store: Store, url: str, file: Path, options: list[str], rows: int, folder: Path) -> ImportResult:
    """Import *file*, which has so many *rows*, into the empty site at *url*, with a log in *folder*.

    Raises RuntimeError when not all rows are imported.
    """
    with record_commands(store.connection.client, min_seconds=MIN_COMMAND_SECONDS) as commands:
        rates, peak_mib, rewrites = _run(store, url, file, options, rows, folder)
    longest = longest_in_parts([command for command in commands if command.time not in rewrites])
    in_rewrites = max((command.seconds for command in commands if command.time in rewrites), default=0.0)
    return ImportResult(
        rows, rates, peak_mib, longest.seconds * 1e3, longest.text, in_rewrites * 1e3, longest_pause() * 1e3
    )


def longest_in_parts(commands: Sequence[Command]) -> Command:
    """Return the median of the longest commands of three parts, each with every third of *commands*.

    Among the thousands of an import, a disturbance by another process makes one long, and not one in each part.
    """
    parts = [commands[number::3] for number in range(3)]
    longest = [max(part, key=lambda command: command.seconds, default=Command("", 0.0)) for part in parts]
    return sorted(longest, key=lambda command: command.seconds)[1]


def _run(
    store: Store, url: str, file: Path, options: list[str], rows: int, folder: Path
) -> tuple[list[float], float, set[int]]:
    """Run the command and return the rates, the peak memory, and the unix seconds in or beside a rewrite of the log."""
    arguments = [sys.executable, "-m", "voteweb.cli", "import", str(file.resolve()), *options]
    with (folder / "import.log").open("w") as log, on_core(assigned_cores()[1]):
        process = subprocess.Popen(arguments, cwd=ROOT, env=environment(url), stdout=log, stderr=log)
    progress: list[tuple[float, int]] = []
    rewrites: set[int] = set()
    peak_mib, interval_rows = 0.0, max(rows // INTERVALS, MIN_INTERVAL_ROWS)
    while process.poll() is None:
        done = count_articles(store)
        if done and (not progress or done >= progress[-1][1] + interval_rows):
            progress.append((time.monotonic(), done))
        peak_mib = _read_peak_mib(process.pid) or peak_mib
        if store.connection.client.info("persistence")["aof_rewrite_in_progress"]:
            now = int(time.time())
            rewrites |= {now - 1, now, now + 1}
        time.sleep(POLL_SECONDS)
    if process.returncode or count_articles(store) != rows:
        raise RuntimeError(f"The import failed: {(folder / 'import.log').read_text()[-2_000:]}")
    rates = [(done - before) / (end - start) for (start, before), (end, done) in pairwise(progress)]
    return rates, peak_mib, rewrites


def _read_peak_mib(pid: int) -> float:
    """Return the peak memory of a running process, 0 when it has ended.

    The resource usage that the system reports after its end includes the memory of the process that forked it.
    """
    with suppress(OSError), open(f"/proc/{pid}/status") as lines:
        for line in lines:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
