"""Lists of articles that members share: of each row, the viewer gets one of their own only if it differs for them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import render_template

from voteweb.core.models import Article
from voteweb.core.names import name_key
from voteweb.web import own_parts, shared_pages
from voteweb.web.auth.login import queue_viewer, viewer
from voteweb.web.caching.fragment_cache import fragments
from voteweb.web.caching.frames import Frame
from voteweb.web.context import store
from voteweb.web.own_marks import queue_own_marks

ROWS = "rows"
#: A page as views return it.
RenderedPage = str | bytes


class SharedRows(NamedTuple):
    """The rows of a list with their HTML as members see them who did nothing here, and the keys of their posters."""

    articles: tuple[Article, ...]
    html: Sequence[bytes]
    posters: tuple[str, ...]


def answer(shown: str = "") -> bytes | None:
    """Return the page of this request from a frame, in one round trip; None if it must be read afresh.

    *shown* is as for :func:`voteweb.web.shared_pages.may_share`.
    """
    frame = shared_pages.find()
    if frame is None:
        return None
    rows: SharedRows = frame.content
    pipeline = store().pipeline()
    member = queue_viewer(pipeline)
    own = queue_own_marks(pipeline, [article.id for article in rows.articles])
    pipeline.execute()
    if not shared_pages.may_share(member.result, shown):
        return None
    return _fill(frame, own.on(rows.articles))


def answer_afresh(
    asked: float, template: str, rows: tuple[Article, ...], own_rows: tuple[Article, ...], **context: Any
) -> bytes:
    """Return *template* rendered with *context* and *rows* for the viewer, who shares it; keep its frame for others.

    *asked* is when the data were asked for, in monotonic time; *own_rows* are the rows with what the viewer did. The
    *context* has no rows; whatever else the template depends on, such as the age of something, must be in it.
    """

    def render() -> str:
        return render_template(template, all_groups=(), **context)

    frame = shared_pages.keep(asked, (template, context), render, lambda: _shared_rows(rows))
    return _fill(frame, own_rows)


def _shared_rows(articles: tuple[Article, ...]) -> SharedRows:
    html = tuple(row.encode() for row in fragments().article_rows(articles))
    return SharedRows(articles, html, tuple(name_key(article.poster) for article in articles))


def _fill(frame: Frame, own_rows: tuple[Article, ...]) -> bytes:
    """Return the page with the viewer's parts; rows that the viewer posted, or did something with, are their own."""
    shared, member = frame.content, viewer()
    own_name = name_key(member.name) if member else ""
    at_own = [at for at, row in enumerate(own_rows) if row is not shared.articles[at] or shared.posters[at] == own_name]
    html = shared.html
    if at_own:
        own_html = fragments().article_rows([own_rows[at] for at in at_own])
        html = list(html)
        for at, row in zip(at_own, own_html, strict=True):
            html[at] = row.encode()
    return frame.fill({**own_parts.parts(), ROWS: b"".join(html)})
