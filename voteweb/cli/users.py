"""``voteweb user``: members made and changed by the operator."""

import sys

import click
from flask.cli import AppGroup

from voteweb import fields, passwords
from voteweb.cli.opening import Site, on_site
from voteweb.config import PASSWORD_LENGTH
from voteweb.errors import Invalid, NameTaken
from voteweb.models import Role

_ROLE = click.Choice([each.value for each in Role])

password_stdin = click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")


@click.group(cls=AppGroup)
def user() -> None:
    """Make members, and change their roles and passwords."""


@user.command(with_appcontext=False)
@click.argument("name")
@click.option("--role", type=_ROLE, default=Role.MEMBER.value, show_default=True)
@password_stdin
@on_site(new=True)
def create(site: Site, name: str, role: str, password_stdin: bool) -> None:
    """Make the member NAME; asks for a password."""
    name = fields.user_name(name)
    found = site.store.users.find(name)
    if found:
        raise NameTaken(name=found.name)
    made = site.store.users.make(name, _hash(password_stdin), Role(role))
    click.echo(f"Made {made.name} ({made.role}).")


@user.command(with_appcontext=False)
@click.argument("name")
@click.argument("role", type=_ROLE)
@on_site()
def role(site: Site, name: str, role: str) -> None:
    """Give the member NAME another ROLE."""
    found = site.store.users.get(fields.member_name(name))
    site.store.users.set_role(found.name, Role(role))
    click.echo(f"{found.name} is {role} now; before: {found.role}.")


@user.command(with_appcontext=False)
@click.argument("name")
@password_stdin
@on_site()
def password(site: Site, name: str, password_stdin: bool) -> None:
    """Give the member NAME another password; ends all their sessions."""
    found = site.store.users.get(fields.member_name(name))
    site.store.users.set_password(found.name, _hash(password_stdin))
    click.echo(f"{found.name} has a new password and is logged out everywhere.")


def _hash(from_stdin: bool) -> str:
    return passwords.hash_password(fields.password(_piped() if from_stdin else _asked()))


def _piped() -> str:
    # One more than the most, in bytes of UTF-8, and the line's end: enough to see that it is too long.
    line = sys.stdin.buffer.readline(4 * PASSWORD_LENGTH[1] + 6)
    try:
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise Invalid("The password on standard input is not UTF-8.") from None


def _asked() -> str:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask for the password at: use --password-stdin.")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
