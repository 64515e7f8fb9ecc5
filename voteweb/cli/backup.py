"""``voteweb backup``: write a whole site into one file, keep some of those files, and copy them elsewhere."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import click

from voteweb.cli import backup_file, backup_folder
from voteweb.cli.encryption import Encryption
from voteweb.cli.environment import without_settings
from voteweb.cli.progress import track
from voteweb.cli.site import Site, pluralize, with_site
from voteweb.core import clock
from voteweb.core.errors import ConfigError, StorageFull, Unavailable
from voteweb.store.last_backup import BackupFacts

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


def _check_folder(_context: click.Context, _parameter: click.Parameter, typed: str) -> Path:
    """Return the file or folder that was *typed* if its folder exists, before any database is started for it."""
    path = Path(typed)
    folder = path if path.is_dir() or typed.endswith(os.sep) else path.parent
    if not folder.is_dir():
        raise click.BadParameter(f"there is no folder {folder}")
    return path


def _refuse_empty(_context: click.Context, _parameter: click.Parameter, typed: str | None) -> str | None:
    """Return what was *typed*: an empty variable in a script must not mean a backup that anybody can read."""
    if typed is not None and not typed.strip():
        raise click.BadParameter("it is empty")
    return typed


def _split_command(_context: click.Context, _parameter: click.Parameter, typed: str | None) -> list[str]:
    """Return the words of the command that was *typed*, whose program must be there before the backup begins."""
    try:
        words = shlex.split(_refuse_empty(_context, _parameter, typed) or "")
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if words and not shutil.which(words[0]):
        raise click.BadParameter(f"there is no program {words[0]}")
    return words


@click.command()
@click.argument("path", metavar="FILE|FOLDER", callback=_check_folder)
@click.option("--keep", type=click.IntRange(1), help="Delete all but the newest so many backups in FOLDER.")
@click.option(
    "--keep-weekly", type=click.IntRange(0), default=0, help="Keep the newest of each of the last so many weeks, too."
)
@click.option(
    "--encrypt-to",
    metavar="KEY",
    callback=_refuse_empty,
    help="Encrypt to a key: age1…, a file with public keys, a GPG key id.",
)
@click.option("--then", metavar="COMMAND", callback=_split_command, help="Run COMMAND, with the file in place of {}.")
@with_site()
def backup(site: Site, path: Path, keep: int | None, keep_weekly: int, encrypt_to: str | None, then: list[str]) -> None:
    """Write a copy of the whole site, which may be in use, into FILE, or into a new file in FOLDER.

    Only its owner can read the file, because it holds the members' password hashes. It replaces a file of the same name
    when it is complete. "voteweb restore --dry-run FILE" checks it.

    In FOLDER the file is named after the time, and VOTEWEB_SITE: voteweb-20261122T033000Z.gz. --keep and --keep-weekly
    delete files with such names, and no others. --encrypt-to needs the program age or gpg; nothing unencrypted is
    written to disk.

    A key that cannot be read, such as one of a wrong type, is left out and named; the file can be restored, and the
    exit status is 1. The site notes only a backup without such keys, and only when COMMAND has succeeded.
    """
    if (keep or keep_weekly) and not path.is_dir():
        raise click.UsageError("--keep and --keep-weekly are for a FOLDER.")
    if keep_weekly and not keep:
        raise click.UsageError("--keep-weekly needs --keep.")
    encryption = Encryption(encrypt_to) if encrypt_to else None
    begun = clock.now()
    suffix = encryption.suffix if encryption else ""
    name, made = site.settings.site, datetime.fromtimestamp(begun, UTC)
    file = path / backup_folder.file_name(made, suffix, name) if path.is_dir() else path
    skipped = _write(site, file, encryption)
    if keep and not skipped:  # the last good ones are not deleted for one that lacks something
        for old in backup_folder.prune(path, keep, keep_weekly, name):
            click.echo(f"Deleted {old}.")
    if then:
        _run(then, file)
    if skipped:
        raise click.ClickException(
            f"{file} is partial: {pluralize(len(skipped), 'key')} could not be read and "
            f"{'is' if len(skipped) == 1 else 'are'} not in it (voteweb doctor tells more)"
        )
    try:
        site.store.last_backup.record(BackupFacts(begun, file.stat().st_size))
    except (StorageFull, Unavailable):
        click.echo("The database accepts no writes: the site cannot note that this backup was made.", err=True)


def _write(site: Site, file: Path, encryption: Encryption | None) -> list[str]:
    """Write the backup into *file*; return the keys that could not be read, of which the first are printed."""
    source, engine, skipped = site.store.backup, site.store.server_info.engine().program, list[str]()
    with backup_file.replace_atomically(file) as stream:
        lines = track(source.lines(skipped), "Backing up", source.total())
        if encryption:
            with encryption.encrypt_into(stream) as plain:
                counts = backup_file.write(plain, engine, lines, skipped)
        else:
            counts = backup_file.write(stream, engine, lines, skipped)
    click.echo(f"Wrote {summarize(counts)} to {file} ({file.stat().st_size / 1e6:,.1f} MB).")
    for key in skipped[:PRINTED_KEYS]:
        click.echo(f"{key}  cannot be read: left out", err=True)
    return skipped


def _run(command: list[str], file: Path) -> None:
    """Run *command*, without a shell and without the settings, on *file*; raise ConfigError if it fails."""
    name = f"./{file}" if str(file).startswith("-") else str(file)  # else it would be an option
    words = [word.replace("{}", name) for word in command]
    sys.stdout.flush()
    ended = subprocess.run(  # nosec B603  # noqa: S603 - the operator's own command, without a shell
        words, stdin=subprocess.DEVNULL, env=without_settings(), check=False
    )
    if ended.returncode:
        raise ConfigError(
            "The backup is in %(file)s, but %(program)s ended with status %(status)s.",
            file=file,
            program=words[0],
            status=ended.returncode,
        )


def summarize(counts: Mapping[str, int]) -> str:
    """Return in words how much a backup has."""
    return ", ".join(pluralize(counts.get(kind, 0), noun) for kind, noun in REPORTED.items())
