"""``voteweb doctor``: looks for anything that is wrong with the data or the database."""

import click

from voteweb.cli.opening import Site, on_site


@click.command()
@on_site()
def doctor(site: Site) -> None:
    """Check that everything in the database agrees with everything else.

    Only reads, and may be run while the site is used. Prints each fault with the key where it lies.
    """
    for each in (*site.settings.warnings(), *site.store.checks.warnings(), *site.store.checks.hints()):
        click.echo(f"Warning: {each}")
    broken = 0
    for broken, (key, what) in enumerate(site.store.doctor.examine(), 1):  # noqa: B007 - the last one is the count
        click.echo(f"{key}  {what}")
    if broken:
        raise click.ClickException(_several(broken, "broken invariant"))
    counts = site.store.server.counts()._asdict().items()
    click.echo(f"All is well: {', '.join(_several(count, noun.removesuffix('s')) for noun, count in counts)}")


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
