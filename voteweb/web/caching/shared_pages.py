"""Pages that members share: who gets a frame made for all of them, and who a page read afresh.

A frame serves members for VOTEWEB_PAGE_SECONDS, counted from before its data were asked for. Of the viewer, everything
is asked each time: session, ban, votes, what is new and saved. What others did may be that old, as on readers' pages.
What was done in this browser never is, once its answer has arrived, whichever process on whichever machine gave it:

1. Every answer to a form of a member marks their browser with a cookie for VOTEWEB_PAGE_SECONDS + 2, whatever the
   answer says, and each page for a marked browser is read afresh.
2. The act is done before its answer is sent, and so before the browser gets the mark.
3. So a frame that lacks the act was asked for before the mark began. By the clock of the process that keeps it, it is
   no longer served VOTEWEB_PAGE_SECONDS after the act at the latest, and until then the browser is marked.

No clocks are compared, and no process tells another anything. The two seconds more are for browsers that count whole
seconds. Members for whom a list differs in other places than those cut out get no frame: moderators, accounts that
wait, and those who hide something or have their groups as front page.
"""

import math
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from flask import Flask, Response, request
from werkzeug.http import dump_cookie

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.config import Settings
from voteweb.core.models import Role, User, Voter
from voteweb.web.caching import own_parts
from voteweb.web.caching.frames import Content, Frame, cut
from voteweb.web.caching.page_cache import is_cached_address, page_key
from voteweb.web.caching.sized_cache import SizedCache
from voteweb.web.context import current_app, settings, store
from voteweb.web.i18n import locale

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_EXTENSION = "voteweb.shared_pages"
#: The cookie that marks a browser.
MARK = "acted"
#: Seconds for which a browser stays marked after a frame that lacks its act has ended.
_MARGIN_SECONDS = 2


class SharedPages:
    """The frames of an app, each for *seconds*, and the members who, when seen last, could not be served with one."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.frames: SizedCache[Frame] = SizedCache(config.SHARED_LISTS_BYTES)
        self.excluded: BoundedCache[int, bool] = BoundedCache(config.HINT_CACHE_SIZE)

    def find(self, environ: "WSGIEnvironment", cookies: Mapping[str, str], voter: Voter) -> Frame | None:
        """Return the last frame of the page that *voter* requests with *environ*, None if there is none for them.

        The caller asks :meth:`is_current`, reads the viewer and asks :func:`may_share` then.
        """
        if self.excluded.get(voter.id, False):
            return None
        language = locale.negotiate(cookies.get(locale.COOKIE, ""), environ.get("HTTP_ACCEPT_LANGUAGE", ""))
        return self.frames.get(page_key(environ, language.code))

    def is_current(self, frame: Frame, cookies: Mapping[str, str]) -> bool:
        """Tell whether *frame* may answer a browser with these *cookies*; if not, its page is read afresh."""
        return MARK not in cookies and clock() < frame.asked + self.seconds


def init_app(app: Flask, settings: Settings) -> None:
    """Give *app* its shared pages."""
    app.extensions[_EXTENSION] = SharedPages(settings.page_seconds)


def of_app(app: Flask) -> SharedPages:
    """Return the shared pages of *app*."""
    return cast(SharedPages, app.extensions[_EXTENSION])


def clock() -> float:
    """Return the time that frames are counted from, to be asked before their data."""
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
    excluded = of_app(current_app()).excluded
    if excluded.get(user.id, False) == is_plain:
        excluded.put(user.id, not is_plain)
    # A group's own page tells whether the viewer follows it.
    return choice is not None and is_plain and shown[1:] not in choice.follows


def may_keep(user: User | None, shown: str = "") -> bool:
    """Tell whether the page that is read afresh for *user* may become a frame, which *user* gets too."""
    environ = request.environ
    return (
        bool(settings().page_seconds)
        and environ["REQUEST_METHOD"] == "GET"
        and is_cached_address(environ)
        and may_share(user, shown)
    )


def keep(
    environ: "WSGIEnvironment",
    route: str,
    asked: float,
    inputs: object,
    render: Callable[[], str],
    content: Callable[[Any], Content],
    shown: str = "",
    read: Callable[..., Any] | None = None,
) -> Frame:
    """Return the frame of the page that *environ* requests, kept for other members too (see :func:`may_keep`).

    *asked* is when its data were asked for, in monotonic time. *render* and *content* return its HTML and its content
    for any member; the HTML of the last frame is used again if that was rendered of equal *inputs*, and *content* gets
    the last content, None if there is none. *route*, *shown* and *read* are those of the frame.
    """
    language = locale.current()
    key, frames = page_key(environ, language.code), of_app(current_app()).frames
    last = frames.get(key)
    with own_parts.for_all_members() as mark:
        pieces = last.pieces if last and last.inputs == inputs else cut(render(), mark)
        filling = content(last.content if last else None)
    frame = Frame(asked, inputs, pieces, filling, language, shown, route, read)
    return frames.put(key, frame, sum(map(len, pieces)) + filling.size)


def mark(response: Response) -> None:
    """Mark the browser of a member who has sent a form, so that they see what they did."""
    cookie = mark_cookie()
    if cookie:
        response.headers.add("Set-Cookie", cookie)


def mark_cookie() -> str:
    """Return the header that marks a browser, "" if no page is kept."""
    seconds = settings().page_seconds
    return _mark_cookie(math.ceil(seconds) + _MARGIN_SECONDS, settings().secure) if seconds else ""


def _mark_cookie(max_age: int, secure: bool) -> str:
    return dump_cookie(MARK, "1", max_age=max_age, sync_expires=False, secure=secure, httponly=True, samesite="Lax")
