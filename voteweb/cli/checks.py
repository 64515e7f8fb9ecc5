"""``voteweb config --check``: try what the settings name as a start would, and change nothing."""

import json
import os
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import click

from voteweb.cli.run import bind
from voteweb.cli.site import open_checked_store, reachable_host
from voteweb.core.branding import load_brand
from voteweb.core.errors import ConfigError, VotewebError
from voteweb.core.operator_pages import operator_page_faults
from voteweb.core.settings import Settings
from voteweb.embedded.engines import choose_engine

#: Seconds in which a site that runs answers.
_ANSWER_SECONDS = 5.0


def check(settings: Settings) -> None:
    """Try each of the checks, and print what came of it; raise ClickException if one fails."""
    failed = []
    for name, attempt in _CHECKS.items():
        try:
            result = attempt(settings)
        except (VotewebError, OSError) as error:
            result = str(error)
            failed.append(name)
        click.echo(f"{name}: {result}")
    if failed:
        raise click.ClickException(f"The site cannot start with these settings: {', '.join(failed)}")


def _check_folders(settings: Settings) -> str:
    folder = Path(settings.data_dir).resolve()
    above = next(path for path in (folder, *folder.parents) if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise ConfigError("VOTEWEB_DATA_DIR: %(path)s is no folder that this user can write to.", path=above)
    if faults := [*operator_page_faults(settings.pages_dir), *load_brand(settings.brand_dir).faults]:
        raise ConfigError("%(faults)s", faults=" ".join(faults))
    return "ok"


def _check_address(settings: Settings) -> str:
    try:
        bind(settings.host, settings.port).close()
    except ConfigError:
        site = HTTPConnection(reachable_host(settings.host), settings.port, timeout=_ANSWER_SECONDS)
        with closing(site), suppress(OSError, HTTPException, ValueError, TypeError):
            site.request("GET", "/healthz")
            if "status" in json.load(site.getresponse()):
                return "ok, the site runs"
        raise
    return "ok"


def _check_mail(settings: Settings) -> str:
    if not settings.mail_url:
        return "none"
    from voteweb.web.mail.sending import session_of  # other commands start without Flask

    session_of(settings).connect().quit()
    return "ok"


def _check_database(settings: Settings) -> str:
    folder = Path(settings.data_dir).resolve()
    if not settings.redis_url and not (folder / "engine.json").exists():
        return f"{choose_engine(folder)} makes it at the first start"
    # "voteweb run" converts the embedded one.
    with open_checked_store(settings, any_schema=not settings.redis_url) as store:
        store.health.refuse_foreign()
    return "ok"


_CHECKS = {"folders": _check_folders, "address": _check_address, "mail": _check_mail, "database": _check_database}
