"""Lists of comments: what can be read of the newest, of a member's, and of single ones."""

from tests import factories
from tests.store.examination import run
from tests.store.thread_data import node, write_thread
from voteweb.core.comments import CommentId, CommentStatus, ListedComment
from voteweb.core.models import Page
from voteweb.store import Store


def newest(store: Store, number: int = 1) -> Page[ListedComment]:
    """Return a page of the site's newest comments."""
    return store.read(store.listings.queue_newest_comments, number)


def of_member(store: Store, name: str, number: int = 1) -> list[str]:
    """Return the comments on a page of a member's."""
    page = store.read(store.listings.queue_member_comments, name, number)
    return [str(row.id) for row in page.rows]


def test_a_listed_comment_has_its_context(store: Store) -> None:
    factories.article(store, factories.user(store, "Zoe"), title="标题 & title")
    first, reply = node(1, author="Bob"), node(2, parent=1, author="carl")
    write_thread(store, 1, [first, reply])
    rows = (
        ListedComment(CommentId(1, 2), reply, "Comment 2", "标题 & title", "Zoe", "Bob"),
        ListedComment(CommentId(1, 1), first, "Comment 1", "标题 & title", "Zoe"),
    )
    assert newest(store) == Page(rows, 1, total=2, first_rank=1, more=False)


def test_lists_have_pages_by_position(store: Store) -> None:
    factories.article(store)
    nodes = [node(number, author="bob" if number % 2 else "carl") for number in range(1, 61)]
    write_thread(store, 1, [*nodes, node(60, status=CommentStatus.REMOVED, author="carl")])
    pages = [newest(store, number) for number in (1, 2, 3)]
    assert [row.id.number for page in pages for row in page.rows] == list(range(59, 0, -1))
    assert [(len(page.rows), page.first_rank, page.more) for page in pages] == [
        (24, 1, True),
        (25, 26, True),
        (10, 51, False),
    ]
    assert of_member(store, "BOB", 2) == ["1.9", "1.7", "1.5", "1.3", "1.1"]


def test_lists_leave_out_what_cannot_be_read(store: Store) -> None:
    for _ in range(3):
        factories.article(store)
    write_thread(store, 1, [node(1), node(2, status=CommentStatus.DELETED, author=""), node(3)])
    write_thread(store, 2, [node(1)])
    write_thread(store, 3, [node(1), node(2, parent=1)])
    run(store, "SETBIT", "hidden:3", 2, 1)  # below one that was removed with its replies
    factories.remove(store, 2)
    run(store, "SET", "thread:4", "no hash")
    run(store, "HSET", "article:4", "title", "A title")
    run(store, "LPUSH", "comments:", "4.1", "1.9", "9.1", "what another program wrote", "1.99999999999999999999")
    assert [str(row.id) for row in newest(store).rows] == ["3.1", "1.3", "1.1"]
    assert of_member(store, "bob") == ["3.1", "1.3", "1.1"]
    assert [str(row.id) for row in store.listings.member_comments("bob")] == ["3.2", "3.1", "2.1", "1.3", "1.1"]


def test_replies_vanish_at_once_with_one_removed_above(store: Store) -> None:
    """While the bits of replies are being changed, what stands above them decides."""
    factories.article(store)
    removed = node(1, status=CommentStatus.REMOVED, removes_replies=True)
    write_thread(store, 1, [removed, node(2, parent=1), node(3, parent=2), node(4)])
    run(store, "SETBIT", "hidden:1", 4, 1)  # restored, but its bit has not been changed yet
    run(store, "SADD", "removing:", 1)
    assert [str(row.id) for row in newest(store).rows] == ["1.4"]
