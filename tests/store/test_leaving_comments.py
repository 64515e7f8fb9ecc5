"""The deletion of an account: its comments, their reports, the inbox and visits."""

import pytest

from tests import factories
from tests.store.examination import broken, run, snapshot
from voteweb.core.comments import CommentId
from voteweb.core.config import DELETED_MEMBER
from voteweb.core.models import Reason, User
from voteweb.store import Store
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.scan.scanner import BATCH_SIZE, batched


@pytest.fixture
def ann(store: Store) -> User:
    """A member with comments 1 and 3, which answers bob's 2; she has reported 2, and has an inbox with a feed."""
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    factories.article(store, bob)
    factories.comment(store, 1, ann, text="words of Ann")
    factories.comment(store, 1, bob, parent=1, text="words of bob")
    factories.comment(store, 1, ann, parent=2, text="more words of Ann")
    store.votes.cast(CommentId(1, 3), bob)
    store.reports.make(CommentId(1, 2), ann, Reason.SPAM, "words of the report")
    store.read(store.threads.queue_read, 1, visitor="Ann")
    store.feeds.renew(SecretFeed.INBOX, ann)
    return ann


def leave(store: Store, member: User, *, delete_articles: bool) -> None:
    """Delete the account of *member*, in steps."""
    store.account_deletion.start(member, delete_articles=delete_articles)
    for _ in store.account_deletion.steps():
        pass


def test_kept_comments_lose_the_name_and_keep_words_and_votes(store: Store, ann: User) -> None:
    revision = factories.thread(store).revision
    leave(store, ann, delete_articles=False)
    thread = factories.thread(store)
    assert [(node.author, node.votes) for node in thread.nodes.values()] == [
        (DELETED_MEMBER, 0), ("bob", 0), (DELETED_MEMBER, 1)
    ]  # fmt: skip
    assert run(store, "HVALS", "words:1") == ["words of Ann", "words of bob", "more words of Ann"]
    assert (run(store, "HGET", "article:1", "comments"), thread.revision > revision) == ("3", True)
    assert broken(store) == []


def test_comments_are_deleted_on_request_including_removed_ones(store: Store, ann: User) -> None:
    factories.remove(store, CommentId(1, 1))
    leave(store, ann, delete_articles=True)
    thread = factories.thread(store)
    assert [node.author for node in thread.nodes.values()] == ["", "bob", ""]
    assert [node.status for node in thread.nodes.values()] == ["deleted", "", "deleted"]
    assert run(store, "HVALS", "words:1") == ["words of bob"]
    assert (run(store, "HGET", "article:1", "comments"), thread.nodes[3].votes) == ("1", 1)
    assert broken(store) == []


def test_reports_inbox_feed_and_visits_go_with_the_account(store: Store, ann: User) -> None:
    assert run(store, "EXISTS", "inbox:ann", "unread:ann", "seen:ann") == 3
    run(store, "SADD", "reported-comments:ann", "another program's")
    run(store, "RPUSH", "commented:ann", "another program's", "77.1")
    leave(store, ann, delete_articles=False)
    assert store.account_deletion.unfinished() == []
    assert "words of the report" not in str(snapshot(store))
    keys = "commented:ann reported-comments:ann inbox:ann unread:ann seen:ann inbox-feed:* comment-report:* reports:"
    assert [run(store, "KEYS", key) for key in keys.split()] == [[]] * 8
    assert run(store, "HGET", "user:ann", "inbox-feed") is None


@pytest.mark.parametrize("delete_articles", [False, True])
def test_the_list_of_comments_is_not_searched_for_each(store: Store, ann: User, delete_articles: bool) -> None:
    client = store.connection.client
    for _ in range(BATCH_SIZE):
        factories.comment(store, 1, ann)
    for batch in batched((f"77.{number}" for number in range(200_000)), 10_000):
        run(store, "RPUSH", "commented:ann", *batch)
    store.account_deletion.start(ann, delete_articles=delete_articles)
    client.config_resetstat()
    next(store.account_deletion.steps())
    assert run(store, "LLEN", "commented:ann") == 200_002
    assert client.info("commandstats")["cmdstat_lrem"]["usec"] < 30_000, "2 ms for each of 50 if all are looked at"
