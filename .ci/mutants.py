"""Run tests against faults: each of mutants.toml must be found by one of its tests.

Each fault is written into a copy of the checkout, in which its tests run. ``make mutants`` runs all, two at a time;
``make mutants MUTANTS="late-vote double-post"`` runs some.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from time import monotonic
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = ROOT / ".ci" / "mutants.toml"
#: Copies in which faults run at once, and seconds after which tests that hang have found a fault.
COPIES, TIMEOUT = 2, 300
#: pytest's exit status when all tests passed, and when some failed.
PASSED, FAILED = 0, 1
Mutant = dict[str, Any]


def copy_checkout(folder: Path) -> Path:
    """Copy the checkout, without what git ignores, into *folder*."""
    command = ["git", "ls-files", "-coz", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    # The environment imports the checkout, unless this folder comes first.
    shown = run(folder, "-c", "import tests, voteweb; print(*voteweb.__path__, *tests.__path__)").stdout.split()
    if shown != [str(folder / "voteweb"), str(folder / "tests")]:
        sys.exit(f"The copy is not imported, but {' '.join(shown)}.")
    return folder


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in *folder* with the packages of this environment and the code of that folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(folder)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT)


def test(folder: Path, paths: list[str]) -> str:
    """Run the tests in *paths*; return how many failed, "" if none; raise RuntimeError if they cannot run."""
    options = ("-q", "-n", "0", "--tb=no", "-p", "no:cacheprovider")
    try:
        done = run(folder, "-m", "pytest", *options, *paths)
    except subprocess.TimeoutExpired:
        return "the tests hang"
    last = (done.stdout.strip().splitlines() or [done.stderr])[-1]
    if done.returncode not in (PASSED, FAILED):
        raise RuntimeError(f"pytest cannot run {' '.join(paths)}: {last}")
    counts = re.findall(r"(\d+) (?:failed|errors?)", last)
    return f"{sum(map(int, counts))} tests" if done.returncode == FAILED else ""


def changes(mutant: Mutant) -> list[dict[str, str]]:
    """Return each file that *mutant* changes, with the text and what takes its place."""
    return mutant.get("change") or [mutant]


def try_mutant(folder: Path, mutant: Mutant) -> str:
    """Return by what the fault *mutant* dies, "" if it lives."""
    sound = {change["file"]: (folder / change["file"]).read_text() for change in changes(mutant)}
    for change in changes(mutant):
        file = folder / change["file"]
        file.write_text(file.read_text().replace(change["old"], change["new"]))
    try:
        return test(folder, mutant["tests"].split())
    finally:
        for name, text in sound.items():
            (folder / name).write_text(text)


def main(names: list[str]) -> int:
    """Try the mutants with these *names*, or all; return 0 if each dies."""
    mutants: list[Mutant] = tomllib.loads(TABLE.read_text())["mutant"]
    if unknown := set(names) - {mutant["name"] for mutant in mutants}:
        sys.exit(f"There is no mutant {' or '.join(sorted(unknown))}.")
    mutants = [mutant for mutant in mutants if not names or mutant["name"] in names]
    paths = sorted({path for mutant in mutants for path in mutant["tests"].split()})
    begun, failures, free = monotonic(), 0, Queue[Path]()
    with tempfile.TemporaryDirectory(prefix="voteweb-mutants-") as parent, ThreadPoolExecutor(COPIES) as pool:
        for number in range(COPIES):
            free.put(copy_checkout(Path(parent).resolve() / str(number)))

        def in_copy(function: Callable[[Path, Any], str], argument: Any) -> str:
            folder = free.get()
            try:
                return function(folder, argument)
            finally:
                free.put(folder)

        for path, failed in zip(paths, pool.map(lambda path: in_copy(test, [path]), paths), strict=True):
            if failed:
                sys.exit(f"{path} fails without a fault: {failed}")
        print(f"{len(paths)} files and folders of tests pass without a fault, {monotonic() - begun:.0f} s.", flush=True)
        for mutant, deaths in zip(mutants, pool.map(lambda mutant: in_copy(try_mutant, mutant), mutants), strict=True):
            failures += not deaths
            print(f"{mutant['name']:24} {f'dies: {deaths}' if deaths else 'LIVES':16} {mutant['fault']}", flush=True)
    print(f"{len(mutants)} faults, {failures} not found, {monotonic() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
