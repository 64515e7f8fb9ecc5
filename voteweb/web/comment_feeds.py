"""Comments and notices as items of feeds."""

from dataclasses import dataclass
from html import unescape

from voteweb.core import config
from voteweb.core.comments import CommentId, ListedComment, Node, Notice, NoticeKind, Thread
from voteweb.core.conversation import Conversation
from voteweb.core.markup import excerpt
from voteweb.core.models import Article, LogEntry
from voteweb.web.caching.text_cache import page_texts
from voteweb.web.feeds import Item, author_url, permanent_id
from voteweb.web.i18n.formatting import display_name
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.responses import render_public
from voteweb.web.urls import absolute, comment_path


@dataclass(frozen=True, slots=True)
class ThreadFeed:
    """The newest comments of a conversation that anybody can read, newest first: ``numbers``."""

    article: Article
    thread: Thread
    numbers: tuple[int, ...]

    def items(self, words: dict[int, str]) -> tuple[Item, ...]:
        """Return the comments, of these *words*, as items."""
        return tuple(self._item(self.thread.nodes[number], words.get(number, "")) for number in self.numbers)

    def _item(self, node: Node, text: str) -> Item:
        id, parent = CommentId(self.article.id, node.number), self.thread.nodes.get(node.parent)
        if parent:
            answers = (_comment_id(id.article, parent), absolute(comment_path(id.article, parent.number)))
        else:
            answers = (permanent_id("article", id.article, self.article.time), absolute(f"/a/{id.article}"))
        return _item(id, node, text, _title(node, self.article.title), answers)


def newest_comments(article: Article, conversation: Conversation, thread: Thread, root: int = 0) -> ThreadFeed:
    """Return the newest comments of a conversation, or of the replies to the comment *root*, as a feed shows them."""
    numbers: list[int] = []
    for number in sorted(thread.nodes, reverse=True):
        is_below = not root or any(node.number == root for node in conversation.ancestors(number))
        if is_below and conversation.is_visible(number):
            numbers.append(number)
        if len(numbers) == config.COMMENT_PAGE_SIZE:
            break
    return ThreadFeed(article, thread, tuple(numbers))


def comment_item(comment: ListedComment) -> Item:
    """Return a comment of a list as an item."""
    return _item(comment.id, comment.node, comment.text, _title(comment.node, comment.title))


def notice_item(notice: Notice) -> Item | None:
    """Return an entry of an inbox as an item, None if it is about nothing that is there."""
    if notice.log:
        return _log_item(notice, notice.log)
    if notice.comment is None:
        return None
    values = {"name": display_name(notice.comment.node.author), "title": notice.comment.title}
    titles = {
        NoticeKind.REPLY: _("%(name)s answered your comment on “%(title)s”", **values),
        NoticeKind.ARTICLE: _("%(name)s commented on your article “%(title)s”", **values),
        NoticeKind.MENTION: _("%(name)s mentioned you on “%(title)s”", **values),
    }
    comment = notice.comment
    return _item(comment.id, comment.node, comment.text, titles[notice.kind])


def _log_item(notice: Notice, log: LogEntry) -> Item:
    url = absolute(comment_path(log.article, log.comment) if log.comment else f"/a/{log.article}")
    return Item(
        id=permanent_id("act", log.id, log.time),
        title=unescape(render_public("moderation_log/_title.html", entry=log).strip()),
        url=url,
        page_url=url,
        author=log.who,
        author_url=author_url(log.who),
        published=notice.time,
        updated=notice.time,
        content=render_public("moderation_log/_content.html", entry=log),
    )


def _title(node: Node, title: str) -> str:
    return _("%(name)s on “%(title)s”", name=display_name(node.author), title=title)


def _comment_id(article: int, node: Node) -> str:
    return permanent_id(f"comment {article}", node.number, node.time)


def _item(id: CommentId, node: Node, text: str, title: str, answers: tuple[str, str] = ("", "")) -> Item:
    url = absolute(comment_path(*id))
    return Item(
        id=_comment_id(id.article, node),
        title=title,
        url=url,
        page_url=url,
        author=display_name(node.author),
        author_url=author_url(node.author),
        published=node.time,
        updated=node.time,
        content=render_public("feeds/_comment.html", text=page_texts().comment(excerpt(text)), page=url),
        answers=answers,
    )
