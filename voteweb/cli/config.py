"""``voteweb config``: every setting, its value, and where it came from."""

import os
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

import click

from voteweb.cli.site import TRACEBACK_VARIABLE, mask_password
from voteweb.core.config import Settings, env_name, from_env

_HEADINGS = ("SETTING", "VALUE", "UNIT", "FROM", "REASON")


@click.command()
def config() -> None:
    """Show every setting: its value, its unit, where it came from and what it is for.

    Passwords and keys are masked.
    """
    settings = from_env()
    rows = [_HEADINGS, *(_row(each, settings) for each in fields(Settings))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS) - 1)]
    for row in rows:
        click.echo("  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[-1]]))
    known = {env_name(each.name) for each in fields(Settings)} | {TRACEBACK_VARIABLE}
    for name in sorted(set(os.environ) - known):
        if name.startswith(env_name("")):
            click.echo(f"{name} is set, but there is no such setting.")


def _row(each: Field[Any], settings: Settings) -> tuple[str, ...]:
    name = env_name(each.name)
    value, source = _shown(each.name, settings), "default"
    if os.environ.get(name):
        source = "environment"
    elif each.name == "vote_score":
        source = "worked out"
    elif each.name == "secret_key" and not settings.redis_url:
        made = (Path(settings.data_dir) / "secret.key").exists()
        value, source = ("***", "data directory") if made else ("made at the first start", "data directory")
    return name, value, each.metadata["unit"], source, each.metadata["why"]


def _shown(name: str, settings: Settings) -> str:
    value = getattr(settings, name)
    if name == "redis_url":
        return mask_password(value) or "embedded"
    if name == "secret_key":
        return "***" if value else "missing"
    if name == "metrics_token":
        return "***" if value else "-"
    return str(value) if value != "" else "-"
