"""``python -m tests.same BEFORE AFTER``: tell whether two checkouts are the same site."""

import argparse
import json
import multiprocessing
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from tests.same.acts import ACTS, act_at_random
from tests.same.addresses import ask_pages, send_forms
from tests.same.commands import check_backups, crawl_sample, examine, examine_damaged
from tests.same.compare import differences, judge, read_allowed, report
from tests.same.keys import StoredKey
from tests.same.side import HERE, START, Side
from tests.same.visitor import Records

STORIES = HERE.parents[2] / "shared" / "data" / "hn-2016.csv"
PARTS = ["pages", "forms", "acts", "doctor"]
Starts = dict[str, list[StoredKey]]


def build_library(folder: Path) -> Path:
    """Compile the library that fixes the clock; without a compiler there is no comparison."""
    if not (compiler := shutil.which("cc") or shutil.which("gcc")):
        sys.exit("tests.same needs a C compiler: the database's clock can be fixed by a library only.")
    library = folder / "fixed_clock.so"
    command = [compiler, "-shared", "-fPIC", "-O2", str(HERE / "fixed_clock.c"), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True)
    return library


def build_starts(source: Path, folder: Path, library: Path, stories: Path) -> tuple[Starts, dict[str, Any]]:
    """Return the sites to begin with, made by the checkout at *source*, and its table of addresses."""
    side = Side(source, folder, library)
    build = source / "tests/same/build.py"
    build = build if build.exists() else HERE / "build.py"
    starts = {}
    try:
        table = json.loads(side.run_module(build, "table"))
        for name in ("sample", "small", "full"):
            if name == "full":
                side.set_clock(START + 86_400)
                print(f"{stories} {'is imported' if stories.exists() else 'is not there: the site has few articles'}")
                if stories.exists():
                    side.run("import", stories, "--shift-to-now").check_returncode()
            else:
                side.client.flushall()
            side.run_module(build, name)
            side.run("doctor", "--repair").check_returncode()  # what the table's site leaves out, as old programs did
            starts[name] = side.dump()
    finally:
        side.end()
    return starts, table


def run_side(number: int, sources: list[Path], folder: Path, barrier: Barrier, parts: list[str], acts: int) -> None:
    """Do the work of one side, and write its records into a file."""
    side = Side(sources[number], folder / str(number), folder / "fixed_clock.so")
    starts, table = pickle.loads((folder / "starts").read_bytes())
    records, began = Records(), time.monotonic()
    try:
        for name, start in starts.items():
            side.load(start)
            result = side.run("migrate")
            if result.returncode:
                raise RuntimeError(f"the data cannot be migrated: {result.stderr}")
            starts[name] = side.dump()
        other = folder / str(1 - number)
        for part in parts:
            run_part(part, side, starts, table, records, acts, other, barrier)
            print(f"{'BEFORE AFTER'.split()[number]}: {part} ended after {time.monotonic() - began:.0f} s", flush=True)
        (folder / f"records {number}").write_bytes(pickle.dumps(records))
    except BaseException:
        barrier.abort()
        raise
    finally:
        side.end()


def run_part(
    part: str,
    side: Side,
    starts: Starts,
    table: dict[str, Any],
    records: Records,
    acts: int,
    other: Path,
    barrier: Barrier,
) -> None:
    """Do one of PARTS; the backup of the acts is exchanged with the *other* side, which comes to the same *barrier*."""
    match part:
        case "pages":
            ask_pages(side, table, starts["full"], records)
            crawl_sample(side, starts["sample"], records)
        case "forms":
            send_forms(side, table, starts["small"], records)
        case "acts":
            act_at_random(side, table, starts["full"], records, acts)
            examine(side, records)
            check_backups(side, other, records, barrier)
        case "doctor":
            examine_damaged(side, starts["small"], records)


def run_both(sources: list[Path], folder: Path, parts: list[str], acts: int) -> tuple[Records, Records]:
    """Return what both sides answered and stored, side by side on two cores."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    arguments = (sources, folder, barrier, parts, acts)
    sides = [context.Process(target=run_side, args=(number, *arguments)) for number in (0, 1)]
    for side in sides:
        side.start()
    for side in sides:
        side.join()
    if any(side.exitcode for side in sides):
        raise SystemExit("a side has failed: nothing was compared")
    before, after = (pickle.loads((folder / f"records {number}").read_bytes()) for number in (0, 1))
    return before, after


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.same", description=__doc__)
    parser.add_argument("before", type=Path, metavar="BEFORE")
    parser.add_argument("after", type=Path, metavar="AFTER")
    parser.add_argument("--allowed", type=Path, default=HERE / "allowed.txt", help="the allowed differences")
    parser.add_argument("--but-blanks", action="store_true", help="blanks in HTML may differ, as of moved templates")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="only these, to see one fault again")
    parser.add_argument("--acts", type=int, default=ACTS, help="how many acts at random")
    parser.add_argument("--stories", type=Path, default=STORIES, help="stories to import, if they are there")
    options = parser.parse_args()
    sources = [options.before.resolve(), options.after.resolve()]
    allowed, began = read_allowed(options.allowed), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="same-") as name:
        folder = Path(name)
        starts = build_starts(sources[0], folder / "start", build_library(folder), options.stories)
        (folder / "starts").write_bytes(pickle.dumps(starts))
        before, after = run_both(sources, folder, options.parts, options.acts)
    statuses = Counter(record.status.split()[0] for record in before.answers.values())
    nouns = {name.split(":")[0] for contents in before.keys.values() for name in contents}
    print(
        f"{len(before.answers):,} answers of BEFORE:",
        *(f"{number:,} × {status}" for status, number in sorted(statuses.items())),
    )
    print(f"{sum(map(len, before.keys.values())):,} keys of {len(nouns)} nouns")
    forbidden, unused = judge(differences(before, after, but_blanks=options.but_blanks), allowed)
    print(*report(forbidden, unused), sep="\n")
    print(f"\n{len(forbidden):,} differences, {len(unused)} lines without one, in {time.monotonic() - began:.0f} s")
    return 1 if forbidden or unused else 0


if __name__ == "__main__":
    sys.exit(main())
