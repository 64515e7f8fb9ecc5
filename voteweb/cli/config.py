"""``voteweb config``: print every setting, its value and where it comes from."""

import os

import click

from voteweb.cli.environment import FILE_NAME
from voteweb.cli.output import json_option, print_rows
from voteweb.cli.site import load_settings
from voteweb.core.config import unknown_names
from voteweb.core.settings_in_force import SettingInForce, settings_in_force

_HEADINGS = ("SETTING", "VALUE", "UNIT", "FROM", "REASON")


@click.command()
@json_option
def config(as_json: bool) -> None:
    """Show every setting: its value, its unit, where it comes from and what it is for.

    Passwords and keys are masked.
    """
    environment = set(os.environ)
    settings = load_settings(None)
    from_file = set(os.environ) - environment
    in_force = list(settings_in_force(settings, from_file, FILE_NAME))
    if as_json:
        print_rows([row._asdict() for row in in_force], as_json)
    else:
        _print_columns(in_force)
    for name in unknown_names():
        click.echo(f"{name} is set, but there is no such setting.", err=as_json)


def _print_columns(in_force: list[SettingInForce]) -> None:
    rows = [_HEADINGS, *in_force]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS) - 1)]
    for row in rows:
        click.echo("  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[-1]]))
