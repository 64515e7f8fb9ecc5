"""``voteweb migrate``: convert the data that an older version wrote."""

from datetime import UTC, datetime
from pathlib import Path

import click

from voteweb.cli import backup
from voteweb.cli.output import track
from voteweb.cli.site import (
    data_option,
    load_settings,
    open_checked_store,
    pluralize,
    require_database,
)
from voteweb.core.config import SCHEMA
from voteweb.core.errors import ServerChanged
from voteweb.embedded.database import open_database
from voteweb.store import Store
from voteweb.store.backup import Backup
from voteweb.store.migrations import Migrations, State


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be converted.")
@click.option(
    "--backup",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the backup  [default: a new file in the data directory or, with VOTEWEB_REDIS_URL, in this folder]",
)
@data_option
def migrate(dry_run: bool, backup: Path | None, data: str | None) -> None:
    """Convert the data that an older version of voteweb wrote.

    Stop the site first. A backup of every key is made before anything is changed. If the command is interrupted, run it
    again: it continues. The embedded database is converted by "voteweb run" too.
    """
    settings = load_settings(data)
    require_database(settings)
    folder = Path() if settings.redis_url else Path(settings.data_dir)
    with open_database(settings) as settings, open_checked_store(settings, any_schema=True) as store:
        state = Migrations(store.context).state()
        if state.is_current:
            click.echo(f"The data have layout {SCHEMA}, the current one.")
        elif dry_run:
            _count(store, state)
        else:
            convert_site(store, state, backup or backup_path(folder, state, settings.site))


def backup_path(folder: Path, state: State, site: str) -> Path:
    """Return the file in *folder* for the backup of *site* that is made now."""
    beginning = f"before-layout-{SCHEMA}-from-{state.number}" + (f"-{site}" if site else "")
    return folder / f"{beginning}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.gz"


def convert_site(store: Store, state: State, file: Path) -> None:
    """Back up every key into *file*, unless an unfinished migration has made its backup, and convert the data."""
    run = store.health.engine().run
    # Whatever cannot be converted is found here, before anything is changed.
    totals = {
        conversion: sum(conversion.run(store.context, dry_run=True))
        for conversion in Migrations(store.context).conversions(state.number)
    }
    if state.backup:
        click.echo(f"Continuing the migration whose backup is {state.backup}.")
    else:
        with backup.replace_atomically(file) as stream:
            lines = track(Backup(store.context).all_lines(), "Backing up", Backup(store.context).key_total())
            engine = store.health.engine().program
            backup.write(stream, engine, lines, layout=state.number, is_whole=True)
        click.echo(f"Wrote a backup of every key to {file.resolve()}.")
        Migrations(store.context).begin(str(file.resolve()))
    for conversion, total in totals.items():
        converted = sum(track(conversion.run(store.context), conversion.title, total, lambda count: count))
        click.echo(f"{conversion.title}: {pluralize(converted, 'record')}.")
    if store.health.engine().run != run:  # it may lack what was converted last
        raise ServerChanged()
    Migrations(store.context).finish()
    click.echo(f"The data have layout {SCHEMA} now.")


def _count(store: Store, state: State) -> None:
    for conversion in Migrations(store.context).conversions(state.number):
        count = sum(conversion.run(store.context, dry_run=True))
        click.echo(f"{conversion.title}: {pluralize(count, 'record')} to convert.")
    click.echo(f"The data have layout {state.number} and would get layout {SCHEMA}.")
