"""``voteweb restore``: read the backup of a site back, or check it."""

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import IO

import click

from voteweb.cli.backup import Reader, summarize
from voteweb.cli.output import track_file
from voteweb.cli.site import data_option, load_named_settings, open_checked_store, pluralize
from voteweb.store.backup import KeyLine, LineChecks, Restore
from voteweb.store.doctor import Doctor
from voteweb.store.scan.scanner import batched

#: Lines that are written to Redis at once.
RESTORE_BATCH_SIZE = 200
#: Faults of a backup that are printed; all are counted.
PRINTED_FAULTS = 20
#: The exit status when the doctor names something in what was restored with force.
FOUND_STATUS = 3


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, exists=True, readable=True, allow_dash=True))
@click.option("--again", is_flag=True, help="First delete what a restore that did not finish has written.")
@click.option("--dry-run", is_flag=True, help="Only check FILE; no database is needed.")
@click.option("--force", is_flag=True, help="Restore FILE although it has faulty values, or sizes that no site has.")
@data_option
def restore(file: str, again: bool, dry_run: bool, force: bool, data: str | None) -> None:
    """Write the copy of a site in FILE, or in standard input if FILE is -, into an empty database.

    FILE is checked before anything is written. Until the restore is complete, no other command uses the site. One that
    did not finish is begun anew with --again. An encrypted backup comes from the program that decrypts it: age -d -i
    KEYFILE FILE | voteweb restore -
    """
    target = None if dry_run else load_named_settings(data)
    with _open(file) as stream:
        reader, faults = _check(file, stream, force)
        time = datetime.fromtimestamp(reader.created, UTC)
        engine = reader.engine or "an unknown engine"
        summary = f"{summarize(reader.counts)}, as of {time:%Y-%m-%d %H:%M} UTC, from {engine}"
        if reader.skipped:
            click.echo(f"{file} is partial: the backup could not read {pluralize(reader.skipped, 'key')}.")
        if faults and dry_run:
            raise click.ClickException(f"{file} is complete, but has {faults}")
        if faults and not force:
            raise click.ClickException(
                f"{file} has {faults}, which may break pages. Nothing was written. With --force it is restored as it "
                "is, and voteweb doctor finds what it can repair."
            )
        if target is None:
            click.echo(f"{file} {'can be restored' if reader.skipped else 'is complete'}: {summary}.")
            return
        with open_checked_store(target, allow_unfinished=True, any_schema=True) as store:
            restore = Restore(store.context, reader.layout if reader.is_whole else None)
            if again:
                restore.clear()
            restore.begin()
            with _read(file, stream, "Restoring", force) as (_, lines):
                for batch in batched(lines, RESTORE_BATCH_SIZE):
                    restore.write(batch)
            restore.finish(force=force)
            click.echo(f"Restored {summary}." + (" Run voteweb doctor --repair now." if reader.skipped else ""))
            if force and not reader.is_whole:
                findings = Doctor(store.context).examine()
                if _print_faults(f"{finding.key}  {finding.what}" for finding in findings):
                    sys.exit(FOUND_STATUS)


def _check(file: str, stream: IO[bytes], force: bool) -> tuple[Reader, str]:
    """Read the whole file, print its first faults, and return its reader and how many there are in words."""
    with _read(file, stream, "Checking", force) as (reader, lines):
        checks = LineChecks(is_whole=reader.is_whole)
        return reader, _print_faults(fault for line in lines for fault in checks.faults(line))


def _print_faults(faults: Iterable[str]) -> str:
    """Print the first of *faults*, and return how many there are in words, "" for none."""
    count = 0
    for count, fault in enumerate(faults, 1):
        if count <= PRINTED_FAULTS:
            # A terminal obeys what a hostile file may have in names.
            click.echo(fault if fault.isprintable() else fault.encode("unicode_escape").decode())
    if count > PRINTED_FAULTS:
        click.echo(f"... and {pluralize(count - PRINTED_FAULTS, 'more faulty value')}")
    return pluralize(count, "faulty value") if count else ""


@contextmanager
def _open(file: str) -> Iterator[IO[bytes]]:
    """Open *file*; standard input, which is read twice, is kept in a file without a name meanwhile."""
    if file != "-":
        with open(file, "rb") as stream:
            yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        yield copy


@contextmanager
def _read(file: str, stream: IO[bytes], label: str, force: bool) -> Iterator[tuple[Reader, Iterator[KeyLine]]]:
    """Yield the reader of *stream* from its beginning and its lines, which are read under a progress bar."""
    stream.seek(0)
    reader = Reader(file, stream, bounded=not force)
    with closing(track_file(reader.lines(), label, stream)) as lines:
        yield reader, lines
