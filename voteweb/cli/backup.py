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
from voteweb.cli.opening import Site, chosen, data_option, on_site, opened, several
from voteweb.embedded import database
from voteweb.store.backup import Record, References

#: Records that are written to Redis at once.
BATCH = 200
#: What is told of a backup, by the kinds of its records.
TOLD = {"article": "article", "member": "member", "group": "group", "entry": "log entry"}


def _folder_there(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    """Return *file*, before any database is started for it; raise BadParameter when it cannot be made."""
    if not file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {file.parent}")
    return file


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), callback=_folder_there)
@on_site()
def backup(site: Site, file: Path) -> None:
    """Write a copy of the whole site into FILE, while it is used.

    FILE can only be read by its owner: it holds the members' password hashes. It is there when it is whole, in place
    of one of the same name. "voteweb restore --dry-run FILE" looks through it.
    """
    source, engine = site.store.backup, site.store.server.engine().program
    with backup_file.beside(file) as stream:
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
        raise click.ClickException(f"{file} is whole, but holds {several(faults, 'name')} of what is not there")
    if dry_run:
        click.echo(f"{file} is whole: {told}.")
        return
    with database(chosen(data)) as settings, opened(settings, whole=False) as store:
        restore = store.backup.restore()
        restore.begin()
        with _reading(file, "Restoring") as (_, records):
            while batch := list(islice(records, BATCH)):
                restore.write(batch)
        restore.finish()
    click.echo(f"Restored {told}.")


@contextmanager
def _reading(file: Path, label: str) -> Iterator[tuple[Reader, Iterator[Record]]]:
    """Yield the reader of *file* and its records, under a progress bar; the bar is for people, not for pipes."""
    with file.open("rb") as stream:
        length = os.fstat(stream.fileno()).st_size
        hidden = not sys.stderr.isatty()
        with click.progressbar(
            length=length, label=label, file=sys.stderr, hidden=hidden, update_min_steps=length // 200 + 1
        ) as bar:
            reader = Reader(file, stream)

            def counted() -> Iterator[Record]:
                done = 0
                for record in reader.records():
                    yield record
                    done, before = stream.tell(), done
                    bar.update(done - before)

            yield reader, counted()


def _shown(records: Iterable[Record], total: int) -> Iterator[Record]:
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
    return ", ".join(several(counts.get(kind, 0), noun) for kind, noun in TOLD.items())
