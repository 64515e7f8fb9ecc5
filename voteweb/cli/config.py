"""``voteweb config``: print every setting, its value and where it comes from."""

import os
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import click

from voteweb.cli.environment import FILE_NAME
from voteweb.cli.site import load_settings, mask_password
from voteweb.core.config import Settings, env_name, unknown_names

_HEADINGS = ("SETTING", "VALUE", "UNIT", "FROM", "REASON")


@click.command()
def config() -> None:
    """Show every setting: its value, its unit, where it comes from and what it is for.

    Passwords and keys are masked.
    """
    environment = set(os.environ)
    settings = load_settings(None)
    from_file = set(os.environ) - environment
    rows = [_HEADINGS, *(_row(setting, settings, from_file) for setting in fields(Settings))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS) - 1)]
    for row in rows:
        click.echo("  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[-1]]))
    for name in unknown_names():
        click.echo(f"{name} is set, but there is no such setting.")


def _row(setting: Field[Any], settings: Settings, from_file: set[str]) -> tuple[str, ...]:
    name = env_name(setting.name)
    value, source = _display(setting.name, settings), "default"
    if os.environ.get(name):
        source = FILE_NAME if name in from_file else "environment"
    elif setting.name == "vote_score":
        source = "worked out"
    elif setting.name == "secret_key" and not settings.redis_url:
        exists = (Path(settings.data_dir) / "secret.key").exists()
        value, source = "***" if exists else "made at the first start", "data directory"
    return name, value, setting.metadata["unit"], source, setting.metadata["description"]


def _display(name: str, settings: Settings) -> str:
    """Return the value of the setting *name* as it may be printed."""
    value = getattr(settings, name)
    if name == "redis_url":
        return mask_password(value) or "embedded"
    if name == "mail_url":
        return mask_password(value) or "-"
    if name == "secret_key":
        return "***" if value else "missing"
    if name == "metrics_token":
        return "***" if value else "-"
    return str(value) if value != "" else "-"
