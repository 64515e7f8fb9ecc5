"""Pages of articles that members share: each is rendered once for all who see the same.

Article and conversation are read for each request, and a page is used for equal ones only: unlike the frames of lists
(:mod:`voteweb.web.caching.shared_pages`) it is never late, and needs no VOTEWEB_PAGE_SECONDS. The viewer's own parts
are filled in, and those whose page differs in more places get it rendered as a whole: moderators, accounts that wait,
posters, those who hide the article, and everybody whose form was refused.
"""

import re
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from flask import Flask, g, render_template, request
from markupsafe import Markup

from voteweb.core import comment_permissions, config, permissions
from voteweb.core.conversation import Conversation
from voteweb.core.models import Article, Role, User, Voter
from voteweb.core.names import name_key
from voteweb.core.ranking import voting_end
from voteweb.core.validation import new_submission_token
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.viewers import Viewer
from voteweb.web import my_site
from voteweb.web.caching import own_parts, shared_pages
from voteweb.web.caching.fragment_cache import render as render_fragment
from voteweb.web.caching.frames import Part, Pieces, cut, fill
from voteweb.web.caching.page_cache import Key, is_linked_query, page_key
from voteweb.web.caching.sized_cache import SizedCache
from voteweb.web.context import current_app, now, settings, store
from voteweb.web.conversations import ConversationPages, expected_on_page, is_prefetch
from voteweb.web.i18n import formatting, locale
from voteweb.web.own_marks import mark_saved, mark_voted

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_EXTENSION = "voteweb.shared_articles"
#: The path of an article; Flask takes some others too.
_PATH = re.compile(r"/a/([1-9][0-9]{0,15})", re.ASCII)
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
    key = page_key(request.environ, locale.current().code)
    return _fill(_find(key, article, pages) or _make(key, article, pages), user, pages, own_parts.parts())


def _fill(pieces: Pieces, user: User | None, pages: ConversationPages | None, parts: dict[str, Part]) -> bytes:
    parts["once"] = [new_submission_token().encode()]
    if pages and pages.page.rows:
        parts["comments"] = pages.encoded_comments(user, pages.is_open)
        parts["new"] = [_new(user, pages).encode()]
    return fill(pieces, parts)


def _find(key: Key, article: Article, pages: ConversationPages | None) -> Pieces | None:
    """Return the page of *article* and its conversation as they are now, None if it is to be made."""
    shared = _cache(current_app()).get((*key, article.voted, article.saved))
    if shared is None or shared.article != article or not shared.since <= now() < shared.until:
        return None
    return shared.pieces if shared.conversation() is (pages.conversation if pages else None) else None


def _make(key: Key, article: Article, pages: ConversationPages | None) -> Pieces:
    context = {"pages": pages} if pages else {}
    with own_parts.for_all_members() as mark:
        html = render_template("articles/show.html", article=article, all_groups=(), earlier=(), **context)
    reference = weakref.ref(pages.conversation) if pages else _no_conversation
    shared = _Shared(article, reference, now(), _until(article, pages), cut(html, mark))
    if is_linked_query(request.query_string.decode("latin-1")):
        size = sum(map(len, shared.pieces)) + len(article.text) + _ENTRY_BYTES
        _cache(current_app()).put((*key, article.voted, article.saved), shared, size)
    return shared.pieces


def _cache(app: Flask) -> "SizedCache[_Shared]":
    return cast("SizedCache[_Shared]", app.extensions[_EXTENSION])


@dataclass(frozen=True, slots=True)
class _ArticlePage:
    """The page of an article, under this key (see :mod:`voteweb.web.caching.shared_page_middleware`)."""

    id: int
    key: Key
    environ: "WSGIEnvironment"
    language: locale.Language
    route: str = "articles.show"

    def queue(self, pipeline: Pipeline, voter: Voter, _viewer: Future[Viewer]) -> Callable[..., bytes | None]:
        """Queue a read of article and conversation for *voter*, and a note of the visit.

        To note it once more, for a page that a view makes instead, changes nothing.
        """
        site = store()
        thread = site.threads.queue_read(
            pipeline, self.id, viewer_id=voter.id, visitor=voter.name, expect=expected_on_page
        )
        votes = site.votes.queue_own(pipeline, (self.id,), voter.id)
        saves = my_site.queue_saves(pipeline, (self.id,), voter)

        def fill_found(user: User, parts: dict[str, Part]) -> bytes | None:
            article = thread.result.article
            # The first of them also remembers who may share no page, for the finder.
            if not shared_pages.may_share(user) or article is None or not may_share(user, article):
                return None
            (article,) = mark_saved(mark_voted((article,), votes.result), saves.result)
            pages, more = ConversationPages(article, thread.result), site.pipeline()
            pages.queue_missing(more, user)
            unread = g.unread
            pages.queue_mark_read(more, user)
            more.execute()
            if g.unread is not unread:
                parts[own_parts.ACCOUNT] = own_parts.account_part()
            pieces = _find(self.key, article, pages)
            if pieces is None:
                # Pages are kept for this host and address, so that the checks of both may be left out.
                with current_app().request_context(self.environ):
                    pieces = _make(self.key, article, pages)
            return _fill(pieces, user, pages, parts)

        return fill_found


def finder(app: Flask) -> Callable[..., _ArticlePage | None]:
    """Return what finds the page of an article that may answer a request to *app*."""
    cache, has_comments = _cache(app), cast(bool, app.extensions["voteweb.settings"].comments)
    excluded = shared_pages.of_app(app).excluded

    def find(environ: "WSGIEnvironment", cookies: Mapping[str, str], voter: Voter) -> _ArticlePage | None:
        match = _PATH.fullmatch(environ.get("PATH_INFO", ""))
        if not match or environ.get("QUERY_STRING") or not has_comments or is_prefetch(environ):
            return None
        language = locale.negotiate(cookies.get(locale.COOKIE, ""), environ.get("HTTP_ACCEPT_LANGUAGE", ""))
        key = page_key(environ, language.code)
        kept = [cache.get((*key, voted, saved)) for voted in (False, True) for saved in (False, True)]
        # Whoever cannot have it would wait for two round trips.
        is_usual = any(page and name_key(page.article.poster) != name_key(voter.name) for page in kept)
        if not is_usual or excluded.get(voter.id, False):
            return None
        return _ArticlePage(int(match[1]), key, environ, language)

    return find


def _no_conversation() -> None:
    """Return the conversation of a page that shows none."""


def _until(article: Article, pages: ConversationPages | None) -> float:
    """Return when the page will say something else, though article and conversation stay as they are."""
    ends = [voting_end(article, settings().voting_seconds)]
    if pages:
        closing = comment_permissions.closing_time(article, pages.thread, settings())
        ends += [closing - config.CLOSING_SOON_SECONDS, closing]
    ages = [time + formatting.next_age(now() - time) for time in (article.time, article.edited)]
    return min([*ages, *(end for end in ends if end > now())])


def _new(user: User | None, pages: ConversationPages) -> Markup:
    """Return the line about the comments that are new to *user*, empty if there are none."""
    if not pages.new_here(user) and not pages.new_elsewhere(user):
        return Markup()
    return render_fragment("comments/_new.html", locale.current().code, pages=pages, viewer=user)
