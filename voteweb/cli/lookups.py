"""``voteweb config``, ``log`` and ``stats``: print the settings, the moderation log, and the numbers of each day."""

import os
from functools import partial

import click

from voteweb.cli.checks import check
from voteweb.cli.environment import FILE_NAME
from voteweb.cli.output import (
    Fields,
    json_option,
    list_options,
    pick,
    print_columns,
    print_fields,
    print_rows,
    read_pages,
)
from voteweb.cli.site import Site, lines_not_in_force, load_settings, open_checked_store, require_database, with_site
from voteweb.core import clock
from voteweb.core.config import LOG_PAGE_SIZE, STATISTICS_SECONDS
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.models import LogAction, LogEntry
from voteweb.core.operator_pages import folder_faults
from voteweb.core.settings import Settings, unknown_name_warnings
from voteweb.core.settings_in_force import NAMED, in_force, settings_in_force
from voteweb.core.statistics import median_wait
from voteweb.store.site.rate_limits import queue_days


@click.command()
@click.option("--check", "is_check", is_flag=True, help="Try folders, address, mail and database instead.")
@json_option
def config(is_check: bool, as_json: bool) -> None:
    """Show every setting: its value, its unit, where it comes from and what it is for.

    Passwords and keys are masked. Where the data have another value than the environment, that one is in force, and a
    line says so; of a database that does not answer, this command does not know. With --check, before a restart: the
    exit status is 1 if the site could not start.
    """
    environment = set(os.environ)
    settings = load_settings(None)
    if is_check:
        check(settings)
        return
    folders = {"VOTEWEB_PAGES_DIR": settings.pages_dir, "VOTEWEB_BRAND_DIR": settings.brand_dir}
    if faults := [fault for name, folder in folders.items() for fault in folder_faults(name, folder)]:
        raise ConfigError("%(faults)s", faults=" ".join(faults))
    from_file = set(os.environ) - environment
    in_data = _read_in_force(settings)
    rows = list(settings_in_force(in_data or settings, from_file, FILE_NAME, in_data=NAMED if in_data else ()))
    if as_json:
        print_rows([row._asdict() for row in rows], as_json)
    else:
        print_columns([("SETTING", "VALUE", "UNIT", "FROM", "DESCRIPTION"), *rows])
    for line in lines_not_in_force(settings, in_data or settings):
        click.echo(line, err=as_json)
    for warning in unknown_name_warnings():
        click.echo(warning, err=as_json)


def _read_in_force(settings: Settings) -> Settings | None:
    """Return *settings* with what the data have, None if there are none or their database does not answer."""
    try:
        require_database(settings)
        with open_checked_store(settings, any_schema=True) as store:
            return None if store.context.site_id is None else in_force(settings, store.context.settings)
    except (ConfigError, Unavailable):
        return None


@click.command()
@click.option("--who", default="", metavar="NAME", help='Only acts of this moderator, or of "command line".')
@click.option("--kind", type=click.Choice([kind.value for kind in LogAction]), help="Only acts of a kind.")
@click.option("--about", default="", metavar="NAME", help="Only acts about this member.")
@list_options
@with_site()
def log(site: Site, who: str, kind: str | None, about: str, limit: int, skip: int, as_json: bool) -> None:
    """List what moderators and the command line did, the newest act first."""
    if about and (who or kind):
        raise click.UsageError("--about cannot be combined with --who and --kind.")
    queue = partial(site.store.log.queue_page, who=who, kind=kind or "", about=about)
    entries = read_pages(lambda number: site.store.read(queue, number), LOG_PAGE_SIZE, skip, limit)
    print_rows([pick(entry, *_FIELDS) if as_json else _columns(entry) for entry in entries], as_json)


#: The fields of an act that --json prints.
_FIELDS = ("id", "time", "who", "kind", "about", "article", "comment", "title", "why", "added", "removed", "articles",
    "comments", "votes", "closed", "until", "undone", "since", "acts", "kept")  # fmt: skip


def _columns(entry: LogEntry) -> Fields:
    article = f"{entry.article}.{entry.comment}" if entry.comment else str(entry.article or "")
    groups = [*(f"+{name}" for name in entry.added), *(f"-{name}" for name in entry.removed)]
    about = entry.about or entry.title
    return pick(entry, "id", "time", "who", "kind") | {"about": about, "article": article, "why": entry.why or groups}


@click.command()
@click.option("--days", type=click.IntRange(1, STATISTICS_SECONDS // 86_400), default=30, show_default=True)
@json_option
@with_site()
def stats(site: Site, days: int, as_json: bool) -> None:
    """Show what happened on each of the last days, in UTC, and then the totals.

    With --json: an object for each day, oldest first, and one with the totals.
    """
    counted = site.store.read(queue_days, site.store.keys, clock.now(), days)
    names = ("day", "posts", "votes", "comments", "sign_ups", "reports", "settled")
    print_rows([pick(day, *names) for day in counted], as_json)
    wait = median_wait(counted)
    if not as_json:
        click.echo()
    totals = site.store.health.counts()._asdict()
    print_fields({**totals, "median_wait_of_reports_in_seconds": None if wait is None else round(wait)}, as_json)
