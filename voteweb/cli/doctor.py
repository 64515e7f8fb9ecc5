"""``voteweb doctor`` and ``voteweb rescore``: look for what is wrong with the data, and put it right."""

import sys

import click

from voteweb.cli.site import Site, pluralize, with_site


@click.command()
@click.option("--repair", is_flag=True, help="Mend what is broken, as far as a machine can.")
@with_site()
def doctor(site: Site, repair: bool) -> None:
    """Check that everything in the database agrees with everything else.

    May be run while the site is used. Prints each fault with the key where it lies. With --repair, every fault is
    mended from the articles and their voters and told when it is; where nothing is broken, nothing is written.
    """
    for each in (*site.settings.warnings(), *site.store.health.warnings(), *site.store.health.hints()):
        click.echo(f"Warning: {each}")
    left = mended = 0
    found = site.store.doctor.repair() if repair else ((each, False) for each in site.store.doctor.examine())
    for (key, what, _, why_not), is_mended in found:
        mended += is_mended
        left += not is_mended
        told = f"{key}  {what}"
        if repair:
            told += ": mended" if is_mended else f": NOT mended, {why_not or 'it breaks again and again'}"
        click.echo(told)
    if mended:
        click.echo(f"Mended {pluralize(mended, 'broken invariant')}.")
    if left:
        raise click.ClickException(pluralize(left, "broken invariant") + (" left" if repair else ""))
    counts = site.store.server_info.counts()._asdict().items()
    click.echo(f"All is well: {', '.join(pluralize(count, noun.removesuffix('s')) for noun, count in counts)}")


@click.command()
@with_site()
def rescore(site: Site) -> None:
    """Give every article the score that its votes are worth now.

    To be run after VOTEWEB_VOTE_SCORE or VOTEWEB_GOOD_VOTES has changed and the site was restarted with the new
    value; the site may serve meanwhile. Run again, it changes nothing.
    """
    total = site.store.rescoring.total()
    seen = moved = 0
    with click.progressbar(length=total, label="Rescoring", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        for count, new in site.store.rescoring.run():
            seen, moved = seen + count, moved + new
            bar.update(count)
    click.echo(f"{pluralize(seen, 'article')} looked at, {moved:,} moved.")
