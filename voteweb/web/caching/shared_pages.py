"""Pages that members share: each is rendered once for all of them, and cut where the viewer's own parts go.

A list is kept for VOTEWEB_PAGE_SECONDS, counted from before its data were asked for. Of the viewer, everything is
asked each time: session, ban, votes, what is new and saved. What others did may be that old, as on readers' pages.
What was done in this browser never is, once its answer has arrived, whichever process on whichever machine gave it:

1. Every answer to a form of a member marks their browser with a cookie for VOTEWEB_PAGE_SECONDS + 2, whatever the
   answer says, and each list for a marked browser is read afresh.
2. The act is done before its answer is sent, and so before the browser gets the mark.
3. So a kept list that lacks the act was asked for before the mark began. By the clock of the process that keeps it, it
   is no longer served VOTEWEB_PAGE_SECONDS after the act at the latest, and until then the browser is marked.

No clocks are compared, and no process tells another anything. The two seconds more are for browsers that count whole
seconds.

An article and its conversation are read for each request, and its page is used for equal ones only: it is never late,
and needs no VOTEWEB_PAGE_SECONDS.

A page that differs for a member in other places than those cut out is rendered as a whole: moderators, accounts
that wait, and those who hide something or have their groups as front page; of an article also its poster.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from flask import Flask, Response, current_app, has_request_context, render_template, request
from werkzeug.http import dump_cookie

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.models import Article, Role, User
from voteweb.core.names import name_key
from voteweb.store.connection.pipeline import Pipeline
from voteweb.web.auth.login import viewer
from voteweb.web.base.context import now, request_app, settings, store
from voteweb.web.caching import own_parts
from voteweb.web.caching.fragment_cache import article_rows
from voteweb.web.caching.own_marks import NO_MARK, Mark
from voteweb.web.caching.own_parts import Pieces, cut, fill
from voteweb.web.caching.page_cache import Key, is_cached_address, page_key
from voteweb.web.i18n import locale
from voteweb.web.requests import site_switches

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_EXTENSION = "voteweb.shared_pages"
#: The cookie that marks a browser.
ACTED = "acted"
#: Seconds for which a browser stays marked after a kept list that lacks its act has ended.
_MARGIN_SECONDS = 2
#: The part of a list that has its rows.
ROWS = "rows"
#: Bytes that a page takes besides its HTML, and that a row of a list takes, with those of its kind for some members.
_PAGE_BYTES, _ROW_BYTES = 2_000, 3_000
#: Rows of members' own that are kept for each row of a list.
_OWN_ROWS = 2
#: The HTML of an article's page depends on these: voted for and saved by the viewer, and the order of the comments.
Variant = tuple[bool, bool, str]
#: Queues a read of a list. What it returns is called when the pipeline has been executed: it returns the rows and the
#: context of the template, or raises an error.
Read = Callable[[Pipeline], Callable[[], tuple[tuple[Article, ...], dict[str, Any]]]]


class Rows:
    """The rows of a list with their HTML as members see them who did nothing here, and all others that were asked for.

    *in_group* is the group whose list it is, "" for none. *last* are the rows of the same list that were kept before. A
    member's row is taken over from there if the row for everybody has the same HTML, which shows all that it depends
    on. A poster's row is made anew: what they may still do changes with time. Without this, a page of which votes are
    made all the time costs members a tenth more.
    """

    def __init__(self, articles: tuple[Article, ...], in_group: str, last: "Rows | None") -> None:
        self._in_group = in_group
        self._html = self._render(articles)
        self._articles = {article.id: (at, article) for at, article in enumerate(articles)}
        self.ids = tuple(self._articles)
        self._posted: defaultdict[str, set[int]] = defaultdict(set)
        for article in articles:
            self._posted[name_key(article.poster)].add(article.id)
        #: Rows that differ for members, by article, the member's mark, and whether they posted it.
        self._own: dict[tuple[int, Mark, bool], bytes] = {}
        if last and last._own:
            before = dict(zip(last.ids, last._html, strict=True))
            same = {id for id, html in zip(self.ids, self._html, strict=True) if before.get(id) == html}
            kept = tuple(last._own.items())  # another thread may add one
            self._own = {row: html for row, html in kept if row[0] in same and not row[2]}

    @property
    def size(self) -> int:
        return sum(map(len, self._html)) + len(self._html) * _ROW_BYTES

    def fill(self, marks: Mapping[int, Mark], name: str) -> list[bytes]:
        """Return the rows for the member with this *name*, whose *marks* are given by id, also some of other lists."""
        html, posted = list(self._html), self._posted.get(name_key(name), set())
        for id in self._articles.keys() & (marks.keys() | posted):
            at, article = self._articles[id]
            key = id, marks.get(id, NO_MARK), id in posted
            row = self._own.get(key)
            if row is None:
                (row,) = self._render([key[1].on(article)])
                if len(self._own) < _OWN_ROWS * len(html):
                    self._own[key] = row
            html[at] = row
        return html

    def _render(self, articles: Iterable[Article]) -> list[bytes]:
        return [row.encode() for row in article_rows(articles, self._in_group)]


class Kept(NamedTuple):
    """A page for all members, of a *route*, whose ``pieces`` were rendered of ``inputs``.

    It is right ``until`` a time: a list, which has ``rows``, by the monotonic clock; an article by that of the
    database. The inputs of a list are its template and context. ``shown`` is the entry with which members hide what a
    list shows, "" for none. ``read`` queues what the list reads once more, None if only a view can do that. ``poster``
    is the key of the name of an article's poster. ``in_lane``: the lane may answer with it. A list is right as long as
    the ``switches`` are the same object, too; those of an article are among its inputs.
    """

    pieces: Pieces
    inputs: object
    until: float
    route: str
    rows: Rows | None = None
    shown: str = ""
    read: Read | None = None
    poster: str = ""
    in_lane: bool = True
    switches: object = None


class SharedPages:
    """The pages of an app that are kept, and the members who, when seen last, could not be served with one."""

    def __init__(self) -> None:
        #: Lists for VOTEWEB_PAGE_SECONDS, articles until they change: a list takes a fifth of the time, an article a
        #: seventh.
        self.kept: BoundedCache[tuple[object, ...], Kept] = BoundedCache(config.SHARED_PAGES_BYTES)
        #: Members as last seen, until they are seen again: who gets other pages does not wait for a second round trip.
        self.excluded: BoundedCache[int, bool] = BoundedCache(config.HINT_CACHE_SIZE)


def init_app(app: Flask) -> None:
    app.extensions[_EXTENSION] = SharedPages()


def of_app(app: Flask) -> SharedPages:
    return cast(SharedPages, app.extensions[_EXTENSION])


def clock() -> float:
    """Return the time that lists are kept from, to be asked before their data."""
    return monotonic()


def may_share(user: User | None, shown: str = "") -> bool:
    """Tell whether *user*, whom the database has just confirmed, may get a page for all members.

    *shown* is the entry with which a member hides what the page lists (see Hidden in core/my_site.py), "" for none.
    """
    if user is None:
        return False
    is_plain = user.role is Role.MEMBER and not user.held and not user.front
    choice = store().my_sites.of(user) if is_plain else None
    is_plain = choice is not None and not choice.hides
    excluded = of_app(request_app()).excluded
    if (excluded.get(user.id) or False) == is_plain:
        excluded.put(user.id, not is_plain)
    # A group's own page tells whether the viewer follows it.
    return choice is not None and is_plain and shown[1:] not in choice.follows


def may_keep(user: User | None, shown: str = "") -> bool:
    """Tell whether the list that is read afresh for *user* may be kept for other members, and *user* gets it too."""
    return bool(settings().page_seconds) and is_cached_address(request.environ) and may_share(user, shown)


def render_list(
    asked: float,
    template: str,
    rows: tuple[Article, ...],
    marks: Mapping[int, Mark],
    shown: str = "",
    read: Read | None = None,
    **context: Any,
) -> bytes:
    """Return *template* rendered with *context* and *rows* for the viewer, who shares it; keep it for other members.

    *asked* is when the data were asked for, by :func:`clock`. *marks* are those of the viewer by id. Whatever else the
    template depends on, such as the age of something, must be in *context*. *shown* and *read* are those of a page
    that is kept.
    """
    page = Kept((), (template, {}), 0.0, request.endpoint or "", shown=shown, read=read)
    pieces, all_rows = keep_list(request.environ, asked, page, rows, context)
    member = viewer()
    return fill(pieces, {**own_parts.parts(), ROWS: all_rows.fill(marks, member.name if member else "")})


def keep_list(
    environ: "WSGIEnvironment", asked: float, page: Kept, articles: tuple[Article, ...], context: dict[str, Any]
) -> tuple[Pieces, Rows]:
    """Keep the list *page*, which *environ* requests, as it was read when *asked*; return its new pieces and rows.

    The HTML around the rows is used again as long as the *context* is equal.
    """
    key, kept = page_key(environ, locale.current().code), of_app(request_app()).kept
    template, _ = cast(tuple[str, object], page.inputs)
    last, inputs, switches = kept.get(key), (template, context), site_switches.current()
    with own_parts.for_all_members() as mark:
        if last and last.inputs == inputs and last.switches is switches:
            pieces = last.pieces
        else:
            # Before Flask: lists are kept for hosts and addresses that it has checked.
            with nullcontext() if has_request_context() else current_app.request_context(environ):
                pieces = _render(template, context, mark)
        rows = Rows(articles, context.get("in_group", ""), last.rows if last else None)
    until = asked + settings().page_seconds
    page = page._replace(pieces=pieces, inputs=inputs, until=until, rows=rows, switches=switches)
    kept.put(key, page, _size(pieces) + rows.size)
    return pieces, rows


def find_article(key: Key, variant: Variant, inputs: object) -> Pieces | None:
    """Return the page of an article that is kept under *key*, None if there is none that was rendered of *inputs*."""
    kept = of_app(request_app()).kept.get((*key, *variant))
    return kept.pieces if kept and kept.inputs == inputs and now() < kept.until else None


def article_pieces(variant: Variant, inputs: object, until: float, context: dict[str, Any], *, in_lane: bool) -> Pieces:
    """Return the page of an article, rendered with *context* unless one is kept that was rendered of *inputs*.

    It is right until the unix time *until*. *in_lane*: the lane may answer with it.
    """
    key, kept = page_key(request.environ, locale.current().code), of_app(request_app()).kept
    pieces = find_article(key, variant, inputs)
    if pieces is None:
        with own_parts.for_all_members() as mark:
            pieces = _render("articles/show.html", context, mark)
        if is_cached_address(request.environ):
            poster = name_key(context["article"].poster)
            page = Kept(pieces, inputs, until, request.endpoint or "", poster=poster, in_lane=in_lane)
            for kept_key in (key, (*key, *variant)):  # the first tells the lane that there is one
                kept.put(kept_key, page, _size(pieces))
    return pieces


def _render(template: str, context: dict[str, Any], mark: str) -> Pieces:
    return cut(render_template(template, all_groups=(), **context), mark)


def _size(pieces: Pieces) -> int:
    return sum(map(len, pieces)) + _PAGE_BYTES


def set_acted_cookie(response: Response) -> None:
    """Mark the browser of a member who has sent a form, so that they see what they did."""
    if cookie := acted_cookie():
        response.headers.add("Set-Cookie", cookie)


def acted_cookie() -> str:
    """Return the header that marks a browser, "" if no list is kept."""
    seconds, secure = settings().page_seconds, settings().secure
    if not seconds:
        return ""
    max_age = math.ceil(seconds) + _MARGIN_SECONDS
    return dump_cookie(ACTED, "1", max_age=max_age, sync_expires=False, secure=secure, httponly=True, samesite="Lax")
