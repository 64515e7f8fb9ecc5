"""``voteweb doctor`` and ``voteweb rescore``: check the data, and repair them."""

import click

from voteweb.cli.progress import track
from voteweb.cli.site import Site, pluralize, with_site


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired automatically.")
@with_site()
def doctor(site: Site, repair: bool) -> None:
    """Check that all data in the database are consistent.

    The site may be in use. Prints each fault with the key that has it. With --repair, each fault is repaired from the
    articles and their voters, and printed when that is done; where nothing is broken, nothing is written.
    """
    for warning in (*site.settings.warnings(), *site.store.health.warnings(), *site.store.health.hints()):
        click.echo(f"Warning: {warning}")
    left = repaired = 0
    checks = site.store.doctor
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
        raise click.ClickException(pluralize(left, "broken invariant") + (" left" if repair else ""))
    counts = site.store.server_info.counts()._asdict().items()
    summary = ", ".join(pluralize(count, noun.removesuffix("s")) for noun, count in counts)
    click.echo(f"The data are consistent: {summary}")


@click.command()
@with_site()
def rescore(site: Site) -> None:
    """Recompute the score of every article.

    Run it after VOTEWEB_VOTE_SCORE or VOTEWEB_GOOD_VOTES has changed and the site was restarted with the new value;
    the site may be in use. Running it again changes nothing. Comments have no stored score: after a restart they stand
    by the new VOTEWEB_COMMENT_VOTE_SCORE.
    """
    checked = changed = 0
    batches = track(site.store.rescoring.run(), "Rescoring", site.store.rescoring.total(), lambda batch: batch[0])
    for batch_checked, batch_changed in batches:
        checked += batch_checked
        changed += batch_changed
    click.echo(f"Checked {pluralize(checked, 'article')}, changed {changed:,}.")
