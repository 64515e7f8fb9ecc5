"""How ``voteweb import`` goes: rows a second, stretch by stretch, and the memory it takes."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.machine import cores, on_core
from bench.processes import environment
from bench.settings import ROOT
from bench.slowlog import watched
from voteweb.store import Store

#: Stretches whose speed is told: a hundred thousand rows each of a million.
STRETCHES = 10
#: Rows of a stretch at the least: fewer come and go between two looks.
LEAST = 2_000
#: Seconds from which on a command of an import is looked at: most take some millionths.
SLOW = 0.0005


@dataclass(frozen=True, slots=True)
class Import:
    """One import: rows a second of each stretch, peak memory of the command in MiB, longest command in milliseconds."""

    rows: int
    rates: list[float]
    peak: float
    slowest: float

    @property
    def steadiness(self) -> float:
        """The slowest stretch's speed over the fastest's; 1 for an import too short to tell."""
        return min(self.rates) / max(self.rates) if self.rates else 1.0


def measured(store: Store, url: str, file: Path, options: list[str], rows: int, home: Path) -> Import:
    """Import *file*, which has so many *rows*, into the empty site at *url*; raise RuntimeError when some stay out."""
    with watched(store.connection.client, from_seconds=SLOW) as commands:
        rates, peak = _run(store, url, file, options, rows, home)
    return Import(rows, rates, peak, max((each.seconds for each in commands), default=0.0) * 1e3)


def _run(store: Store, url: str, file: Path, options: list[str], rows: int, home: Path) -> tuple[list[float], float]:
    """Import, and return the rows a second of each stretch and the peak memory in MiB."""
    words = [sys.executable, "-m", "voteweb.cli", "import", str(file.resolve()), *options]
    with (home / "import.log").open("w") as log, on_core(cores()[0]):
        process = subprocess.Popen(words, cwd=ROOT, env=environment(url), stdout=log, stderr=log)
    marks: list[tuple[float, int]] = []
    stretch = max(rows // STRETCHES, LEAST)
    while process.returncode is None:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
        done = store.server.counts().articles
        if done and (not marks or done >= marks[-1][1] + stretch):
            marks.append((time.monotonic(), done))
        time.sleep(0.01)
    if process.returncode or done != rows:
        raise RuntimeError(f"The import failed after {done} rows: {(home / 'import.log').read_text()[-2_000:]}")
    rates = [(b - a) / (then - since) for (since, a), (then, b) in pairwise(marks)]
    return rates, usage.ru_maxrss / 1024
