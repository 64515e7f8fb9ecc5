"""Read inboxes in one call, and compare their number with their pages."""

from functools import partial

from voteweb.core import config
from voteweb.core.comments import CommentId, Notice, Unread
from voteweb.core.models import Page, Voter
from voteweb.store import Store


def page(store: Store, number: int = 1) -> Page[Notice]:
    """Return a page of ann's inbox; the first member is ann."""
    return store.read(partial(store.inbox.queue_page, viewer_id=1), "Ann", number)


def unread(store: Store) -> Unread:
    """Return what is unread in ann's inbox; the number must be that of the entries shown as unread, or alone."""
    viewer = store.read(store.viewers.queue_read, Voter(1, "Ann", "session"))
    shown: list[Notice] = []
    for number in range(1, config.INBOX_SIZE // config.INBOX_PAGE_SIZE + 1):
        shown += page(store, number).rows
    assert page(store).total == len(shown)
    shown = [notice for notice in shown if notice.is_unread]
    assert viewer.unread.count == len(shown)
    assert shown == list(store.read_all(partial(store.inbox.queue_page, only_unread=True, viewer_id=1), "Ann"))
    assert viewer.unread.comments == {notice.entry: notice.comment.id for notice in shown if notice.comment}
    return viewer.unread


def unread_comments(store: Store) -> set[CommentId]:
    """Return the comments about which ann has unread entries."""
    return set(unread(store).comments.values())
