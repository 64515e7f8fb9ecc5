"""``voteweb stats``: what happened on each of the last days, and how much there is."""

import click

from voteweb.cli.output import json_option, print_fields, print_rows
from voteweb.cli.site import Site, with_site
from voteweb.core import clock
from voteweb.core.config import STATISTICS_SECONDS
from voteweb.core.statistics import median_wait
from voteweb.store.site.rate_limits import queue_days


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
    print_rows([{name: getattr(day, name) for name in names} for day in counted], as_json)
    wait = median_wait(counted)
    if not as_json:
        click.echo()
    totals = site.store.health.counts()._asdict()
    print_fields({**totals, "median_wait_of_reports_in_seconds": None if wait is None else round(wait)}, as_json)
