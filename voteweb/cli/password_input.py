"""A new password, from standard input or from the terminal."""

import sys

import click

from voteweb.core import passwords, validation
from voteweb.core.config import MAX_PASSWORD_LENGTH
from voteweb.core.errors import Invalid

password_stdin_option = click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")


def new_password_hash(name: str, site_name: str, from_stdin: bool) -> str:
    """Read a new password of the member *name* from standard input or the terminal, and return its hash.

    At the terminal, a password that the site would not accept either is asked for again; else it raises Invalid.
    """
    if from_stdin:
        return passwords.hash_password(validation.password(_read_password(), name, site_name))
    while True:
        try:
            password = validation.password(_prompt_password(), name, site_name)
        except Invalid as error:
            click.echo(f"Error: {error}", err=True)
        else:
            return passwords.hash_password(password)


def _read_password() -> str:
    # The longest password in UTF-8, the line's end and another character: enough to notice a longer one.
    line = sys.stdin.buffer.readline(4 * MAX_PASSWORD_LENGTH + 6)
    try:
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise Invalid("The password on standard input is not UTF-8.") from None


def _prompt_password() -> str:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask for the password: use --password-stdin.")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
