"""A conversation of long, foreign and hostile texts, with comments in every state, and the paths of its pages."""

from collections.abc import Sequence

from tests import factories
from tests.store.thread_data import node, write_thread
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction, LogEntry, Reason, User
from voteweb.store import Store

ARTICLE = 7
CLOSED_ARTICLE = 8
#: With the others more than a page has.
SHORT_COMMENTS = config.COMMENTS_ON_PAGE
MEMBERS_COMMENT = 2


def fill(store: Store, mod: User, member: User, other: User, texts: Sequence[str]) -> None:
    """Create comments on two articles by *member*, in every state, with entries in inboxes and reports of two."""

    def write(author: User, text: str, parent: int = 0) -> int:
        return factories.comment(store, ARTICLE, author, parent=parent, text=text).number

    write(other, texts[0])
    read(store, member, ARTICLE)
    parent = write(member, f"@{mod.name} {texts[1]}", 1)
    for level in range(3, config.LEVELS_ON_PAGE + 3):
        parent = write(other if level % 2 else member, texts[level % len(texts)], parent)
    for state in ("deleted", "removed", "removed with replies"):
        number = write(other, f"This will be {state}.")
        write(mod, f"An answer to one that is {state}.", number)
        if state == "deleted":
            store.removals.delete(CommentId(ARTICLE, number), other)
        else:
            id, why = CommentId(ARTICLE, number), texts[-1][: config.MAX_REASON_LENGTH]
            factories.remove(store, id, why, mod.name, with_replies="replies" in state, actor=mod)
    for number in (1, 3):
        store.reports.make(CommentId(ARTICLE, number), mod, Reason.SPAM, "Look at this.")
    first = store.threads.get(ARTICLE).last + 1
    write_thread(store, ARTICLE, [node(number, author=other.name) for number in range(first, first + SHORT_COMMENTS)])
    factories.comment(store, CLOSED_ARTICLE, other, text="A last word.")
    closing = LogEntry(
        LogAction.CLOSE, mod.name, about=member.name, article=CLOSED_ARTICLE, title="t", why="It went in circles."
    )
    store.threads.set_closed(CLOSED_ARTICLE, closing, actor=mod, closes=True)


def read(store: Store, member: User, article: int) -> None:
    """Note a visit of *member* to the conversation of an *article*: what is written later is new."""
    store.read(store.threads.queue_read, article, viewer_id=member.id, visitor=member.name)


_ARTICLE = f"/a/{ARTICLE}"
FOR_ALL = [_ARTICLE, f"{_ARTICLE}?order=new&page=2", f"{_ARTICLE}/c/1", f"{_ARTICLE}/c/6", "/comments"]
FOR_MEMBER = [
    *FOR_ALL,
    f"{_ARTICLE}/comment",
    f"{_ARTICLE}/c/1/reply?quote=1",
    f"{_ARTICLE}/c/{MEMBERS_COMMENT}",
    f"{_ARTICLE}/c/{MEMBERS_COMMENT}/edit",
    f"{_ARTICLE}/c/1/report",
    f"{_ARTICLE}/c/{MEMBERS_COMMENT}/delete",
    f"/a/{CLOSED_ARTICLE}",
    "/inbox",
    "/inbox/all",
]
FOR_MODERATOR = [_ARTICLE, f"{_ARTICLE}/c/11", f"{_ARTICLE}/c/1/reports", f"/a/{CLOSED_ARTICLE}", "/inbox"]
#: The comment that was removed with its replies, to which the log leads.
GONE = f"{_ARTICLE}/c/13"
