"""Lists that are answered before Flask: by a frame, or read afresh if the last frame is too old for the browser."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Flask

from voteweb.core.errors import VotewebError
from voteweb.core.models import User, Voter
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import Viewer
from voteweb.web.caching import shared_lists, shared_pages
from voteweb.web.caching.frames import Frame, Part
from voteweb.web.caching.shared_lists import Read, fill_frame
from voteweb.web.caching.shared_page_middleware import Fill, Find
from voteweb.web.context import store
from voteweb.web.i18n.locale import Language
from voteweb.web.own_marks import queue_marks

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


@dataclass(frozen=True, slots=True)
class _FramePage:
    """A list that its frame answers (see :mod:`voteweb.web.caching.shared_page_middleware`)."""

    frame: Frame

    @property
    def language(self) -> Language:
        """That of the frame."""
        return self.frame.language

    @property
    def route(self) -> str:
        """That of the frame."""
        return self.frame.route

    def queue(self, pipeline: Pipeline, voter: Voter, viewer: Future[Viewer]) -> Fill:
        """Queue a read of the marks of *voter* on the articles of the list."""
        marks = queue_marks(pipeline, self.frame.content.ids, voter, viewer)

        def fill(user: User, parts: dict[str, Part]) -> bytes | None:
            if not shared_pages.may_share(user, self.frame.shown):
                return None
            return fill_frame(self.frame, parts, marks.result, user.name)

        return fill


@dataclass(frozen=True, slots=True)
class _RenewedFramePage(_FramePage):
    """A list whose frame is replaced by one that is read afresh with ``read``."""

    environ: "WSGIEnvironment"
    read: Read

    def queue(self, pipeline: Pipeline, voter: Voter, viewer: Future[Viewer]) -> Fill:
        """Queue a read of the list, and of the marks of *voter* on the articles that it had."""
        asked, finish = shared_pages.clock(), self.read(pipeline)
        marks = queue_marks(pipeline, self.frame.content.ids, voter, viewer)

        def fill(user: User, parts: dict[str, Part]) -> bytes | None:
            if not shared_pages.may_share(user, self.frame.shown):
                return None
            try:
                rows, context = finish()
            except VotewebError:  # such as that a group has another name now: the view answers it
                return None
            known, ids = set(self.frame.content.ids), [row.id for row in rows]
            more = store().pipeline()
            others = queue_marks(more, [id for id in ids if id not in known], voter, viewer)
            more.execute()
            read_marks = marks.result | others.result
            frame = shared_lists.renew(self.frame, self.environ, asked, rows, context)
            return fill_frame(frame, parts, {id: read_marks[id] for id in ids if id in read_marks}, user.name)

        return fill


def finder(app: Flask) -> Find:
    """Return what finds the list that may answer a request to *app*."""
    shared = shared_pages.of_app(app)

    def find(environ: "WSGIEnvironment", cookies: Mapping[str, str], voter: Voter) -> _FramePage | None:
        frame = shared.find(environ, cookies, voter)
        if frame is None:
            return None
        if shared.is_current(frame, cookies):
            return _FramePage(frame)
        return _RenewedFramePage(frame, environ, frame.read) if frame.read else None

    return find
