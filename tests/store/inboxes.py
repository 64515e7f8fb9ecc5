"""Read inboxes in one call, and compare their number with their pages."""

from voteweb.core import config
from voteweb.core.comments import CommentId, Notice, Unread
from voteweb.core.models import Page, Voter
from voteweb.store import Store


def page(store: Store, number: int = 1) -> Page[Notice]:
    """Return a page of ann's inbox."""
    pipeline = store.pipeline()
    notices = store.inbox.queue_page(pipeline, "Ann", number)
    pipeline.execute()
    return notices.result


def unread(store: Store) -> Unread:
    """Return what is unread in ann's inbox; the number must be that of the entries shown as unread."""
    pipeline = store.pipeline()
    viewer = store.viewers.queue_read(pipeline, Voter(1, "Ann", "session"))
    pipeline.execute()
    shown: list[Notice] = []
    for number in range(1, config.INBOX_SIZE // config.INBOX_PAGE_SIZE + 1):
        shown += page(store, number).rows
    assert page(store).total == len(shown)
    shown = [notice for notice in shown if notice.is_unread]
    assert viewer.result.unread.count == len(shown)
    assert viewer.result.unread.comments == {notice.entry: notice.comment.id for notice in shown if notice.comment}
    return viewer.result.unread


def unread_comments(store: Store) -> set[CommentId]:
    """Return the comments about which ann has unread entries."""
    return set(unread(store).comments.values())
