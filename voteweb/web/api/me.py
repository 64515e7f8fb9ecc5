"""The member of the token, their inbox, and the articles that they saved: only they see that."""

from dataclasses import replace
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from voteweb.core import errors, models
from voteweb.core.comments import Notice, NoticeKind
from voteweb.core.models import Article, Right, User
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import InboxPage
from voteweb.web.api import paging
from voteweb.web.api.lists import ArticlePage
from voteweb.web.api.operations import Page, operation
from voteweb.web.api.shapes import Comment, Time, Url, article_rows, listed_comment, member_url
from voteweb.web.auth.login import session_member_name, session_user_id, viewer_read
from voteweb.web.base.context import store
from voteweb.web.base.responses import rfc3339
from voteweb.web.caching import own_marks
from voteweb.web.caching.own_marks import read_marks
from voteweb.web.i18n.formatting import ACCOUNT_CHANGES
from voteweb.web.pages.feeds import act_title


class Program(Struct):
    """The program that was given the token, which ends at ``until``."""

    name: str
    rights: tuple[Right, ...]
    until: Time


class Me(Struct, omit_defaults=True):
    """The member of the token: the ``role`` in force, what they follow, and how much is unread in their inbox."""

    name: str
    url: Url
    role: models.Role
    since: Time
    unread: int
    follows: tuple[str, ...]
    program: Program | UnsetType = UNSET


class InboxEntry(Struct, omit_defaults=True):
    """An entry of an inbox: a ``comment``, or what ``text`` says of an ``article``, or of its comment ``number``.

    Its ``id`` is what marks it and all before it as read.
    """

    id: str
    kind: NoticeKind
    time: Time
    unread: bool
    comment: Comment | UnsetType = UNSET
    text: str = ""
    article: int | UnsetType = UNSET
    number: int | UnsetType = UNSET


class Inbox(Page, kw_only=True):
    """A page of an inbox."""

    entries: tuple[InboxEntry, ...]


class InboxQuery(paging.SizedPage, kw_only=True):
    """The page of an inbox, of all of it or of what is ``unread``."""

    unread: Annotated[bool, Meta(description="Only what is unread.")] = False


@operation("GET /me", Right.READ)
def get_me(user: User) -> Me:
    """Get the member of the token, and the program."""
    read = viewer_read()
    return Me(
        name=user.name,
        url=member_url(user.name),
        role=user.role,
        since=rfc3339(user.since),
        unread=read.unread.count,
        follows=own_marks.choice().follows,
        program=Program(program.name, program.rights, rfc3339(program.until)) if (program := read.program) else UNSET,
    )


def _queue_inbox(pipeline: Pipeline, query: InboxQuery) -> Future[InboxPage]:
    return store().inbox.queue_page(
        pipeline,
        session_member_name(),
        1,
        query.limit,
        only_unread=query.unread,
        viewer_id=session_user_id(),
        after=query.next,
    )


@operation("GET /me/inbox", Right.READ, page=_queue_inbox)
def get_inbox(query: InboxQuery, page: InboxPage) -> Inbox:
    """List the inbox, the newest entries first; none is marked as read by that."""
    if query.next and not page.rows:
        raise errors.NoSuchPage()
    return Inbox(entries=tuple(map(_entry, page.rows)), next=page.rows[-1].entry if page.rows and page.more else UNSET)


def _entry(notice: Notice) -> InboxEntry:
    entry = InboxEntry(notice.entry, notice.kind, rfc3339(notice.time), notice.is_unread)
    if notice.comment:
        entry.comment = listed_comment(notice.comment, voted=notice.is_voted)
    elif notice.log:
        log = notice.log
        entry.text, entry.article, entry.number = act_title(log), log.article or UNSET, log.comment or UNSET
    elif notice.change:
        entry.text = str(ACCOUNT_CHANGES[notice.change])
    return entry


def _queue_saved(pipeline: Pipeline, query: paging.SizedPage) -> Future[models.Page[Article]]:
    place = paging.parse_place(query.next)
    size = query.limit + bool(place)  # the row of the place comes again, if it is still saved
    return store().my_sites.queue_saved(
        pipeline, session_member_name(), 1, size, newest=repr(place.time) if place else ""
    )


@operation("GET /me/saved", Right.READ, page=_queue_saved)
def get_saved(query: paging.SizedPage, user: User, page: models.Page[Article]) -> ArticlePage:
    """List the articles that the member saved, the last first, also those that are gone since."""
    place, pipeline = paging.parse_place(query.next), store().pipeline()
    rows = tuple(row for row in page.rows if place is None or row.id != place.id)
    has_more, rows = page.more or len(rows) > query.limit, rows[: query.limit]
    saved = store().my_sites.queue_own_saves(pipeline, [row.id for row in rows[-1:]], user.name)
    marked = read_marks(rows, user, pipeline=pipeline).on(rows)
    pipeline.execute()
    shown = (row if row.is_listed else replace(row, link="", votes=0, groups=()) for row in marked)
    last = [str(paging.Place(time, id)) for id, time in saved.result.items()] if has_more else []
    return ArticlePage(articles=article_rows(shown, has_marks=True), next=last[0] if last else UNSET)
