"""``voteweb backup``: write a whole site into one file, or to the program that encrypts or sends it."""

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import click

from voteweb.cli import backup_file
from voteweb.cli.progress import track
from voteweb.cli.site import Site, pluralize, with_site
from voteweb.core import clock
from voteweb.core.errors import StorageFull, Unavailable
from voteweb.store.backup import Backup
from voteweb.store.server.health import BackupFacts

#: Skipped keys that are printed; all are counted.
PRINTED_KEYS = 20
#: What the summary of a backup counts, with the nouns.
REPORTED = {
    "articles": "article",
    "comments": "comment",
    "members": "member",
    "groups": "group",
    "entries": "log entry",
}
#: The end of a message about an option that is gone.
_ADVICE = 'see "Backup and restore" in docs/operations.md'


def _check_folder(_context: click.Context, _parameter: click.Parameter, typed: str) -> Path | None:
    """Return the file or folder that was *typed* if its folder exists, None for "-": standard output.

    It is checked before any database is started.
    """
    if typed == "-":
        if sys.stdout.isatty():
            raise click.BadParameter("standard output is a terminal")
        return None
    path = Path(typed)
    folder = path if path.is_dir() or typed.endswith(os.sep) else path.parent
    if not folder.is_dir():
        raise click.BadParameter(f"there is no folder {folder}")
    return path


def _refuse_encryption(_context: click.Context, _parameter: click.Parameter, typed: str | None) -> None:
    """Refuse what was *typed*: a script that asked for an encrypted backup must not get one that anybody can read."""
    if typed is not None:
        raise click.BadParameter(f"encrypt on the way: voteweb backup - | age -r KEY > FILE; {_ADVICE}")


@click.command()
@click.argument("path", metavar="FILE|FOLDER|-", callback=_check_folder)
@click.option("--keep", hidden=True)
@click.option("--keep-weekly", hidden=True)
@click.option("--then", hidden=True)
@click.option("--encrypt-to", hidden=True, expose_value=False, callback=_refuse_encryption)
@with_site()
def backup(site: Site, /, path: Path | None, **former_options: str | None) -> None:
    """Write a copy of the whole site, which may be in use, into FILE, into a new file in FOLDER, or to standard output.

    Only its owner can read the file, because it holds the members' password hashes. It replaces a file of the same name
    when it is complete. "voteweb restore --dry-run FILE" checks it. In FOLDER the file is named after the time, and
    VOTEWEB_SITE: voteweb-20261122T033000Z.gz.

    A key that cannot be read, such as one of a wrong type, is left out and named; the file can be restored, and the
    exit status is 1. The site notes only a backup without such keys.
    """
    ignored = [f"--{name.replace('_', '-')}" for name, typed in former_options.items() if typed is not None]
    for option in ignored:
        click.echo(f"{option} does nothing any more: {_ADVICE}.", err=True)
    begun = clock.now()
    file = path / _file_name(begun, site.settings.site) if path and path.is_dir() else path
    size, skipped = _write(site, file)
    if skipped:
        raise click.ClickException(
            f"{file or 'The backup'} is partial: {pluralize(len(skipped), 'key')} could not be read and "
            f"{'is' if len(skipped) == 1 else 'are'} not in it (voteweb doctor tells more)"
        )
    if "--then" in ignored:
        return  # /healthz then says that no copy is made elsewhere
    try:
        site.store.health.record_backup(BackupFacts(begun, size))
    except (StorageFull, Unavailable):
        click.echo("The database accepts no writes: the site cannot note that this backup was made.", err=True)


def _file_name(made: float, site: str) -> str:
    """Return the name of a backup of *site*, "" for one without a name, that was *made* at this unix time."""
    return f"voteweb-{f'{site}-' if site else ''}{datetime.fromtimestamp(made, UTC):%Y%m%dT%H%M%SZ}.gz"


def _write(site: Site, file: Path | None) -> tuple[int, list[str]]:
    """Write the backup into *file*, None for standard output.

    Return its size in bytes, and the keys that could not be read, of which the first are printed.
    """
    source, engine, skipped = Backup(site.store.context), site.store.health.engine().program, list[str]()
    with backup_file.replace_atomically(file) if file else nullcontext(sys.stdout.buffer) as stream:
        lines = track(source.lines(skipped), "Backing up", source.total())
        counts, size = backup_file.write(stream, engine, lines, skipped)
    click.echo(f"Wrote {summarize(counts)} to {file or 'standard output'} ({size / 1e6:,.1f} MB).", err=not file)
    for key in skipped[:PRINTED_KEYS]:
        click.echo(f"{key}  cannot be read: left out", err=True)
    return size, skipped


def summarize(counts: Mapping[str, int]) -> str:
    """Return in words how much a backup has."""
    return ", ".join(pluralize(counts.get(kind, 0), noun) for kind, noun in REPORTED.items())
