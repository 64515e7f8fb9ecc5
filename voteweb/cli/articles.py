"""``voteweb article``: remove an article, or purge it."""

from dataclasses import replace

import click
from flask.cli import AppGroup

from voteweb.cli.output import confirm, yes_option
from voteweb.cli.progress import track
from voteweb.cli.site import Site, with_site
from voteweb.core import validation
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import ArticleGone, NoSuchArticle
from voteweb.core.models import Article, ArticleStatus, LogAction
from voteweb.store.schema.log_entries import NewLogEntry

_ID = click.IntRange(1, 2**53)


@click.group(cls=AppGroup)
def article() -> None:
    """Remove and purge articles, by the number in their address.

    Removals and purges are shown in the site's public log.
    """


@article.command(with_appcontext=False)
@click.argument("id", type=_ID)
@click.option("--reason", required=True, help="The reason; everybody can read it.")
@with_site()
def remove(site: Site, id: int, reason: str) -> None:
    """Take the article with the number ID off every list; moderators can restore it."""
    found = get(site, id)
    if found.status in (ArticleStatus.REMOVED, ArticleStatus.DELETED):
        raise ArticleGone()
    site.store.removals.remove(id, log_entry(LogAction.REMOVE, found, validation.reason(reason)))
    click.echo(f"Removed {id}, “{found.title}”.")


@article.command(with_appcontext=False)
@click.argument("id", type=_ID)
@click.option("--reason", required=True, help="The reason; everybody can read it.")
@click.option("--with-comments", is_flag=True, help="Delete all comments on it, too.")
@yes_option
@with_site()
def purge(site: Site, id: int, reason: str, with_comments: bool, yes: bool) -> None:
    """Take every word of the article with the number ID out of the site for good.

    That is its title, link and text, earlier versions, and its title in the log; each machine builds its index of
    search anew. Reasons in the log stay. Backups made before keep the words.

    It can be interrupted and run again: the article goes last, and only then it is in the log as purged. What was
    removed or deleted before is purged, too.
    """
    found, reason = get(site, id), validation.reason(reason)
    comments = " and its comments" if with_comments else ""
    confirm(f"Delete {id}, “{found.title}” by {found.poster},{comments} for good? This cannot be undone.", yes)
    entry = replace(log_entry(LogAction.PURGE, found, reason), title="")
    for _ in track(site.store.removals.purge(id, entry, with_comments=with_comments), "Purging", found.comments + 1):
        pass
    click.echo(f"Purged {id}. Backups made before still have its words.")
    if not (site.is_embedded and site.store.health.rewrite_file()):
        click.echo("So has the append-only file of the database until it is rewritten: redis-cli BGREWRITEAOF.")


def get(site: Site, id: int) -> Article:
    """Return an article, listed or not; raise NoSuchArticle."""
    found = site.store.read(site.store.articles.queue_get, id)
    if found is None:
        raise NoSuchArticle()
    return found


def log_entry(kind: LogAction, article: Article, reason: str) -> NewLogEntry:
    """Return an entry for the moderation log of an act of the command line."""
    return NewLogEntry(kind, COMMAND_LINE, about=article.poster, article=article.id, title=article.title, why=reason)
