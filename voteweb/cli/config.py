"""``voteweb config``: print every setting, its value and where it comes from."""

import os

import click

from voteweb.cli.environment import FILE_NAME
from voteweb.cli.output import json_option, print_columns, print_rows
from voteweb.cli.site import lines_not_in_force, load_settings, open_checked_store, require_database
from voteweb.core.config import Settings, unknown_name_warnings
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.settings_in_force import STORED, in_force, settings_in_force

_HEADINGS = ("SETTING", "VALUE", "UNIT", "FROM", "REASON")


@click.command()
@json_option
def config(as_json: bool) -> None:
    """Show every setting: its value, its unit, where it comes from and what it is for.

    Passwords and keys are masked. Where the data have another value than the environment, that one is in force, and a
    line says so; of a database that does not answer, this command does not know.
    """
    environment = set(os.environ)
    settings = load_settings(None)
    from_file = set(os.environ) - environment
    in_data = _read_in_force(settings)
    names = STORED if in_data else ()
    rows = list(settings_in_force(in_data or settings, from_file, FILE_NAME, in_data=names))
    if as_json:
        print_rows([row._asdict() for row in rows], as_json)
    else:
        print_columns([_HEADINGS, *rows])
    for line in lines_not_in_force(settings, in_data or settings):
        click.echo(line, err=as_json)
    for warning in unknown_name_warnings():
        click.echo(warning, err=as_json)


def _read_in_force(settings: Settings) -> Settings | None:
    """Return *settings* with what the data have, None if there are none or their database does not answer."""
    try:
        require_database(settings)
        with open_checked_store(settings, any_schema=True) as store:
            return in_force(settings, store.site.read_settings()) if store.site.has_settings() else None
    except (ConfigError, Unavailable):
        return None
