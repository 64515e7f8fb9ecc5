"""``voteweb user``: members made and changed by the operator."""

import sys

import click
from flask.cli import AppGroup

from voteweb.cli.site import Site, site_origin, with_site
from voteweb.core import passwords, validation
from voteweb.core.config import COMMAND_LINE, MAX_PASSWORD_LENGTH
from voteweb.core.errors import Invalid, NameTaken
from voteweb.core.models import LogAction, Role
from voteweb.store.moderation_log import NewLogEntry

_ROLE = click.Choice([each.value for each in Role])

password_stdin = click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")


@click.group(cls=AppGroup)
def user() -> None:
    """Make members, change their roles and passwords, and ban them.

    What changes a role above member and what bans stands in the site's public log.
    """


@user.command(with_appcontext=False)
@click.argument("name")
@click.option("--role", type=_ROLE, default=Role.MEMBER.value, show_default=True)
@password_stdin
@with_site(new=True)
def create(site: Site, name: str, role: str, password_stdin: bool) -> None:
    """Make the member NAME; asks for a password."""
    name = validation.user_name(name)
    found = site.store.users.find(name)
    if found:
        raise NameTaken(name=found.name)
    entry = None if role == Role.MEMBER else _log_entry(LogAction.ROLE, name, role)
    made = site.store.users.make(name, _hash(password_stdin), Role(role), entry=entry)
    click.echo(f"Made {made.name} ({made.role}).")


@user.command(with_appcontext=False)
@click.argument("name")
@click.argument("role", type=_ROLE)
@with_site()
def role(site: Site, name: str, role: str) -> None:
    """Give the member NAME another ROLE."""
    found = site.store.users.get(validation.member_name(name))
    site.store.users.set_role(found.name, Role(role), _log_entry(LogAction.ROLE, found.name, role))
    click.echo(f"{found.name} is {role} now; before: {found.role}.")


@user.command(with_appcontext=False)
@click.argument("name")
@password_stdin
@click.option("--link", is_flag=True, help="Ask for no password: print a one-time link to set one with.")
@with_site()
def password(site: Site, name: str, password_stdin: bool, link: bool) -> None:
    """Give the member NAME another password; ends all their sessions.

    With --link the member chooses it: whoever opens the link within a day sets the password, once.
    """
    if link and password_stdin:
        raise click.UsageError("--link asks for no password: leave --password-stdin out.")
    found = site.store.users.get(validation.member_name(name))
    if link:
        settings = site.settings
        place = settings.site_url.rstrip("/") or site_origin(settings.host, settings.port)
        click.echo(f"{place}/reset/{site.store.password_resets.make(found.name)}")
        click.echo(f"With this link, {found.name} sets a new password. It works once and is good for a day.")
        click.echo("Using it ends all their sessions; until then the old password and all sessions stay.")
        return
    site.store.users.set_password(found.name, _hash(password_stdin))
    click.echo(f"{found.name} has a new password and is logged out everywhere.")


@user.command(with_appcontext=False)
@click.argument("name")
@click.option("--reason", required=True, help="Why; the member and everybody else can read it.")
@with_site()
def ban(site: Site, name: str, reason: str) -> None:
    """Log the member NAME out everywhere and let nobody in under the name."""
    found = site.store.users.get(validation.member_name(name))
    if found.banned:
        click.echo(f"{found.name} is banned already: {found.ban_reason}")
        return
    site.store.users.ban(found.name, _log_entry(LogAction.BAN, found.name, validation.reason(reason)))
    click.echo(f"{found.name} is banned and logged out everywhere.")


@user.command(with_appcontext=False)
@click.argument("name")
@with_site()
def unban(site: Site, name: str) -> None:
    """Let the banned member NAME in again."""
    found = site.store.users.get(validation.member_name(name))
    site.store.users.unban(found.name, _log_entry(LogAction.UNBAN, found.name))
    click.echo(f"{found.name} can log in again." if found.banned else f"{found.name} is not banned.")


def _log_entry(kind: LogAction, about: str, why: str = "") -> NewLogEntry:
    """Return what the public log is to say of an act of the command line."""
    return NewLogEntry(kind, COMMAND_LINE, about=about, why=why)


def _hash(from_stdin: bool) -> str:
    return passwords.hash_password(validation.password(_piped() if from_stdin else _asked()))


def _piped() -> str:
    # One more than the most, in bytes of UTF-8, and the line's end: enough to see that it is too long.
    line = sys.stdin.buffer.readline(4 * MAX_PASSWORD_LENGTH + 6)
    try:
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise Invalid("The password on standard input is not UTF-8.") from None


def _asked() -> str:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask for the password at: use --password-stdin.")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
