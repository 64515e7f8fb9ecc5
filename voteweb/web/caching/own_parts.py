"""The parts of a page that are rendered for each viewer: account links, notice, messages and the form token.

While a page for all members is rendered, a mark stands for each of them, and the viewer is a member who does not exist.
The page is cut at these marks, and filled with the parts of each viewer.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from urllib.parse import quote

from flask import g, request
from markupsafe import Markup

from voteweb.core import markup, permissions
from voteweb.core.models import Role, User
from voteweb.core.my_site import NOTHING_CHOSEN
from voteweb.core.site_switches import SwitchName
from voteweb.web.auth.csrf import csrf_token
from voteweb.web.auth.login import lacks_rights, viewer, viewer_read
from voteweb.web.base.context import request_globals, settings
from voteweb.web.base.urls import current_path
from voteweb.web.caching import flashes
from voteweb.web.caching.fragment_cache import cached
from voteweb.web.requests import site_switches

ACCOUNT, NOTICE, MESSAGES, TOKEN = "account", "notice", "messages", "token"  # nosec B105
#: HTML, and between every two pieces of it the name of a missing part.
Pieces = tuple[bytes | str, ...]
#: The HTML of such a part, in pieces that have not been joined.
Part = Sequence[bytes | memoryview]


def account() -> Markup:
    if mark := own(ACCOUNT):
        return mark
    member = viewer()
    if member is None:
        # After log-in a reader returns to this page, or where the pages of log-in lead; to the front page anyway.
        back = "" if request.path == "/" else f"?next={quote(current_path())}"
        query = g.get("login_query", back)
        return cached("_frame.html#account_nav", name="", query=query, joins=settings().signup != "closed")
    read = viewer_read()
    return cached(
        "_frame.html#account_nav",
        name=member.name,
        moderates=permissions.may_moderate(member),
        waiting=read.waiting,
        unread=read.unread.count,
        theme=member.theme,
    )


def messages(rows: Iterable[object] = ()) -> Markup:
    """Return the messages that this page shows, but for those in its *rows*."""
    return own(MESSAGES) or _messages(flashes.pop_all(rows))


def _messages(shown: list[tuple[str, str]]) -> Markup:
    # Votes have all the same message; to render it takes a fifteenth of the page that is read afresh after a vote.
    # All of them are no longer than a session cookie.
    return cached("_frame.html#messages", messages=tuple(shown)) if shown else Markup()


def notice() -> Markup:
    """Return what holds at this moment: the announcement, that the site is read-only, that the viewer lacks rights."""
    if mark := own(NOTICE):
        return mark
    switch = site_switches.current().get
    shown = {
        "announcement": switch(SwitchName.ANNOUNCEMENT),
        "read_only": switch(SwitchName.READ_ONLY),
        "lacks_rights": lacks_rights(),
    }
    return cached("_frame.html#notice", **shown) if any(shown.values()) else Markup()


def token() -> str:
    """Return the form token of a member, or of one whom the database cannot tell at the moment.

    It is "" for a reader: pages without a token can be cached.
    """
    return own(TOKEN) or g.get("kept_token") or (csrf_token() if viewer() else "")


def token_field() -> Markup:
    """Return the field of a form with the :func:`token` of its sender; empty if they have none."""
    value = token()
    return markup.trusted('<input type="hidden" name="csrf_token" value="%s">') % value if value else Markup()


def own(name: str) -> Markup:
    """Return what stands for the viewer's part *name* in a page for all members; empty in any other page."""
    mark = request_globals().get("frame_mark")
    return markup.trusted(f"{mark}{name};") if mark else Markup()


@contextmanager
def for_all_members() -> Iterator[str]:
    """Render pages in this block as for a member who does not exist; yields the mark at which they are to be cut."""
    mark = secrets.token_hex(16)
    # A name that stands anywhere but in the parts makes the cutting fail.
    somebody = User(id=0, name=mark, password="", role=Role.MEMBER, since=0.0, session="")  # nosec B106
    replaced = {"frame_mark": mark, "viewer": somebody, "choice": NOTHING_CHOSEN}
    known = request_globals()
    before = {name: known.get(name) for name in replaced if name in known}
    vars(known).update(replaced)
    try:
        yield mark
    finally:
        for name in replaced:
            known.pop(name)
        vars(known).update(before)


def parts() -> dict[str, Part]:
    """Return the viewer's parts that every page has, by name."""
    return parts_of(token(), [account().encode()], flashes.pop_all())


def parts_of(token: str, account: Part, messages: list[tuple[str, str]]) -> dict[str, Part]:
    """Return the viewer's parts with their form *token*, *account* links and *messages*, each a category and a text."""
    return {
        ACCOUNT: account,
        NOTICE: [notice().encode()],
        MESSAGES: [_messages(messages).encode()],
        TOKEN: [token.encode()],
    }


def cut(page: str, mark: str) -> Pieces:
    """Return the pieces of *page*, which is cut at *mark*; that must be random, so that nobody can post it."""
    first, *others = page.split(mark)
    pieces: list[bytes | str] = [first.encode()]
    for other in others:
        name, end, html = other.partition(";")
        if not end or not name.isidentifier():
            raise ValueError("Something of the viewer stands in a page for all members.")
        pieces += [name, html.encode()]
    return tuple(pieces)


def fill(pieces: Pieces, parts: Mapping[str, Part]) -> bytes:
    """Return the page of *pieces* with its missing *parts* by name."""
    html: list[bytes | memoryview] = []
    for piece in pieces:
        if isinstance(piece, str):
            html += parts[piece]
        else:
            html.append(piece)
    return b"".join(html)
