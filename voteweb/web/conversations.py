"""Conversations as pages show them: what is read for a page, and each comment as the viewer sees it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import g, request
from markupsafe import Markup

from voteweb.core import comment_permissions
from voteweb.core.comment_errors import ConversationClosed, ConversationEnded
from voteweb.core.comments import CommentId, CommentOrder, CommentStatus, Node, Thread
from voteweb.core.conversation import Conversation, ConversationPage
from voteweb.core.conversation_rows import Row
from voteweb.core.errors import ArticleGone, NoSuchPage, VotewebError
from voteweb.core.models import Article, User, VotingState
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.threads import ThreadRead
from voteweb.web.auth.login import session_user_id, session_voter
from voteweb.web.caching.conversation_cache import comment_texts
from voteweb.web.caching.conversation_cache import conversations as kept
from voteweb.web.context import now, settings, store


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment as the viewer sees it: ``text`` is None where one line stands for it.

    ``next_new`` and ``previous_new`` are the numbers of the new comments around it on the page, 0 for none, if it
    ``is_new`` itself. ``ended`` is the number of the top-level comment whose conversation ends with it, 0 for none, and
    ``after`` that of the next conversation.
    """

    row: Row
    text: Markup | None
    voting_state: VotingState
    is_voted: bool = False
    is_own: bool = False
    is_new: bool = False
    next_new: int = 0
    previous_new: int = 0
    ended: int = 0
    after: int = 0


