"""``voteweb doctor``, ``rescore`` and ``migrate``: check, repair and convert the data and the index of search."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from operator import itemgetter
from pathlib import Path

import click

from voteweb.cli.backup import file_at, write_backup
from voteweb.cli.output import progress_bar, track
from voteweb.cli.site import Site, lines_not_in_force, log_entry, pluralize, with_site
from voteweb.core.config import SCHEMA
from voteweb.core.errors import ServerChanged, StillRescoring
from voteweb.core.jobs import RESCORING
from voteweb.core.models import LogAction
from voteweb.embedded.server import CONVERT_LOCK, hold_lock
from voteweb.search.engine import has_full_text_search
from voteweb.search.files import IndexFolder
from voteweb.search.health import examine, start_warnings
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.search.models import AlreadyIndexing, SearchError
from voteweb.search.models import State as IndexState
from voteweb.store import Store
from voteweb.store.doctor import Doctor
from voteweb.store.migrations import Migrations, State


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired automatically.")
@click.option("--strict", is_flag=True, help="Take notes for faults.")
@with_site()
def doctor(site: Site, repair: bool, strict: bool) -> None:
    """Check that all data in the database are consistent.

    The site may be in use. Prints each fault with the key that has it. With --repair, each fault is repaired from the
    articles and their voters, and printed when that is done; where nothing is broken, nothing is written. What other
    programs made under our names is a note: no repair changes it, and it is no fault unless --strict says so.

    If the data are consistent, this machine's index of search is compared with them. It is made from them, so that what
    is wrong with it is a warning; with --repair it is made again.
    """
    search_warnings = start_warnings(is_on=bool(site.settings.search))
    for warning in (*site.settings.warnings(), *site.store.health.warnings(), *search_warnings):
        click.echo(f"Warning: {warning}")
    left = repaired = 0
    checks = Doctor(site.store.context)
    for finding, is_repaired in checks.repair() if repair else ((finding, False) for finding in checks.examine()):
        if finding.is_note and not strict:
            click.echo(f"Note: {finding.key}  {finding.what}: {finding.why_not}")
            continue
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
    if rescored := site.store.read(site.store.site_settings.queue_rescored):
        click.echo(f"The scores are computed anew and not checked: {rescored.seen:,} of {rescored.total:,} so far.")
    counts = site.store.health.counts()._asdict().items()
    summary = ", ".join(pluralize(count, noun.removesuffix("s")) for noun, count in counts)
    click.echo(f"The data are consistent: {summary}")
    # A machine that does not serve the site has no such folder.
    if site.settings.search and has_full_text_search() and site.settings.search_folder.is_dir():
        _check_search(site, repair)


def _check_search(site: Site, repair: bool) -> None:
    """Compare the index of this machine with the data, and print what is wrong with it, or bring it up to date."""
    folder, rebuild = IndexFolder(site.settings.search_folder), False
    try:
        faults, state = examine(folder, site.store.search)
        for fault in faults:
            click.echo(f"Search: {fault.what}" if fault.ends_by_itself else f"Warning: search: {fault.what}")
        if repair and faults:
            rebuild = any(fault.needs_rebuild for fault in faults)
            indexer = Indexer(folder, site.store.search)
            with progress_bar("Indexing", 100) as bar:
                indexer.catch_up(rebuild=rebuild, on_step=lambda share: bar.update(int(100 * share) - bar.pos))
                bar.update(100 - bar.pos)
            click.echo(f"The index has {_index_size(SearchIndex(folder.path).state())}.")
        elif state and not faults:
            click.echo(f"Search finds them: {_index_size(state)} are indexed")
        elif not all(fault.ends_by_itself for fault in faults):
            click.echo("The index is made again with --repair; the data of the site are whole.")
    except SearchError as error:
        if rebuild and isinstance(error, AlreadyIndexing):
            folder.request_rebuild()
            click.echo("The background process of the site builds the index anew now.")
        else:
            click.echo(f"Warning: search: {error}")


def _index_size(state: IndexState) -> str:
    return f"{pluralize(state.articles, 'article')} and {pluralize(state.comments, 'comment')}"


#: Seconds until the lease of a job is asked for again.
RETRY_SECONDS = 0.2


@click.command()
@click.option("--to-environment", is_flag=True, help="First put the values of the environment in force.")
@with_site()
def rescore(site: Site, to_environment: bool) -> None:
    """Recompute the score of every article.

    The settings that shape scores are in the data: a change in the environment or the settings file is in force only
    after "voteweb rescore --to-environment". The site goes on serving. If the command is interrupted, the next one, or
    the site's background job, goes on. Running it again changes nothing.
    """
    for line in () if to_environment else lines_not_in_force(site.environment, site.settings):
        click.echo(line)
    steps, counts = site.store.site_settings, Counter[str]()

    def rescore() -> Iterator[object]:
        if to_environment:
            steps.change_settings(lambda _: site.environment, log_entry(LogAction.WEIGHTS))
        for checked, changed in track(steps.rescore(), "Rescoring", site.store.health.counts().articles, itemgetter(0)):
            counts.update(checked=checked, changed=changed)
            yield None

    # The background job has ended another change, and holds the lease for a moment more.
    while not site.store.jobs.run(RESCORING, rescore, lambda: False):
        if steps.unfinished_change() is not None:
            raise StillRescoring
        time.sleep(RETRY_SECONDS)
    click.echo(f"Checked {pluralize(counts['checked'], 'article')}, changed {counts['changed']:,}.")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be converted.")
@click.option(
    "--backup",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the backup  [default: a new file in the data directory or, with VOTEWEB_REDIS_URL, in this folder]",
)
@with_site(any_schema=True)
def migrate(site: Site, dry_run: bool, backup: Path | None) -> None:
    """Convert the data that an older version of voteweb wrote.

    Stop the site first. A backup of every key is made before anything is changed. If the command is interrupted, run it
    again: it continues. The embedded database is converted by "voteweb run" too.
    """
    state = Migrations(site.store.context).state()
    if state.is_current:
        click.echo(f"The data have layout {SCHEMA}, the current one.")
    else:
        folder = None if site.environment.redis_url else Path(site.settings.data_dir)
        convert_site(site.store, state, backup or folder or Path(), embedded=folder, dry_run=dry_run)


def convert_site(store: Store, state: State, path: Path, *, embedded: Path | None, dry_run: bool = False) -> None:
    """Convert the data, with a backup of every key at *path*, which may be a folder; a dry run only counts them.

    *embedded* is the folder of an embedded database, whose other commands say so. There is no backup if an unfinished
    migration has made its own.
    """
    if not dry_run:
        click.echo(f"Converting the data from layout {state.number} to {SCHEMA}.")
    with hold_lock(embedded / CONVERT_LOCK) if embedded else nullcontext():
        state = Migrations(store.context).state()  # another process may have converted them just now
        if not state.is_current:
            _convert_site(store, state, path, dry_run=dry_run)


def _convert_site(store: Store, state: State, path: Path, *, dry_run: bool) -> None:
    run, migrations = store.health.engine().run, Migrations(store.context)
    # Data that cannot be converted are found here, before anything is changed.
    totals = {
        conversion: sum(_counts(conversion.run(store.context, dry_run=True), says=dry_run))
        for conversion in migrations.conversions(state.number)
    }
    if dry_run:
        for conversion, total in totals.items():
            click.echo(f"{conversion.title}: {pluralize(total, 'record')} to convert.")
        click.echo(f"The data have layout {state.number} and would get layout {SCHEMA}.")
        return
    if state.backup:
        click.echo(f"Continuing the migration whose backup is {state.backup}.")
    else:
        beginning = f"before-layout-{SCHEMA}-from-{state.number}"
        file = file_at(path, beginning, store.context.settings.site)
        write_backup(store, file, whole_layout=state.number)
        click.echo(f"Wrote a backup of every key to {file.resolve()}.")
        migrations.begin(str(file.resolve()))
    for conversion, total in totals.items():
        counts = _counts(conversion.run(store.context))
        converted = sum(track(counts, conversion.title, total, lambda count: count))
        click.echo(f"{conversion.title}: {pluralize(converted, 'record')}.")
    if store.health.engine().run != run:  # it may lack what was converted last
        raise ServerChanged()
    migrations.finish()
    click.echo(f"The data have layout {SCHEMA} now.")


def _counts(steps: Iterable[int | str], *, says: bool = True) -> Iterator[int]:
    """Yield the numbers of records among the *steps* of a conversion, and print its sentences."""
    for step in steps:
        if isinstance(step, int):
            yield step
        elif says:
            click.echo(step)
