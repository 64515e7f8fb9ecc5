"""``voteweb backup`` and ``voteweb restore``: write a whole site into one file, and read it back."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import click

from voteweb.cli import backup_file
from voteweb.cli.backup_file import Reader
from voteweb.cli.progress import track, track_file
from voteweb.cli.site import Site, data_option, load_named_settings, open_checked_store, pluralize, with_site
from voteweb.embedded.database import open_database
from voteweb.store.backup import BackupRecord, References, field_faults

#: Records that are written to Redis at once.
RESTORE_BATCH_SIZE = 200
#: Faults of a backup that are printed; all are counted.
PRINTED_FAULTS = 20
#: The kinds of records that the summary of a backup counts, with their nouns.
REPORTED_KINDS = {
    "article": "article",
    "comment": "comment",
    "member": "member",
    "group": "group",
    "entry": "log entry",
}


def _check_folder(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    """Return *file* if its folder exists, before any database is started for it."""
    if not file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {file.parent}")
    return file


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=_check_folder)
@with_site()
def backup(site: Site, file: Path) -> None:
    """Write a copy of the whole site, which may be in use, into FILE.

    Only its owner can read FILE, because it holds the members' password hashes. It replaces a file of the same name
    when it is complete. "voteweb restore --dry-run FILE" checks it.
    """
    source, engine = site.store.backup, site.store.server_info.engine().program
    with backup_file.replace_atomically(file) as stream:
        counts = backup_file.write(stream, engine, track(source.records(), "Backing up", source.total()))
    click.echo(f"Wrote {_summary(counts)} to {file} ({file.stat().st_size / 1e6:,.1f} MB).")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True, readable=True))
@click.option("--dry-run", is_flag=True, help="Only check FILE; no database is needed.")
@click.option("--force", is_flag=True, help="Restore FILE although it has faulty values, or sizes that no site has.")
@data_option
def restore(file: Path, dry_run: bool, force: bool, data: str | None) -> None:
    """Write the copy of a site in FILE into an empty database.

    FILE is checked before anything is written. Until the restore is complete, no other command uses the database. A
    restore that did not finish has to be repeated from the beginning.
    """
    target = None if dry_run else load_named_settings(data)
    with _open_backup(file, "Checking", force) as (reader, records):
        references, values = References(), _Faults()
        for record in records:
            references.add(record)
            values.add(field_faults(record))
    missing = _Faults()
    missing.add(references.faults())
    faults = values.report("faulty value") + missing.report("broken reference")
    time = datetime.fromtimestamp(reader.created, UTC)
    summary = f"{_summary(reader.counts)}, as of {time:%Y-%m-%d %H:%M} UTC, from {reader.engine or 'an unknown engine'}"
    if faults and dry_run:
        raise click.ClickException(f"{file} is complete, but has {' and '.join(faults)}")
    if values.count and not force:
        raise click.ClickException(
            f"{file} has {faults[0]}, which may break pages. Nothing was written. With --force it is restored as it "
            "is, and voteweb doctor finds what it can repair."
        )
    if target is None:
        click.echo(f"{file} is complete: {summary}.")
        return
    with (
        open_database(target) as settings,
        open_checked_store(settings, allow_unfinished=True, any_schema=True) as store,
    ):
        restore = store.backup.new_restore()
        restore.begin()
        with _open_backup(file, "Restoring", force) as (_, records):
            while batch := list(islice(records, RESTORE_BATCH_SIZE)):
                restore.write(batch)
        restore.finish()
    click.echo(f"Restored {summary}.")


class _Faults:
    """Faults of a backup: the first ones are printed, all are counted."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, faults: Iterable[str]) -> None:
        """Count *faults*, and print those that are among the first."""
        for fault in faults:
            self.count += 1
            if self.count <= PRINTED_FAULTS:
                click.echo(fault)

    def report(self, noun: str) -> list[str]:
        """Say how many faults were not printed, and return how many there are in words, if any."""
        if self.count > PRINTED_FAULTS:
            click.echo(f"... and {pluralize(self.count - PRINTED_FAULTS, f'more {noun}')}")
        return [pluralize(self.count, noun)] if self.count else []


@contextmanager
def _open_backup(file: Path, label: str, force: bool) -> Iterator[tuple[Reader, Iterator[BackupRecord]]]:
    """Yield the reader of *file* and its records, which are read under a progress bar."""
    with file.open("rb") as stream:
        reader = Reader(file, stream, bounded=not force)
        with closing(track_file(reader.records(), label, stream)) as records:
            yield reader, records


def _summary(counts: Mapping[str, int]) -> str:
    if "key" in counts:
        return f"a copy of every key in {pluralize(counts['key'], 'record')}"
    return ", ".join(pluralize(counts.get(kind, 0), noun) for kind, noun in REPORTED_KINDS.items())