class ConversationPages:
    """The conversation of one article, read for one page of it.

    Of a large conversation, the words and the viewer's votes are missing at first: :meth:`queue_missing` reads those of
    the comments that the page shows.
    """

    def __init__(self, article: Article, read: ThreadRead, *, root: int = 0, number: int = 1) -> None:
        """Choose the comments of page *number*: of the whole conversation, or of the replies to comment *root*."""
        self.article = article
        self.thread: Thread = read.thread
        self.order = order_of_address()
        self.conversation = tree(read.thread, self.order)
        self.page: ConversationPage = self.conversation.below(root, number, settings().comments_on_page)
        if number > self.page.pages:
            raise NoSuchPage()
        self._read = read
        self._words: Future[dict[int, str]] | None = None
        self._voted: Future[frozenset[int]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether comments can be written and voted on."""
        return comment_permissions.is_open(self.article, self.thread, now(), settings())

    def queue_missing(self, pipeline: Pipeline, viewer: User | None, others: Iterable[int] = ()) -> None:
        """Queue a read of the words and of the votes of *viewer* that are missing, also for the comments *others*."""
        numbers = sorted({row.node.number for row in self.page.rows} | set(others))
        if self._read.words is None and numbers:
            self._words = store().threads.queue_words(pipeline, self.article.id, numbers)
        if self._read.voted is None and numbers and viewer:
            self._voted = store().comment_votes.queue_own(pipeline, self.article.id, numbers, viewer.id)

    def queue_mark_read(self, pipeline: Pipeline, viewer: User | None, others: Iterable[int] = ()) -> None:
        """Queue that what *viewer* sees now is read in their inbox, also the comments *others*: mostly nothing."""
        unread = g.get("unread")
        if viewer is None or unread is None or is_prefetch():
            return
        numbers = {row.node.number for row in self.page.rows} | set(others)
        if read := unread.comments & {CommentId(self.article.id, number) for number in numbers}:
            store().inbox.queue_mark_read(pipeline, viewer.name, read)
            g.unread = unread.without(read)

    def context(self, viewer: User | None) -> dict[str, Any]:
        """Return what comments/_conversation.html needs."""
        return {"pages": self, "comments": self.rows(viewer), "new": self.new_elsewhere(viewer)}

    def words(self, number: int) -> str:
        """Return the words of a comment as they were typed, whoever may read them."""
        words = self._words.result if self._words else self._read.words or {}
        return words.get(number, "")

    def rows(self, viewer: User | None) -> tuple[ShownComment, ...]:
        """Return the comments of the page."""
        new = [row.node.number for row in self.page.rows if self.is_new(row.node, viewer)]
        around = {number: (before, after) for before, number, after in zip([0, *new], new, [*new[1:], 0], strict=False)}
        shown, top = [], None
        for row in self.page.rows:
            top = row if row.level == 1 else top
            ends_top = bool(row.ends) and row.level - len(row.ends) == 1
            shown.append(self._show(row, viewer, around.get(row.node.number), top if ends_top else None))
        return tuple(shown)

    def alone(self, number: int, viewer: User | None) -> ShownComment | None:
        """Return a comment that stands alone or above others; None if there is none."""
        row = self.conversation.row(number)
        return self._show(row, viewer, None, None, is_alone=True) if row else None

    def _show(
        self,
        row: Row,
        viewer: User | None,
        around: tuple[int, int] | None,
        ended: Row | None,
        *,
        is_alone: bool = False,
    ) -> ShownComment:
        node = row.node
        is_visible = node.status is CommentStatus.VISIBLE and not row.is_covered
        may_read = is_visible or (
            is_alone and comment_permissions.may_read_comment(viewer, node, is_covered=row.is_covered)
        )
        voted = self._voted.result if self._voted else self._read.voted or frozenset()
        previous_new, next_new = around or (0, 0)
        return ShownComment(
            row=row,
            text=comment_texts.render(self.words(node.number)) if may_read else None,
            voting_state=comment_permissions.comment_voting_state(
                viewer, node, is_open=self.is_open and not row.is_covered
            ),
            is_voted=node.number in voted,
            is_own=comment_permissions.is_author(viewer, node),
            is_new=around is not None,
            next_new=next_new,
            previous_new=previous_new,
            ended=ended.node.number if ended else 0,
            after=ended.next_sibling if ended else 0,
        )

    def is_new(self, node: Node, viewer: User | None) -> bool:
        """Tell whether the comment was written since the viewer's last visit, by somebody else."""
        visit = self._read.visit
        return visit is not None and node.number > visit.base and not comment_permissions.is_author(viewer, node)

    def new_elsewhere(self, viewer: User | None) -> tuple[CommentId, ...]:
        """Return the new comments that can be read, but not on this page."""
        if self._read.visit is None or self._read.visit.base >= self.thread.last:
            return ()
        here = {row.node.number for row in self.page.rows}
        return tuple(
            CommentId(self.article.id, number)
            for number, node in self.thread.nodes.items()
            if number not in here and self.is_new(node, viewer) and self.conversation.is_visible(number)
        )

    def address(self, number: int) -> str:
        """Return the address at which the comment is shown among others, in the order of this page."""
        return place_address(self.article.id, number, self.conversation, self.order)

    def link(self, root: int = 0, page: int = 1, order: str = "") -> str:
        """Return the address of a page of the conversation, or of the replies to comment *root*."""
        return page_address(self.article.id, root, page, CommentOrder(order) if order else self.order)

    def refusal(self) -> VotewebError | None:
        """Return why nobody can write here or vote, None if the conversation is open."""
        if not self.article.is_listed:
            return ArticleGone()
        if self.thread.closed:
            return ConversationClosed(when=self.thread.closed, reason=self.thread.close_reason)
        end = comment_permissions.closing_time(self.article, self.thread, settings())
        return ConversationEnded(when=end) if now() >= end else None


def queue_thread(pipeline: Pipeline, id: int, *, is_visit: bool = False) -> Future[ThreadRead]:
    """Queue a read of the conversation of article *id*; *is_visit*: its page is shown to the viewer."""
    visitor = session_voter().name if is_visit and session_user_id() and not is_prefetch() else ""
    return store().threads.queue_read(pipeline, id, viewer_id=session_user_id(), visitor=visitor)


def is_prefetch() -> bool:
    """Tell whether nobody looks at the answer to this request yet: browsers ask for pages that may be opened next."""
    # Firefox before 115 names the purpose in X-Moz, some browsers of that time in Purpose.
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return request.method == "HEAD" or any("prefetch" in purpose for purpose in purposes)


def tree(thread: Thread, order: CommentOrder) -> Conversation:
    """Return the conversation of *thread* in this *order*, which this process may have built already."""
    return kept.get(thread, order, settings().comment_vote_score)


def order_of_address() -> CommentOrder:
    """Return the order that the address asks for; raise NoSuchPage if there is none of this name."""
    try:
        return CommentOrder(request.args.get("order", CommentOrder.SCORE))
    except ValueError:
        raise NoSuchPage() from None


def page_address(id: int, root: int, page: int, order: CommentOrder) -> str:
    """Return the address of a page of the conversation of article *id*, or of the replies to its comment *root*."""
    query = [f"order={order}"] if order is not CommentOrder.SCORE else []
    query += [f"page={page}"] if page > 1 else []
    path = f"/a/{id}/c/{root}" if root else f"/a/{id}"
    return f"{path}?{'&'.join(query)}" if query else path


def place_address(id: int, number: int, conversation: Conversation, order: CommentOrder) -> str:
    """Return the address at which comment *number* of article *id* is shown among others."""
    place = conversation.place(number, settings().comments_on_page)
    return f"{page_address(id, place.root, place.page, order)}#c{number}"
