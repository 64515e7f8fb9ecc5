"""The viewer's own choice of what to read, and lists without what the viewer hides."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from flask import g

from voteweb.core.models import Article, Page, User
from voteweb.core.my_site import NOTHING_CHOSEN, MySite
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.auth.login import named_voter, viewer
from voteweb.web.context import store


def queue_choice(pipeline: Pipeline, member: User | None) -> None:
    """Queue a read of the choice of *member*, who has been read, unless this process knows it."""
    sites = store().my_sites
    if member is None or sites.of(member) is not None:
        return
    read = sites.queue_choice(pipeline, member.name)

    def keep(_replies: list[object]) -> None:
        sites.remember(member, read.result)
        g.choice = read.result

    pipeline.queue([], keep)


def unknown_choice_queries() -> dict[str, Callable[[Pipeline], Future[Any]]]:
    """Return the query of a list page for the choice of a viewer of whom this process knows none yet, named "choice".

    The front page asks for it at once, since it may have to show something else then.
    """
    voter = named_voter()
    if voter is None or store().my_sites.known(voter.id) is not None:
        return {}
    return {"choice": lambda pipeline: store().my_sites.queue_choice(pipeline, voter.name)}


def choice() -> MySite:
    """Return the choice of the viewer, once the viewer has been loaded; a reader has none."""
    member = viewer()
    if member is None:
        return NOTHING_CHOSEN
    known = g.get("choice") or store().my_sites.of(member)
    if known is None:
        pipeline = store().pipeline()
        queue_choice(pipeline, member)
        pipeline.execute()
        known = g.choice
    return known


def not_hidden(articles: Sequence[Article]) -> tuple[Article, ...]:
    """Return *articles* without those that the viewer hides."""
    site = choice()
    return tuple(articles[at] for at in site.visible(articles)) if site.hides else tuple(articles)


def without_hidden(page: Page[Article], shown: str = "") -> Page[Article]:
    """Return *page* without the rows that the viewer hides, but for those hidden by the entry *shown* alone.

    The rows keep their ranks, and the total counts all.
    """
    site = choice()
    if not site.hides:
        return page
    places = site.visible(page.rows, shown)
    if len(places) == len(page.rows):
        return page
    rows = tuple(page.rows[at] for at in places)
    return replace(page, rows=rows, ranks=tuple(page.first_rank + at for at in places))
