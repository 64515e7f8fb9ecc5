"""The folder of a new site, which belongs to the system user of the site alone."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from voteweb.cli.environment import DEFAULT_SITE, FILE_NAME, become_owner, refuse_unreadable_program
from voteweb.core.errors import ConfigError

#: The user of a site that root makes.
DEFAULT_USER = "voteweb"


def refuse_used_folder(folder: Path) -> None:
    """Raise ConfigError if *folder* has files of something else than a site whose making was interrupted."""
    if folder.exists():
        _refuse_files(folder, os.listdir(folder))


def _refuse_files(folder: Path, names: Iterable[str]) -> None:
    if any(not name.startswith(FILE_NAME) for name in names):
        raise ConfigError("%(folder)s is not empty, and has no %(file)s.", folder=folder, file=FILE_NAME)


@contextmanager
def made_folder(folder: Path, user: str | None) -> Iterator[None]:
    """Make *folder* for *user* alone, and go on as that user; None is this user or, for root, DEFAULT_USER.

    If that or the block fails, the folders that were made are removed, but for those with files. Raises ConfigError if
    only root could do so, if *folder* has files of something else, or if the user cannot enter it or read this program.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        _make_folder(folder, user)
        yield
    except BaseException:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
        raise


def _make_folder(folder: Path, user: str | None) -> None:
    account = _account(user or DEFAULT_USER, folder) if os.geteuid() == 0 else None
    if account is None and user and user != pwd.getpwuid(os.geteuid()).pw_name:
        raise ConfigError("Only root can make the site of another user: run the command as root.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Who may write beside it can have put a link to a folder of the system in its place meanwhile.
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _refuse_files(folder, os.listdir(opened))
        os.fchmod(opened, 0o700)
        if account is None:
            return
        os.fchown(opened, account.pw_uid, account.pw_gid)
    finally:
        os.close(opened)
    _refuse_unusable(folder, account)
    become_owner(folder)


def _refuse_unusable(folder: Path, account: pwd.struct_passwd) -> None:
    """Raise ConfigError, as root, unless the user can work in *folder*, and read this program."""
    groups = os.getgroups()
    os.setgroups(os.getgrouplist(account.pw_name, account.pw_gid))
    os.setegid(account.pw_gid)
    os.seteuid(account.pw_uid)
    try:
        if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
            raise ConfigError(
                "%(user)s cannot enter %(folder)s. Choose another place, such as %(default)s.",
                user=account.pw_name,
                folder=folder,
                default=DEFAULT_SITE,
            )
        refuse_unreadable_program(account.pw_name, folder)
    finally:
        os.seteuid(os.getuid())
        os.setegid(os.getgid())
        os.setgroups(groups)


def _account(name: str, home: Path) -> pwd.struct_passwd:
    """Return the system user *name*, who is made if there is none, with the home directory *home*."""
    with suppress(KeyError):
        account = pwd.getpwnam(name)
        if account.pw_uid:
            click.echo(
                f"There is a user {name} already: whatever else runs as {name} can read the keys of this site. For "
                "another one: --user NAME.",
                err=True,
            )
        return account
    program = shutil.which("useradd", path="/usr/sbin:/sbin")
    if not program:
        raise ConfigError("There is no user %(name)s, and no useradd to make one. Make the user first.", name=name)
    command = [program, "--system", "--user-group", "--home-dir", str(home), "--no-create-home"]
    made = subprocess.run(  # nosec B603  # noqa: S603 - a program of the system, without a shell
        [*command, "--shell", "/usr/sbin/nologin", "--", name], capture_output=True, text=True
    )
    if made.returncode:
        raise ConfigError("Cannot make the user %(name)s: %(reason)s", name=name, reason=made.stderr.strip())
    return pwd.getpwnam(name)
