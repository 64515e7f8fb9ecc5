"""``voteweb article``: look at an article, and remove it."""

import click
from flask.cli import AppGroup

from voteweb.cli.output import json_option, print_fields
from voteweb.cli.site import Site, with_site
from voteweb.core import validation
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import ArticleGone, NoSuchArticle
from voteweb.core.models import Article, LogAction
from voteweb.store.moderation_log import NewLogEntry

_ID = click.IntRange(1, 2**53)


@click.group(cls=AppGroup)
def article() -> None:
    """Show and remove articles, by the number in their address.

    Removals are shown in the site's public log.
    """


@article.command(with_appcontext=False)
@click.argument("id", type=_ID)
@json_option
@with_site()
def show(site: Site, id: int, as_json: bool) -> None:
    """Show the article with the number ID, listed or not."""
    found = get(site, id)
    fields = {
        "id": found.id,
        "title": found.title,
        "link": found.link,
        "text": found.text,
        "poster": found.poster,
        "time": found.time,
        "state": found.status.value or "listed",
        "reason": found.reason,
        "votes": found.votes,
        "comments": found.comments,
        "groups": found.groups,
        "edited": found.edited,
    }
    print_fields(fields, as_json)


@article.command(with_appcontext=False)
@click.argument("id", type=_ID)
@click.option("--reason", required=True, help="The reason; everybody can read it.")
@with_site()
def remove(site: Site, id: int, reason: str) -> None:
    """Take the article with the number ID off every list; moderators can restore it."""
    found = get(site, id)
    if not found.is_listed:
        raise ArticleGone()
    site.store.removals.remove(id, log_entry(LogAction.REMOVE, found, validation.reason(reason)))
    click.echo(f"Removed {id}, “{found.title}”.")


def get(site: Site, id: int) -> Article:
    """Return an article, listed or not; raise NoSuchArticle."""
    pipeline = site.store.pipeline()
    found = site.store.articles.queue_get(pipeline, id)
    pipeline.execute()
    if found.result is None:
        raise NoSuchArticle()
    return found.result


def log_entry(kind: LogAction, article: Article, reason: str) -> NewLogEntry:
    """Return an entry for the moderation log of an act of the command line."""
    return NewLogEntry(kind, COMMAND_LINE, about=article.poster, article=article.id, title=article.title, why=reason)
