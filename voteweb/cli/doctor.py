"""``voteweb doctor`` and ``voteweb rescore``: check the data and the index of search, and repair them."""

import click

from voteweb.cli.jobs import catch_up, index_size, new_folder
from voteweb.cli.output import track
from voteweb.cli.site import Site, lines_not_in_force, pluralize, with_site
from voteweb.search.engine import has_full_text_search
from voteweb.search.health import examine, start_warnings
from voteweb.search.models import SearchError
from voteweb.store.doctor import Doctor


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired automatically.")
@with_site()
def doctor(site: Site, repair: bool) -> None:
    """Check that all data in the database are consistent.

    The site may be in use. Prints each fault with the key that has it. With --repair, each fault is repaired from the
    articles and their voters, and printed when that is done; where nothing is broken, nothing is written.

    If the data are consistent, this machine's index of search is compared with them. It is made from them, so that what
    is wrong with it is a warning; with --repair it is made again.
    """
    search_warnings = start_warnings(is_on=bool(site.settings.search))
    for warning in (*site.settings.warnings(), *site.store.health.warnings(), *search_warnings):
        click.echo(f"Warning: {warning}")
    left = repaired = 0
    checks = Doctor(site.store.context)
    for finding, is_repaired in checks.repair() if repair else ((finding, False) for finding in checks.examine()):
        repaired += is_repaired
        left += not is_repaired
        line = f"{finding.key}  {finding.what}"
        if repair:
            reason = finding.why_not or "it breaks again and again"
            repaired_to = f": repaired, now {finding.now}" if finding.now else ": repaired"
            line += repaired_to if is_repaired else f": NOT repaired, {reason}"
        click.echo(line)
    if repaired:
        click.echo(f"Repaired {pluralize(repaired, 'broken invariant')}.")
    if left:
        message = pluralize(left, "broken invariant") + (" left" if repair else "")
        if checks.is_partial:
            message += ". Other checks, which need a key of another type, were left out."
        raise click.ClickException(message)
    counts = site.store.health.counts()._asdict().items()
    summary = ", ".join(pluralize(count, noun.removesuffix("s")) for noun, count in counts)
    click.echo(f"The data are consistent: {summary}")
    # A machine that does not serve the site has no such folder.
    if site.settings.search and has_full_text_search() and site.settings.search_folder.is_dir():
        _check_search(site, repair)


def _check_search(site: Site, repair: bool) -> None:
    try:
        faults, state = examine(new_folder(site), site.store.search)
        for fault in faults:
            click.echo(f"Warning: search: {fault.what}")
        if repair and faults:
            click.echo(catch_up(site, rebuild=any(fault.needs_rebuild for fault in faults)))
        elif faults:
            click.echo("The index is made again with --repair; the data of the site are whole.")
        elif state:
            click.echo(f"Search finds them: {index_size(state)} are indexed")
    except SearchError as error:
        click.echo(f"Warning: search: {error}")


@click.command()
@click.option("--to-environment", is_flag=True, help="First put the values of the environment in force.")
@with_site()
def rescore(site: Site, to_environment: bool) -> None:
    """Recompute the score of every article.

    The settings that shape scores are in the data: a change in the environment or the settings file is in force only
    after "voteweb rescore --to-environment". The site goes on serving. If the command is interrupted, the next one, or
    the site's background job, goes on. Running it again changes nothing.
    """
    if to_environment:
        site.store.site.change_settings(site.environment)
    for line in () if to_environment else lines_not_in_force(site.environment, site.settings):
        click.echo(line)
    checked = changed = 0
    batches = track(site.store.site.rescore(), "Rescoring", site.store.health.counts().articles, lambda batch: batch[0])
    for batch_checked, batch_changed in batches:
        checked += batch_checked
        changed += batch_changed
    click.echo(f"Checked {pluralize(checked, 'article')}, changed {changed:,}.")
