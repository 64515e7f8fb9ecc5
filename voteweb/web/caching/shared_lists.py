"""Lists of articles that members share: of each row, the viewer gets one of their own only if it differs for them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from flask import has_request_context, render_template, request

from voteweb.core.models import Article
from voteweb.core.names import name_key
from voteweb.store.connection.pipeline import Pipeline
from voteweb.web.auth.login import viewer
from voteweb.web.caching import own_parts, shared_pages
from voteweb.web.caching.fragment_cache import fragments
from voteweb.web.caching.frames import Frame, Part, fill
from voteweb.web.context import current_app
from voteweb.web.own_marks import NO_MARK, Mark

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Queues a read of a list. What it returns is called when the pipeline has been executed: it returns the rows and the
#: context of the template, or raises an error.
Read = Callable[[Pipeline], Callable[[], tuple[tuple[Article, ...], dict[str, Any]]]]

ROWS = "rows"
#: Bytes that a row takes besides its HTML, of which there are some of its own for members who did something with it.
_ROW_BYTES = 3_000
#: Rows of that kind that are kept for each row of the list.
_OWN_ROWS = 2
#: What a row of a member's own depends on besides the article: its id, the member's mark, whether they posted it.
_OwnRow = tuple[int, Mark, bool]


class SharedRows:
    """The rows of a list with their HTML as members see them who did nothing here, and all others that were asked for.

    ``posted`` are the ids of the articles of each poster, by the key of their name. Of *last*, the rows of the same
    list that were kept before, those of articles that look the same still are kept on. *in_group* is the group whose
    list it is, "" for none.
    """

    def __init__(self, articles: tuple[Article, ...], last: "SharedRows | None" = None, in_group: str = "") -> None:
        self.ids = tuple(article.id for article in articles)
        self._in_group = in_group
        self.html = self._render(articles)
        self.posted: defaultdict[str, set[int]] = defaultdict(set)
        for article in articles:
            self.posted[name_key(article.poster)].add(article.id)
        self._articles = {article.id: (at, article) for at, article in enumerate(articles)}
        self._own = dict(self._unchanged(last)) if last else {}

    def _unchanged(self, last: "SharedRows") -> "Iterator[tuple[_OwnRow, bytes]]":
        """Yield the rows of members' own in *last* that are still right.

        A row for everybody tells all that the rows of members depend on, but for what a poster may still do. Without
        this, a page of which votes are made all the time costs members a tenth more.
        """
        last_html = dict(zip(last.ids, last.html, strict=True))
        same = {id for id, html in zip(self.ids, self.html, strict=True) if last_html.get(id) == html}
        for row, html in tuple(last._own.items()):
            id, _, is_poster = row
            if id in same and not is_poster:
                yield row, html

    @property
    def size(self) -> int:
        """The bytes that they take."""
        return sum(map(len, self.html)) + len(self.html) * _ROW_BYTES

    def fill(self, marks: Mapping[int, Mark], name: str) -> list[bytes]:
        """Return the rows for the member with this *name*, whose *marks* are given by id."""
        html, posted = list(self.html), self.posted.get(name_key(name), _NOTHING)
        for id in marks.keys() | posted:
            at, article = self._articles[id]
            key = id, marks.get(id, NO_MARK), id in posted
            html[at] = self._own.get(key) or self._render([key[1].on(article)])[0]
            if len(self._own) < _OWN_ROWS * len(html):
                self._own[key] = html[at]
        return html

    def _render(self, articles: Iterable[Article]) -> list[bytes]:
        return [row.encode() for row in fragments().article_rows(articles, (), self._in_group)]


_NOTHING: frozenset[int] = frozenset()


def render_and_keep(
    asked: float,
    template: str,
    rows: tuple[Article, ...],
    marks: Mapping[int, Mark],
    shown: str = "",
    read: Read | None = None,
    **context: Any,
) -> bytes:
    """Return *template* rendered with *context* and *rows* for the viewer, who shares it; keep its frame for others.

    *marks* are those of the viewer by id; the other arguments are as for :func:`keep`.
    """
    frame = keep(request.environ, request.endpoint or "", asked, (template, context), rows, shown, read)
    member = viewer()
    return fill_frame(frame, own_parts.parts(), marks, member.name if member else "")


def renew(
    last: Frame, environ: "WSGIEnvironment", asked: float, rows: tuple[Article, ...], context: dict[str, Any]
) -> Frame:
    """Return the frame of the list of *last*, kept in its place, with what was read once more; see :func:`keep`."""
    template, _ = last.inputs
    return keep(environ, last.route, asked, (template, context), rows, last.shown, last.read)


def keep(
    environ: "WSGIEnvironment",
    route: str,
    asked: float,
    inputs: tuple[str, dict[str, Any]],
    rows: tuple[Article, ...],
    shown: str,
    read: Read | None,
) -> Frame:
    """Return the frame of a list for all members, kept.

    *asked* is when the data were asked for, in monotonic time; *shown* is as for
    :func:`voteweb.web.caching.shared_pages.may_share`. The *inputs* are a template and its context, without the *rows*;
    whatever else the template depends on, such as the age of something, must be in it. *read* reads rows and context
    once more, for any member who shares the list.
    """

    def render() -> str:
        template, context = inputs
        # Before Flask: frames are kept for hosts and addresses that it has checked.
        with nullcontext() if has_request_context() else current_app().request_context(environ):
            return render_template(template, all_groups=(), **context)

    def content(last: SharedRows | None) -> SharedRows:
        return SharedRows(rows, last, inputs[1].get("in_group", ""))

    return shared_pages.keep(environ, route, asked, inputs, render, content, shown, read)


def fill_frame(frame: Frame, parts: Mapping[str, Part], marks: Mapping[int, Mark], name: str) -> bytes:
    """Return the page of *frame* with the *parts* of the member *name*, and with rows of their own that have *marks*.

    A member also gets rows of their own for what they posted.
    """
    rows: SharedRows = frame.content
    return fill(frame.pieces, {**parts, ROWS: rows.fill(marks, name)})
