"""Marks of the viewer on the articles of a list: voted, saved, and how many comments are new to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from voteweb.core import permissions
from voteweb.core.models import Article, User, Voter
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import Viewer
from voteweb.web import my_site
from voteweb.web.auth.login import session_member_name, session_user_id, viewer_voted_at
from voteweb.web.context import settings, store


class Mark(NamedTuple):
    """The viewer's mark on one article: voted for, the number of comments not seen, saved."""

    voted: bool = False
    new: int = 0
    saved: bool = False

    def on(self, article: Article) -> Article:
        """Return *article* with this mark."""
        return replace(article, voted=self.voted, new=self.new, saved=self.saved)


NO_MARK = Mark()


class OwnMarks(NamedTuple):
    """Which of some articles the viewer has voted for and saved, and the number of comments not seen, by id."""

    votes: Future[dict[int, bool]]
    new_counts: Future[dict[int, int]]
    saves: Future[dict[int, bool]]


def queue_own_marks(pipeline: Pipeline, ids: Sequence[int], voter: Voter | None) -> OwnMarks:
    """Queue a read of what the member *voter* did with the articles *ids*, before they are known to be logged in.

    The pipeline must read the viewer before. Votes that this process remembers are not asked for again.
    """
    if voter is None:
        ids, voter = (), Voter(0, "", "")
    votes = store().votes.queue_remembered(pipeline, ids, voter.id, viewer_voted_at)

    def parse_votes(_replies: object) -> dict[int, bool]:
        voted = votes.result
        return {id: id in voted for id in ids}

    return OwnMarks(
        pipeline.queue([], parse_votes),
        store().threads.queue_new_counts(pipeline, ids if settings().comments else (), voter.name),
        my_site.queue_saves(pipeline, ids, voter),
    )


def queue_marks(
    pipeline: Pipeline, ids: Sequence[int], voter: Voter, viewer: Future[Viewer]
) -> Future[dict[int, Mark]]:
    """Queue a read of the marks of the articles *ids* that have any, of the *viewer* whom *pipeline* reads before.

    Votes that this process remembers are not asked for again.
    """
    votes = store().votes.queue_remembered(pipeline, ids, voter.id, lambda: viewer.result.voted_at)
    new_counts = store().threads.queue_new_counts(pipeline, ids if settings().comments else (), voter.name)
    saves = my_site.queue_saves(pipeline, ids, voter)

    def parse(_replies: object) -> dict[int, Mark]:
        voted, new = votes.result.intersection(ids), new_counts.result
        saved = {id for id, is_saved in saves.result.items() if is_saved}
        return {id: Mark(id in voted, new.get(id, 0), id in saved) for id in voted.union(new, saved)}

    return pipeline.queue([], parse)


def queue_own_votes(pipeline: Pipeline, ids: Sequence[int]) -> Future[dict[int, bool]]:
    """Queue a read of which articles *ids* the viewer has voted for, before the viewer is known to be logged in."""
    user_id = session_user_id()
    return store().votes.queue_own(pipeline, ids if user_id else (), user_id)


def queue_new_counts(pipeline: Pipeline, ids: Sequence[int]) -> Future[dict[int, int]]:
    """Queue a count of the comments on articles *ids* that the viewer, who may be logged in, has not seen."""
    name = session_member_name() if ids and settings().comments else ""
    return store().threads.queue_new_counts(pipeline, ids if name else (), name)


class ViewerMarks(NamedTuple):
    """The votes and saves of a viewer, and what is new to them, by article; for a moderator the names of all groups."""

    votes: dict[int, bool]
    new_counts: dict[int, int]
    saves: dict[int, bool]
    group_names: tuple[str, ...]

    def on(self, articles: tuple[Article, ...]) -> tuple[Article, ...]:
        """Return *articles* with what the viewer did."""
        return mark_saved(mark_new(mark_voted(articles, self.votes), self.new_counts), self.saves)

    def by_id(self, articles: Iterable[Article]) -> dict[int, Mark]:
        """Return the marks of those of *articles* that have any."""
        votes, new, saves = self.votes.get, self.new_counts.get, self.saves.get
        marks = ((row.id, Mark(votes(row.id, False), new(row.id, 0), saves(row.id, False))) for row in articles)
        return {id: mark for id, mark in marks if mark != NO_MARK}


#: Those of a reader.
NO_MARKS = ViewerMarks({}, {}, {}, ())


def read_viewer_marks(
    articles: tuple[Article, ...],
    viewer: User | None,
    own_votes: Mapping[int, bool] | None = None,
    pipeline: Pipeline | None = None,
    *,
    new_counts: Mapping[int, int] | None = None,
    own_saves: Mapping[int, bool] | None = None,
) -> ViewerMarks:
    """Return what *viewer* did with *articles*; what they hide is known afterwards (:func:`my_site.choice`).

    *own_votes*, *new_counts* and *own_saves* are those read already, all for the same articles. The articles of a list
    also have the number of comments that *viewer* has not seen; without *new_counts* that is not read. Takes one round
    trip for what is missing and what is queued on *pipeline*, none for a reader.
    """
    if viewer is None:
        return NO_MARKS
    known = own_votes or {}
    pipeline = pipeline or store().pipeline()
    missing = [article.id for article in articles if article.id not in known]
    more = store().votes.queue_own(pipeline, missing, viewer.id)
    more_new = queue_new_counts(pipeline, missing if new_counts is not None else ())
    names = store().groups.queue_names(pipeline) if permissions.may_moderate(viewer) else None
    my_site.queue_choice(pipeline, viewer)
    unknown = [article.id for article in articles if article.id not in (own_saves or {})] if viewer.my else []
    more_saves = store().my_sites.queue_own_saves(pipeline, unknown, viewer.name)
    pipeline.execute()
    return ViewerMarks(
        {**known, **more.result},
        {**(new_counts or {}), **more_new.result},
        {**(own_saves or {}), **more_saves.result},
        names.result if names else (),
    )


def mark_voted(articles: Iterable[Article], own_votes: Mapping[int, bool]) -> tuple[Article, ...]:
    """Return *articles*, with ``voted`` set on those that *own_votes* says the viewer has voted for."""
    return tuple(replace(article, voted=True) if own_votes.get(article.id) else article for article in articles)


def mark_saved(articles: tuple[Article, ...], saves: Mapping[int, bool]) -> tuple[Article, ...]:
    """Return *articles*, with ``saved`` set on those that the viewer has saved."""
    if not any(saves.values()):
        return articles
    return tuple(replace(row, saved=True) if saves.get(row.id) else row for row in articles)


def mark_new(articles: tuple[Article, ...], new_counts: Mapping[int, int]) -> tuple[Article, ...]:
    """Return *articles*, with ``new`` set on those with comments that the viewer has not seen."""
    if not new_counts:
        return articles
    return tuple(replace(row, new=new_counts[row.id]) if new_counts.get(row.id) else row for row in articles)
