"""Marks of the viewer on articles (voted, saved, how many comments are new), and their follows and hides."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from flask import g

from voteweb.core import permissions
from voteweb.core.models import Article, Page, User, Voter
from voteweb.core.my_site import NOTHING_CHOSEN, MySite
from voteweb.store import Store
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.auth.login import named_voter, viewer, viewer_read
from voteweb.web.base.context import store


class Mark(NamedTuple):
    """The viewer's mark on one article: voted for, the number of comments not seen, saved."""

    voted: bool = False
    new: int = 0
    saved: bool = False

    def on(self, article: Article) -> Article:
        return replace(article, voted=self.voted, new=self.new, saved=self.saved)


NO_MARK = Mark()


class QueuedMarks(NamedTuple):
    """A read of the marks of a member on the articles ``ids``: ``read`` has those of articles with any.

    Without ``has_saves`` it lacks what the member saved: this process did not know whether they save anything.
    """

    ids: Sequence[int]
    read: Future[dict[int, Mark]]
    has_saves: bool


class ViewerMarks(NamedTuple):
    """The marks of a viewer, by the ids of those articles that have any; for a moderator the names of all groups."""

    by_id: dict[int, Mark]
    group_names: tuple[str, ...] = ()

    def on(self, articles: Iterable[Article]) -> tuple[Article, ...]:
        marks = self.by_id
        return tuple(marks[row.id].on(row) if row.id in marks else row for row in articles)


def queue_marks(pipeline: Pipeline, ids: Sequence[int], voter: Voter | None, *, in_list: bool = True) -> QueuedMarks:
    """Queue a read of the member *voter*'s acts on the articles *ids*, before they are known to be logged in.

    The pipeline must read the viewer before. *in_list*: comments that are new are counted, and votes that this process
    remembers are not asked for again.
    """
    if voter is None:
        return QueuedMarks((), pipeline.then(lambda: {}), has_saves=False)
    site = store()
    known = site.my_sites.known(voter.id)
    has_saves = known is not None and bool(known[0])
    return QueuedMarks(ids, _queue(site, pipeline, ids, voter, has_saves=has_saves, in_list=in_list), has_saves)


def _queue(
    site: Store, pipeline: Pipeline, ids: Sequence[int], member: Voter | User, *, has_saves: bool, in_list: bool
) -> Future[dict[int, Mark]]:
    votes: Future[frozenset[int]] | Future[dict[int, int]]
    if in_list:
        votes = site.votes.queue_remembered(pipeline, ids, member.id, lambda: viewer_read().voted_at)
    else:
        votes = site.votes.queue_own(pipeline, ids, member.id)
    new_counts = site.threads.queue_new_counts(pipeline, ids, member.name) if in_list else None
    saves = site.my_sites.queue_own_saves(pipeline, ids, member.name) if has_saves else None

    def parse() -> dict[int, Mark]:
        voted = frozenset(ids).intersection(votes.result)
        new, saved = new_counts.result if new_counts else {}, saves.result if saves else frozenset[int]()
        return {id: Mark(id in voted, new.get(id, 0), id in saved) for id in voted.union(new, saved)}

    return pipeline.then(parse)


def read_marks(
    articles: Sequence[Article],
    viewer: User | None,
    queued: QueuedMarks | None = None,
    pipeline: Pipeline | None = None,
    *,
    in_list: bool = True,
) -> ViewerMarks:
    """Return what *viewer* did with *articles*; what they hide is known afterwards (:func:`choice`).

    *queued* has been read, of the same viewer. Takes one round trip for the missing ones and for those queued on
    *pipeline*, none for a reader.
    """
    if viewer is None:
        return ViewerMarks({})
    site = store()
    pipeline = pipeline or site.pipeline()
    known = queued if queued and (queued.has_saves or not viewer.my) else None
    known_ids = frozenset(known.ids if known else ())
    missing = [article.id for article in articles if article.id not in known_ids]
    more = _queue(site, pipeline, missing, viewer, has_saves=bool(viewer.my), in_list=in_list) if missing else None
    names = site.groups.queue_names(pipeline) if permissions.may_moderate(viewer) else None
    queue_choice(pipeline, viewer)
    pipeline.execute()
    marks = (known.read.result if known else {}) | (more.result if more else {})
    return ViewerMarks(marks, names.result if names else ())


def queue_choice(pipeline: Pipeline, member: User | None) -> None:
    """Queue a read of the choice of *member*, who has been read, unless this process knows it."""
    if member is not None and store().my_sites.of(member) is None:
        _queue_choice(pipeline, member.name)


def queue_unknown_choice(pipeline: Pipeline) -> None:
    """Queue a read of the choice of the viewer, whom the pipeline has read before, if this process never read any."""
    voter = named_voter()
    if voter and store().my_sites.known(voter.id) is None:
        _queue_choice(pipeline, voter.name)


def _queue_choice(pipeline: Pipeline, name: str) -> None:
    read = store().my_sites.queue_choice(pipeline, name)

    def keep() -> None:
        if member := viewer():
            store().my_sites.remember(member, read.result)
            g.choice = read.result

    pipeline.then(keep)


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

    The total counts all.
    """
    site = choice()
    return replace(page, rows=tuple(page.rows[at] for at in site.visible(page.rows, shown))) if site.hides else page
