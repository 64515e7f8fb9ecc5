"""``voteweb backup`` and ``voteweb restore``: a whole site in one file, and back again."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import click

from voteweb.cli import backup_file
from voteweb.cli.backup_file import Reader
from voteweb.cli.site import Site, data_option, load_settings, open_checked_store, pluralize, with_site
from voteweb.embedded.database import open_database
from voteweb.store.backup import BackupRecord, References

#: Records that are written to Redis at once.
RESTORE_BATCH_SIZE = 200
#: What is told of a backup, by the kinds of its records.
REPORTED_KINDS = {"article": "article", "member": "member", "group": "group", "entry": "log entry"}


def _folder_there(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    """Return *file*, before any database is started for it; raise BadParameter when it cannot be made."""
    if not file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {file.parent}")
    return file


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=_folder_there)
@with_site()
def backup(site: Site, file: Path) -> None:
    """Write a copy of the whole site into FILE, while it is used.

    FILE can only be read by its owner: it holds the members' password hashes. It is there when it is whole, in place
    of one of the same name. "voteweb restore --dry-run FILE" looks through it.
    """
    source, engine = site.store.backup, site.store.server_info.engine().program
    with backup_file.replace_atomically(file) as stream:
        counts = backup_file.write(stream, engine, _shown(source.records(), source.total()))
    click.echo(f"{_told(counts)} are in {file} ({file.stat().st_size / 1e6:,.1f} MB).")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True, readable=True))
@click.option("--dry-run", is_flag=True, help="Only look through FILE; no database is needed.")
@data_option
def restore(file: Path, dry_run: bool, data: str | None) -> None:
    """Put the copy of a site in FILE into an empty database.

    FILE is looked through before anything is written. Until all of it is there, nothing else uses the database; a
    restore that did not finish is to be made again from the beginning.
    """
    faults = 0
    with _reading(file, "Checking") as (reader, records):
        references = References()
        for record in records:
            references.take(record)
    for faults, fault in enumerate(references.faults(), 1):  # noqa: B007 - the last one is the count
        click.echo(fault)
    when = datetime.fromtimestamp(reader.taken, UTC)
    told = f"{_told(reader.counts)}, as of {when:%Y-%m-%d %H:%M} UTC, from {reader.engine or 'an unknown engine'}"
    if dry_run and faults:
        raise click.ClickException(f"{file} is whole, but holds {pluralize(faults, 'name')} of what is not there")
    if dry_run:
        click.echo(f"{file} is whole: {told}.")
        return
    with open_database(load_settings(data)) as settings, open_checked_store(settings, whole=False) as store:
        restore = store.backup.new_restore()
        restore.begin()
        with _reading(file, "Restoring") as (_, records):
            while batch := list(islice(records, RESTORE_BATCH_SIZE)):
                restore.write(batch)
        restore.finish()
    click.echo(f"Restored {told}.")


@contextmanager
def _reading(file: Path, label: str) -> Iterator[tuple[Reader, Iterator[BackupRecord]]]:
    """Yield the reader of *file* and its records, under a progress bar; the bar is for people, not for pipes."""
    with file.open("rb") as stream:
        length = os.fstat(stream.fileno()).st_size
        hidden = not sys.stderr.isatty()
        with click.progressbar(
            length=length, label=label, file=sys.stderr, hidden=hidden, update_min_steps=length // 200 + 1
        ) as bar:
            reader = Reader(file, stream)

            def counted() -> Iterator[BackupRecord]:
                done = 0
                for record in reader.records():
                    yield record
                    done, before = stream.tell(), done
                    bar.update(done - before)

            yield reader, counted()


def _shown(records: Iterable[BackupRecord], total: int) -> Iterator[BackupRecord]:
    """Yield *records* under a progress bar."""
    with click.progressbar(
        records,
        length=total,
        label="Backing up",
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
        update_min_steps=total // 200 + 1,
    ) as shown:
        yield from shown


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(pluralize(counts.get(kind, 0), noun) for kind, noun in REPORTED_KINDS.items())
