"""Conversations as pages show them: the reads for a page, and each comment as the viewer sees it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from flask import g, request
from markupsafe import Markup

from voteweb.core import config, markup, permissions
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import CommentId, CommentOrder, Node, Thread
from voteweb.core.conversation import Conversation, ConversationPage, Row
from voteweb.core.errors import ArticleGone, ConversationClosed, ConversationEnded, NoSuchPage, VotewebError
from voteweb.core.markup import RenderedText
from voteweb.core.models import Article, User, Voter
from voteweb.core.names import name_key
from voteweb.store.comments.threads import Expect, ThreadRead
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.auth.login import named_voter, session_user_id, viewer, viewer_read
from voteweb.web.base.context import now, request_globals, settings, store
from voteweb.web.base.urls import page_number, unix_time
from voteweb.web.caching import comment_rows
from voteweb.web.caching.comment_rows import CachedComments, RowContext, ShownComment
from voteweb.web.caching.own_marks import choice, queue_choice
from voteweb.web.caching.text_cache import PageTexts
from voteweb.web.i18n import formatting, locale

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_ARTICLE_ADDRESS = re.compile(r"\w+://[^/]*/a/([0-9]+)\b")
#: The key in the environment of a request for a read that has noted the visit, before the lane left the page to a view.
NOTED_READ = "voteweb.noted_read"


class ChosenPage:
    """The page of a conversation that is asked for: which comments it shows, and the reads of what it lacks.

    Of a large conversation, that are words and the viewer's votes.
    """

    def __init__(
        self,
        article: Article,
        read: ThreadRead,
        *,
        root: int = 0,
        number: int = 1,
        order: CommentOrder = CommentOrder.SCORE,
        newest: str = "",
        others: Iterable[int] = (),
    ) -> None:
        """Choose page *number* of the whole conversation, or of the replies to comment *root*; *others* are shown too.

        Of the first level, those newer than the unix time *newest* are on no page, "" for none.
        Raises NoSuchPage.
        """
        self.article, self.read, self.root, self.order = article, read, root, order
        self.tree = tree(read.thread, order)
        self.page: ConversationPage = self.tree.below(root, number, float(newest or "inf"))
        first = self.page.rows[0] if number == 1 and self.page.rows else None
        #: The time that the links to further pages name, in an order by the newest.
        self.newest = newest or (repr(first.node.time) if first and order is CommentOrder.NEW else "")
        if number > self.page.pages:
            raise NoSuchPage()
        self._others = others

    @cached_property
    def _numbers(self) -> set[int]:
        """The numbers of the comments that the page shows."""
        return {row.node.number for row in self.page.rows}.union(self._others)

    def queue(self, pipeline: Pipeline, viewer: User | None, *, is_seen: bool = True) -> "Future[ShownConversation]":
        """Queue a read of what the page lacks; if it *is_seen*, also a note that *viewer* has read what it shows.

        The choice of *viewer*, who may hide members, is read too, unless this process knows it.
        """
        lacking = queue_lacking(pipeline, self.read, self._numbers, viewer)
        if is_seen and viewer:
            self._queue_seen(pipeline, viewer)
        return pipeline.then(lambda: ShownConversation(self, *lacking.result))

    def _queue_seen(self, pipeline: Pipeline, viewer: User) -> None:
        """Queue a note that *viewer* has read what the page shows, here and in their inbox.

        Mostly that is nothing: what a short conversation shows was noted when it was read. Comments that nobody can
        read now are not new if they can be read again.
        """
        visit = self.read.visit
        unread = visit.unread_to(self.read.thread.last) if visit else set[int]()
        if not (unread or viewer_read().unread.comments):
            return
        if unread & self._numbers:
            is_visible = self.tree.is_visible
            seen = [number for number in unread if number in self._numbers or not is_visible(number)]
            store().threads.queue_shown(pipeline, self.article.id, viewer.name, seen)
        queue_entries_read(pipeline, viewer, self.article.id, self._numbers)


def queue_lacking(
    pipeline: Pipeline, read: ThreadRead, numbers: Iterable[int], viewer: User | None
) -> Future[tuple[Mapping[int, str], frozenset[int]]]:
    """Queue a read of the words of these comments that *read* lacks, and of those among them with a vote of *viewer*.

    Their choice is read, too, unless this process knows it.
    """
    queue_choice(pipeline, viewer)
    site, id = store(), read.thread.article
    missing = [] if read.numbers is None else sorted(set(numbers) - read.numbers)  # all of a short one is known
    words = site.threads.queue_words(pipeline, id, missing) if missing else None
    voted = site.votes.queue_own_on_comments(pipeline, id, missing, viewer.id) if missing and viewer else None
    return pipeline.then(lambda: (words.result if words else {}, voted.result if voted else frozenset()))


def queue_entries_read(pipeline: Pipeline, viewer: User, id: int, numbers: Iterable[int]) -> None:
    """Queue a note that *viewer* has read the entries of their inbox about these comments of article *id*."""
    own, shown = viewer_read(), {CommentId(id, number) for number in numbers}
    if read := [entry for entry, comment in own.unread.comments.items() if comment in shown]:
        store().inbox.queue_mark_read(pipeline, viewer.name, read)
        g.viewer_read = own._replace(unread=own.unread.without(read))


class ShownConversation:
    """The conversation of an article, with all that the page *chosen* shows; *words* and *voted* are what it lacked."""

    def __init__(self, chosen: ChosenPage, words: Mapping[int, str], voted: frozenset[int] = frozenset()) -> None:
        read = chosen.read
        self.chosen, self.article, self.thread = chosen, chosen.article, read.thread
        self.order, self.tree, self.page = chosen.order, chosen.tree, chosen.page
        self.newest = chosen.newest
        self._words, self._voted, self._visit = {**read.words, **words}, read.voted | voted, read.visit
        self._time, self._settings = now(), settings()
        #: Whether comments can be written and voted on.
        self.is_open = permissions.is_open(self.article, self.thread, self._time, self._settings)
        self._texts = PageTexts()

    def words(self, number: int) -> str:
        """Return the words of a comment as they were typed, also those that nobody can read."""
        return self._words.get(number, "")

    def comments_html(self, viewer: User | None, can_write: bool) -> Markup:
        """Return the same as :meth:`encoded_comments` for a template."""
        return markup.trusted(b"".join(self.encoded_comments(viewer, can_write)).decode())

    def encoded_comments(self, viewer: User | None, can_write: bool) -> list[bytes | memoryview]:
        """Return the comments of the page in pieces.

        Those that *viewer* wrote, voted for, has not seen or hides are made for them.
        """
        context = self._row_context(viewer, can_write)
        cached = self._cached_comments(viewer, context)
        html: dict[int, bytes] = {}
        own = cached.by_author.get(name_key(viewer.name), ()) if viewer else ()
        folded = {number for name in self._hidden for number in cached.by_author.get(name, ())}
        for number in {*own, *folded, *((self._voted | self._new_links.keys()) & cached.places.keys())}:
            place = cached.places[number]
            comment = replace(
                self._show(cached.comments[place].row, viewer, cached.comments[place].text),
                is_voted=number in self._voted,
                is_folded=number in folded,
                **self._new_links.get(number, {}),
            )
            html[place] = self._row_html(comment, context)
        return cached.pieces(html)

    def _row_context(self, viewer: User | None, can_write: bool) -> RowContext:
        return RowContext(
            code=locale.current().code,
            id=self.article.id,
            poster=self.article.poster,
            order="" if self.order is CommentOrder.SCORE else f"?order={self.order}",
            is_open=self.is_open,
            is_member=viewer is not None,
            is_held=viewer is not None and bool(viewer.held),
            can_write=can_write,
            may_moderate=permissions.may_moderate(viewer),
        )

    def _cached_comments(self, viewer: User | None, context: RowContext) -> CachedComments:
        """Return the page of a viewer who has no part in the comments, which this process may have made already."""
        key = (self.chosen.root, self.page.number, self.page.skipped, context)
        cached = comment_rows.pages.get(key)
        if cached is None or cached.page is not self.page or not cached.since <= self._time < cached.until:
            cached = self._make_page(replace(viewer, name="") if viewer else None, context)
            comment_rows.pages.put(key, cached, cached.size)
        return cached

    def _make_page(self, stranger: User | None, context: RowContext) -> CachedComments:
        comments, by_author = [], defaultdict(list)
        for row in self.page.rows:
            node = row.node
            is_visible = node.is_visible and not row.is_covered
            text = self._texts.comment(self.words(node.number), node.named) if is_visible else None
            comments.append(self._show(row, stranger, text))
            by_author[name_key(node.author)].append(node.number)
        html = [self._row_html(comment, context) for comment in comments]
        return CachedComments(
            page=self.page,
            since=self._time,
            until=min(
                (row.node.time + formatting.next_age(self._time - row.node.time) for row in self.page.rows), default=0
            ),
            comments=tuple(comments),
            html=b"".join(html),
            starts=tuple(accumulate(map(len, html), initial=0)),
            places={row.node.number: place for place, row in enumerate(self.page.rows)},
            by_author=by_author,
        )

    def _row_html(self, comment: ShownComment, context: RowContext) -> bytes:
        return comment_rows.render_row(comment, self.thread.reasons.get(comment.row.node.number, ""), context)

    def alone(self, number: int, viewer: User | None, *, is_above: bool = False) -> ShownComment | None:
        """Return a comment that stands alone or *is_above* others; None if there is none."""
        row = self.tree.row(number)
        if row is None:
            return None
        may_read = permissions.may_read_comment(viewer, row.node, is_covered=row.is_covered)
        comment = self._show(row, viewer, self._texts.comment(self.words(number), row.node.named) if may_read else None)
        is_folded = is_above and self._hides(row.node)
        is_voted = number in self._voted
        return replace(comment, is_voted=is_voted, is_folded=is_folded, **self._new_links.get(number, {}))

    def _show(self, row: Row, viewer: User | None, text: RenderedText | None) -> ShownComment:
        """Return a comment as *viewer*, who has not voted for it, sees it; *text* is None if they may not read it."""
        return ShownComment(
            row=row,
            text=text,
            voting_state=permissions.comment_voting_state(
                viewer, row.node, is_open=self.is_open and not row.is_covered
            ),
            age=formatting.round_age(self._time - row.node.time),
            is_own=permissions.is_author(viewer, row.node),
            may_edit=permissions.may_edit_comment(viewer, row.node, self._time, self._settings),
        )

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """The members whom the viewer hides, once the viewer has been loaded."""
        return choice().hidden_members

    def _hides(self, node: Node) -> bool:
        return bool(self._hidden) and name_key(node.author) in self._hidden

    @cached_property
    def _new(self) -> set[int]:
        """The readable comments that were new when the visit began; none by the viewer or by whom they hide."""
        numbers = self._visit.marked_to(self.thread.last) if self._visit else ()
        if not numbers:
            return set()
        member, nodes = viewer(), self.thread.nodes
        readable = filter(self.tree.is_visible, numbers)
        return {n for n in readable if not permissions.is_author(member, nodes[n]) and not self._hides(nodes[n])}

    @cached_property
    def _new_links(self) -> dict[int, dict[str, Any]]:
        """The marks of the page by number, each linked with those around it."""
        new = self.new_here
        return {
            number: {"is_new": True, "previous_new": before, "next_new": after}
            for before, number, after in zip([0, *new], new, [*new[1:], 0], strict=False)
        }

    @cached_property
    def new_here(self) -> list[int]:
        """The new comments of the page from top to bottom."""
        if not self._new:
            return []
        return [n for n in (self.chosen.root, *(row.node.number for row in self.page.rows)) if n in self._new]

    @cached_property
    def new_elsewhere(self) -> list[int]:
        """The new comments that are not on this page, the oldest first."""
        return sorted(self._new.difference(self.new_here))

    @property
    def first_new(self) -> str:
        """The address of the first new comment that no page before this one has shown, else of the first."""
        unshown = self._visit.new_to(self.thread.last) if self._visit else set[int]()
        numbers = [*self.new_here, *self.new_elsewhere]
        number = next((n for n in numbers if n in unshown), numbers[0])
        return f"#c{number}" if number in self.new_here else self.address(number)

    def address(self, number: int) -> str:
        """Return the address at which the comment is shown among others, in the order of this page."""
        return place_address(self.article.id, number, self.tree, self.order)

    def link(self, root: int = 0, page: int = 1, order: str = "") -> str:
        """Return the address of a page of the conversation, or of the replies to comment *root*."""
        return page_address(self.article.id, root, page, CommentOrder(order) if order else self.order)

    def refusal(self) -> VotewebError | None:
        """Return why nobody can write here or vote, None if the conversation is open."""
        if not self.article.is_listed:
            return ArticleGone()
        if self.thread.closed:
            return ConversationClosed(when=self.thread.closed, reason=self.thread.close_reason)
        end = permissions.closing_time(self.article, self.thread, self._settings)
        return ConversationEnded(when=end) if self._time >= end else None


def queue_page(
    pipeline: Pipeline,
    article: Article,
    read: ThreadRead,
    viewer: User | None,
    root: int = 0,
    others: Iterable[int] = (),
) -> Future[ShownConversation]:
    """Queue a read of the page of the address for *viewer*, who sees *others* on it too; raise NoSuchPage."""
    order = order_of_page(viewer)
    newest = _newest(order)
    chosen = ChosenPage(article, read, root=root, number=page_number(), order=order, newest=newest, others=others)
    return chosen.queue(pipeline, viewer, is_seen=not is_prefetch())


def _newest(order: CommentOrder) -> str:
    """Return the time after which the pages of the address begin, "" for none."""
    return unix_time("from") if order is CommentOrder.NEW else ""


def queue_thread(pipeline: Pipeline, id: int, root: int = 0, visitor: Voter | None = None) -> Future[ThreadRead]:
    """Queue a read of the conversation of article *id*, for the page of the replies to comment *root*.

    Note that *visitor* sees that page.
    """
    return store().threads.queue_read(
        pipeline,
        id,
        viewer_id=session_user_id(),
        visitor=visitor.name if visitor else "",
        root=root,
        page=page_number() if visitor else 1,
        goes_on=visit_goes_on(request.environ, id),
        expect=_expect(root),
    )


def visitor() -> Voter | None:
    """Return the member who will see the page of the address; None for a reader, or if nobody will."""
    voter = named_voter()
    if voter is None or is_prefetch():
        return None
    try:
        page_number(), order_of_page(None), unix_time("from")
    except NoSuchPage:
        return None
    return voter


def _expect(root: int) -> Expect:
    """Return what names the comments of the page; none if the tree is not kept, since it takes long to build."""

    def expected(thread: Thread) -> set[int]:
        # The viewer is read before the conversation.
        order = order_of_page(request_globals().get("viewer"))
        conversation = _kept_tree(thread, order)
        if conversation is None:
            return set()
        rows = conversation.below(root, page_number(), float(_newest(order) or "inf")).rows
        above = conversation.ancestors(root)[-config.SHOWN_ANCESTORS :] if root in thread.nodes else ()
        return {row.node.number for row in rows} | {node.number for node in above} | {root}

    return expected


def queue_article(pipeline: Pipeline, id: int) -> tuple[Future[Article | None], Future[ThreadRead] | None]:
    """Queue a read of article *id* and of its conversation, if the site has any, whose page is shown to the viewer."""
    comments, member = settings().comments, visitor()
    thread = queue_thread(pipeline, id, visitor=member) if comments else None
    if thread and member:
        noted = request.environ.get(NOTED_READ, thread)  # before the view noted it again, the comments were new
        read = pipeline.then(lambda: replace(thread.result, visit=noted.result.visit))
        return pipeline.then(lambda: thread.result.article), read
    return store().articles.queue_get(pipeline, id), thread


def visit_goes_on(environ: "WSGIEnvironment", id: int) -> bool:
    """Tell whether the page is loaded again, or follows one of article *id*: what was new in it still is."""
    control, referrer = environ.get("HTTP_CACHE_CONTROL", ""), environ.get("HTTP_REFERER", "")
    is_again = NOTED_READ in environ or "max-age=0" in control or "no-cache" in control
    return is_again or ((match := _ARTICLE_ADDRESS.match(referrer)) is not None and match[1] == str(id))


def is_prefetch(environ: "WSGIEnvironment | None" = None) -> bool:
    """Tell whether nobody looks at the answer to this request yet: browsers ask for pages that may be opened next."""
    # Firefox before 115 names the purpose in X-Moz, some browsers of that time in Purpose.
    environ = environ or request.environ
    purposes = (environ.get(name, "") for name in ("HTTP_SEC_PURPOSE", "HTTP_PURPOSE", "HTTP_X_MOZ"))
    return environ["REQUEST_METHOD"] == "HEAD" or any("prefetch" in purpose for purpose in purposes)


def tree(thread: Thread, order: CommentOrder) -> Conversation:
    """Return the conversation of *thread* in this *order*, which this process may have built already."""
    conversation = _kept_tree(thread, order)
    if conversation is None:
        score = settings().comment_vote_score
        conversation = Conversation(thread, order, score, now())
        _trees.put((thread.article, order, score), (thread, conversation))
    return conversation


def _kept_tree(thread: Thread, order: CommentOrder) -> Conversation | None:
    """Return the conversation of *thread* if it is kept; a restored database may give a revision to other comments."""
    kept = _trees.get((thread.article, order, settings().comment_vote_score))
    is_right = kept and (kept[0] is thread or kept[0] == thread) and now() < kept[1].until
    return kept[1] if kept and is_right else None


#: Trees by article, order and score of a vote, until a conversation changes or a comment is no longer new: each is
#: built once for all viewers.
_trees: BoundedCache[tuple[int, CommentOrder, float], tuple[Thread, Conversation]] = BoundedCache(
    config.THREAD_CACHE_SIZE
)


def order_of_page(viewer: User | None) -> CommentOrder:
    """Return the order that the address asks for, else that of *viewer*; raise NoSuchPage if none has this name."""
    try:
        return order_in(request.args, viewer) if request.query_string else own_order(viewer)
    except ValueError:
        raise NoSuchPage() from None


def order_in(query: Mapping[str, str], viewer: User | None) -> CommentOrder:
    """Return the order that the *query* of an address asks for, else that of *viewer*; raise ValueError.

    The pages of one by score have numbers alone: whoever follows a link to a comment gets the page that has it.
    """
    asked = query.get("order", "score" if "page" in query else None)
    return own_order(viewer) if asked is None else CommentOrder(asked)


def own_order(member: User | None) -> CommentOrder:
    """Return the order in which *member* reads conversations; for a reader, and one who never chose, that by score."""
    chosen = member.order if member else ""
    return CommentOrder(chosen) if chosen and chosen in set(CommentOrder) else CommentOrder.SCORE


def page_address(id: int, root: int, page: int, order: CommentOrder) -> str:
    """Return the address of a page of the conversation of article *id*, or of the replies to its comment *root*."""
    query = [f"order={order}"] if order is not CommentOrder.SCORE else []
    query += [f"page={page}"] if page > 1 else []
    path = f"/a/{id}/c/{root}" if root else f"/a/{id}"
    return f"{path}?{'&'.join(query)}" if query else path


def place_address(id: int, number: int, conversation: Conversation, order: CommentOrder) -> str:
    """Return the address at which comment *number* of article *id* is shown among others."""
    place = conversation.place(number)
    return f"{page_address(id, place.root, place.page, order)}#c{number}"
