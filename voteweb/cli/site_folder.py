"""The folder of a new site, which belongs to the system user of the site alone."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from voteweb.cli.environment import DEFAULT_SITE, FILE_NAME, become_owner
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


def make_folder(folder: Path, user: str | None) -> None:
    """Make *folder* for *user* alone, and go on as that user; None is this user or, for root, DEFAULT_USER.

    Raises ConfigError if only root could do so, or if the user cannot enter *folder*.
    """
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
    become_owner(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(
            "%(user)s cannot enter %(folder)s. Choose another place, such as %(default)s.",
            user=account.pw_name,
            folder=folder,
            default=DEFAULT_SITE,
        )


def _account(name: str, home: Path) -> pwd.struct_passwd:
    """Return the system user *name*, who is made if there is none, with the home directory *home*."""
    try:
        return pwd.getpwnam(name)
    except KeyError:
        pass
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
