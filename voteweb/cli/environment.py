"""The settings file of a site, ``voteweb.env``, and its folder: how it is found, read and made, and whose it is."""

import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from voteweb.cli.output import warn
from voteweb.core.errors import ConfigError
from voteweb.core.settings import env_name

FILE_NAME = "voteweb.env"
#: The site of this machine, unless the current folder is one.
DEFAULT_SITE = Path("/var/lib/voteweb")
#: The settings that name a database.
PLACES = (env_name("data_dir"), env_name("redis_url"))
#: Values that systemd, Compose, docker and this module read in different ways.
_UNCLEAR_VALUE = re.compile(r"[\x00-\x1f\x7f\\$]|^[\s\"'`#]|\s#|\s$")
_UNREADABLE = "Cannot read %(path)s: %(reason)s"
_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def load_site(site: Path | None, *, search: bool) -> None:
    """Set the variables in the settings file of *site* that the environment has not, as the user who owns the file.

    Without *site*, and only with *search*, the file is that of the current folder, else that of DEFAULT_SITE; no file
    is looked for if the environment names a database already. Raises ConfigError.
    """
    file = site / FILE_NAME if site else None
    if not site and search and not any(os.environ.get(name) for name in PLACES):
        file = find_file()
    if file:
        for name, value in read_file(file, as_owner=True).items():
            os.environ.setdefault(name, value)


def find_file() -> Path | None:
    """Return the settings file of the current folder or of DEFAULT_SITE that this user can read, if there is one."""
    files = (Path.cwd() / FILE_NAME, DEFAULT_SITE / FILE_NAME)
    return next((file for file in files if os.access(file, os.R_OK)), None)


def become_owner(path: Path, status: os.stat_result | None = None) -> None:
    """Go on as the owner of *path* if this user is root, so that no file of the site comes to belong to root.

    The *status* of *path* may be known. Raises ConfigError if another user but root owns *path*, or if its owner cannot
    read this program.
    """
    try:
        status = status or path.stat()
    except OSError as error:
        raise ConfigError(_UNREADABLE, path=path, reason=error.strerror) from None
    if status.st_uid in (os.geteuid(), 0):
        return
    account = account_of(status)
    name = account.pw_name
    try:
        os.setgroups(os.getgrouplist(name, account.pw_gid))
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
    except PermissionError:
        raise ConfigError(
            "%(path)s belongs to %(name)s: run the command as that user or as root.", path=path, name=name
        ) from None
    os.umask(0o077)
    os.environ.update(HOME=account.pw_dir, USER=name, LOGNAME=name)
    refuse_unreadable_program(name, path)


def account_of(status: os.stat_result) -> pwd.struct_passwd:
    """Return the account of the owner of a file with this *status*."""
    try:
        return pwd.getpwuid(status.st_uid)
    except KeyError:  # such as the owner of a volume, in a container
        return pwd.struct_passwd((str(status.st_uid), "", status.st_uid, status.st_gid, "", "/", ""))


def refuse_unreadable_program(name: str, path: Path) -> None:
    """Raise ConfigError if the user *name*, the owner of *path* and of this process, cannot read this program."""
    if not os.access(sys.executable, os.X_OK, effective_ids=True):
        raise ConfigError(
            "%(name)s, who owns %(path)s, cannot run %(python)s, with which voteweb was installed: install it with a "
            "Python of all users, such as /usr/bin/python3, in a folder such as /opt.",
            name=name,
            path=path,
            python=Path(sys.executable).resolve(),
        )
    if not os.access(__file__, os.R_OK, effective_ids=True):
        raise ConfigError(
            "%(name)s, who owns %(path)s, cannot read voteweb in %(prefix)s: install it in a folder such as /opt.",
            name=name,
            path=path,
            prefix=sys.prefix,
        )


def read_file(file: Path, *, as_owner: bool = False) -> dict[str, str]:
    """Return the variables in a settings *file*; raise ConfigError for a line that others would read differently.

    With *as_owner*, root goes on as its owner first, who can exchange it at any time: root reads only the very file
    whose owner it was, and follows another user's link as that user.
    """
    try:
        if not as_owner:
            return _parse(file, file.read_bytes())
        status = file.lstat()
        is_link = stat.S_ISLNK(status.st_mode)
        if is_link:
            become_owner(file, status)
        flags = os.O_NONBLOCK | (0 if is_link else os.O_NOFOLLOW)
        with open(file, "rb", opener=lambda path, mode: os.open(path, mode | flags)) as stream:
            status = os.fstat(stream.fileno())
            if status.st_mode & stat.S_IROTH:
                warn(f"Every user of this machine can read {file}, and the secret key in it: chmod o= {file}")
            become_owner(file, status)
            return _parse(file, stream.read())
    except OSError as error:
        raise ConfigError(_UNREADABLE, path=file, reason=error.strerror) from None


def _parse(file: Path, content: bytes) -> dict[str, str]:
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise ConfigError("%(file)s is not UTF-8.", file=file) from None
    values = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line[0] in "#;":
            continue
        match = _LINE.fullmatch(line)
        if not match or not is_plain(match[2]):
            raise ConfigError(
                "Line %(number)s of %(file)s must be NAME=value, with no quotes or blanks around the value, and no $, "
                "backslash or comment in it.",
                number=number,
                file=file,
            )
        values[match[1]] = match[2]
    return values


def is_plain(value: str) -> bool:
    """Tell whether every program that reads a settings file takes *value* for the same."""
    return not _UNCLEAR_VALUE.search(value)


def refuse_unclear(file: Path, values: Mapping[str, str]) -> None:
    """Raise ConfigError if one of the *values* of a settings *file* is not plain."""
    for name, value in values.items():
        if not is_plain(value):
            raise ConfigError(
                "%(name)s cannot be kept in %(file)s: it may have no backslash, $ or line break, no quote or # at its "
                "beginning, and no # after a blank.",
                name=name,
                file=file,
            )


def write_file(file: Path, values: Mapping[str, str], comments: Mapping[str, str]) -> None:
    """Write a settings *file* of plain values that only its owner can read, with *comments* above some of them.

    It is written whole or not at all. Raises FileExistsError if there is such a file.
    """
    draft = file.with_name(f"{file.name}.new")
    draft.unlink(missing_ok=True)  # one of a process that was killed
    try:
        with open(draft, "x", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as stream:
            for name, value in values.items():
                stream.write(f"# {comments[name]}\n{name}={value}\n" if name in comments else f"{name}={value}\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.link(draft, file)  # unlike a renamed draft, it replaces nothing
    finally:
        draft.unlink(missing_ok=True)


#: The user of a site that root makes.
DEFAULT_USER = "voteweb"


def refuse_used_folder(folder: Path, opened: int | None = None) -> None:
    """Raise ConfigError if *folder* has files of something else than a site whose making was interrupted.

    Its files are those of the descriptor *opened*, if that is given.
    """
    names = os.listdir(folder if opened is None else opened)
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
        refuse_used_folder(folder, opened)
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
