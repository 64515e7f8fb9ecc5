"""Pages of articles that members share: each is rendered once for all who see the same.

Article and conversation are read for each request, and a page is used for equal ones only: unlike the frames of lists
(:mod:`voteweb.web.caching.shared_pages`) it is never late, and needs no VOTEWEB_PAGE_SECONDS. The viewer's own parts
are filled in, and those whose page differs in more places get it rendered as a whole: moderators, accounts that wait,
posters, those who hide the article, and everybody whose form was refused.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app, render_template, request
from markupsafe import Markup

from voteweb.core import comment_permissions, config, markup, permissions
from voteweb.core.conversation import Conversation
from voteweb.core.models import Article, Role, User
from voteweb.core.ranking import voting_end
from voteweb.core.validation import new_submission_token
from voteweb.web.caching import own_parts
from voteweb.web.caching.frames import Pieces, cut, fill
from voteweb.web.caching.page_cache import is_linked_query
from voteweb.web.caching.sized_cache import SizedCache
from voteweb.web.context import now, settings, store
from voteweb.web.conversations import ConversationPages
from voteweb.web.i18n import formatting, locale

_EXTENSION = "voteweb.shared_articles"
#: Bytes that a page takes besides its HTML.
_ENTRY_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class _Shared:
    """A page and what it was rendered of beside its key, with a time from ``since`` to ``until``.

    ``conversation`` returns the conversation as long as its own cache keeps it, which bounds how many there are.
    """

    article: Article
    conversation: Callable[[], Conversation | None]
    since: float
    until: float
    pieces: Pieces


def init_app(app: Flask) -> None:
    """Give *app* its shared pages of articles."""
    app.extensions[_EXTENSION] = SizedCache(config.SHARED_ARTICLES_BYTES)


def may_share(user: User | None, article: Article) -> bool:
    """Tell whether *user* may get the page of *article* that is made for all members."""
    if user is None or user.role is not Role.MEMBER or user.held:
        return False
    choice = store().my_sites.of(user)
    is_plain = choice is not None and not choice.is_hidden(article)
    return is_plain and article.is_listed and not permissions.is_poster(user, article)


def render(user: User | None, article: Article, pages: ConversationPages | None) -> bytes:
    """Return the page of *article*, with the marks of *user*, and its conversation for *user*, who may share it."""
    parts = own_parts.parts() | {"once": [new_submission_token().encode()]}
    if pages and pages.page.rows:
        parts["comments"] = pages.encoded_comments(user, pages.is_open)
        parts["new"] = [_new(user, pages).encode()]
    return fill(_shared(article, pages).pieces, parts)


def _shared(article: Article, pages: ConversationPages | None) -> _Shared:
    cache = cast("SizedCache[_Shared]", current_app.extensions[_EXTENSION])
    key = request.scheme, request.host, request.full_path, locale.current().code, article.voted, article.saved
    shared, conversation = cache.get(key), pages.conversation if pages else None
    is_same = shared is not None and shared.article == article and shared.conversation() is conversation
    if shared and is_same and shared.since <= now() < shared.until:
        return shared
    context = {"pages": pages} if pages else {}
    with own_parts.for_all_members() as mark:
        html = render_template("articles/show.html", article=article, all_groups=(), earlier=(), **context)
    reference = weakref.ref(conversation) if conversation else _no_conversation
    shared = _Shared(article, reference, now(), _until(article, pages), cut(html, mark))
    if is_linked_query(request.query_string.decode("latin-1")):
        cache.put(key, shared, sum(map(len, shared.pieces)) + len(article.text) + _ENTRY_BYTES)
    return shared


def _no_conversation() -> None:
    """Return the conversation of a page that shows none."""


def _until(article: Article, pages: ConversationPages | None) -> float:
    """Return when the page will say something else, though article and conversation stay as they are."""
    ends = [voting_end(article, settings().voting_seconds)]
    ends += [comment_permissions.closing_time(article, pages.thread, settings())] if pages else []
    ages = [time + formatting.next_age(now() - time) for time in (article.time, article.edited)]
    return min([*ages, *(end for end in ends if end > now())])


def _new(user: User | None, pages: ConversationPages) -> Markup:
    """Return the line about the comments that are new to *user*, empty if there are none."""
    if not pages.new_here(user) and not pages.new_elsewhere(user):
        return Markup()
    return markup.trusted(render_template("comments/_new.html", pages=pages))
