"""How ``voteweb import`` goes: rows a second, stretch by stretch, and the memory it takes."""

import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.looks import total
from bench.machine import cores, on_core
from bench.processes import environment
from bench.settings import ROOT
from bench.slowlog import Command, watched
from voteweb.store import Store

#: Stretches whose speed is told: a hundred thousand rows each of a million.
STRETCHES = 10
#: Rows of a stretch at the least: fewer come and go between two looks.
LEAST = 2_000
#: Seconds from which on a command of an import is looked at: most take some millionths.
SLOW = 0.0005


@dataclass(frozen=True, slots=True)
class Import:
    """One import: rows a second of each stretch, peak memory in MiB.

    ``command`` is the one that blocked the server longest, for ``slowest`` milliseconds.
    """

    rows: int
    rates: list[float]
    peak: float
    slowest: float
    command: str

    @property
    def steadiness(self) -> float:
        """The slowest stretch's speed over the fastest's; 1 for an import too short to tell."""
        return min(self.rates) / max(self.rates) if self.rates else 1.0


def measured(store: Store, url: str, file: Path, options: list[str], rows: int, home: Path) -> Import:
    """Import *file*, which has so many *rows*, into the empty site at *url*; raise RuntimeError when some stay out."""
    with watched(store.connection.client, from_seconds=SLOW) as commands:
        rates, peak = _run(store, url, file, options, rows, home)
    longest = max(commands, key=lambda each: each.seconds, default=Command("", 0.0))
    return Import(rows, rates, peak, longest.seconds * 1e3, longest.words)


def _run(store: Store, url: str, file: Path, options: list[str], rows: int, home: Path) -> tuple[list[float], float]:
    """Import, and return the rows a second of each stretch and the peak memory in MiB."""
    words = [sys.executable, "-m", "voteweb.cli", "import", str(file.resolve()), *options]
    with (home / "import.log").open("w") as log, on_core(cores()[0]):
        process = subprocess.Popen(words, cwd=ROOT, env=environment(url), stdout=log, stderr=log)
    marks: list[tuple[float, int]] = []
    peak, stretch = 0.0, max(rows // STRETCHES, LEAST)
    while process.poll() is None:
        done = total(store)
        if done and (not marks or done >= marks[-1][1] + stretch):
            marks.append((time.monotonic(), done))
        peak = _peak(process.pid) or peak
        time.sleep(0.01)
    if process.returncode or total(store) != rows:
        raise RuntimeError(f"The import failed: {(home / 'import.log').read_text()[-2_000:]}")
    rates = [(b - a) / (then - since) for (since, a), (then, b) in pairwise(marks)]
    return rates, peak


def _peak(pid: int) -> float:
    """Return the most memory that a process has held so far, in MiB; 0 when it has ended.

    What the system tells after its end counts the memory of whoever started it, too.
    """
    with suppress(OSError), open(f"/proc/{pid}/status") as told:
        for line in told:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
