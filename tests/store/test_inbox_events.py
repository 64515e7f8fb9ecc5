"""The number of unread entries through everything that changes what can be read: it is always that of the inbox."""

import pytest

from tests import factories
from tests.store.inboxes import page, unread, unread_comments
from voteweb.core.comments import CommentId, NoticeKind
from voteweb.core.models import Role, User
from voteweb.store import Store


@pytest.fixture
def bob(store: Store) -> User:
    """A member who answers ann: three comments below her article 1, 1.2 with a reply of carl's, 1.4, that names her."""
    article, bob = factories.article(store), factories.user(store, "bob")
    for _ in range(3):
        factories.comment(store, article, bob)
    factories.comment(store, article, factories.user(store, "carl"), parent=2, text="Look at this, @Ann!")
    return bob


def numbers(store: Store) -> set[int]:
    """Return the numbers of ann's unread comments on article 1."""
    return {id.number for id in unread_comments(store)}


def test_number_follows_every_act(store: Store, bob: User) -> None:
    mod = factories.user(store, "mod", Role.MODERATOR)
    assert numbers(store) == {1, 2, 3, 4}
    for id, with_replies, left in (
        (CommentId(1, 2), False, {1, 3, 4}),
        (CommentId(1, 2), True, {1, 3}),
        (1, False, set[int]()),
    ):
        options = {"with_replies": True} if with_replies else {}
        factories.remove(store, id, actor=mod, **options)
        assert numbers(store) == left
        factories.restore(store, id, actor=mod)
        assert numbers(store) == {1, 2, 3, 4}
    factories.ban(store, "bob")
    assert numbers(store) == {1, 2, 3, 4}
    factories.lift(store, "bob")
    store.removals.delete(CommentId(1, 2), bob)
    assert numbers(store) == {1, 3, 4}


def test_act_of_a_moderator_is_an_entry_of_the_author(store: Store, bob: User) -> None:
    mod = factories.user(store, "mod", Role.MODERATOR)
    own = factories.comment(store, 1, parent=1)  # by ann, who is told of its removal
    factories.remove(store, own, "Off topic.", actor=mod)
    assert unread(store).count == 5
    notice = page(store).rows[0]
    assert (notice.kind, notice.comment) == (NoticeKind.REMOVED, None)
    assert notice.log is not None
    assert (notice.log.why, notice.log.comment) == ("Off topic.", own.number)


def test_author_who_leaves_takes_the_entries_of_deleted_comments_along(store: Store, bob: User) -> None:
    store.account_deletion.start(bob, delete_articles=True)
    store.account_deletion.finish("bob")
    assert numbers(store) == {4}
