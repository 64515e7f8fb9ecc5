"""Deletion of an account: immediate for the member, step by step for the articles, comments and all else."""

from collections.abc import Iterator

import pytest
import redis

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, refused, repair, run, snapshot, unchanged
from tests.store.queries import reported
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.config import DELETED_MEMBER
from voteweb.core.errors import LoggedOut, NameTaken, NoSuchMember, StaleEdit
from voteweb.core.models import ArticleStatus, LogAction, LogEntry, LogInOutcome, Reason, Role, User
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed


@pytest.fixture
def ann(store: Store) -> User:
    """The member who leaves the site of :func:`make_site`, with comments 1 and 3 on article 4.

    They answer bob's 2, which she has reported; she has an inbox and saved articles, with feeds, and has chosen what to
    read in every way.
    """
    make_site(store)
    ann, bob = store.users.get("ann"), store.users.get("bob")
    for parent, author in enumerate((ann, bob, ann)):
        factories.comment(store, 4, author, parent=parent, text=f"words of {author.name}")
    store.votes.cast(CommentId(4, 3), bob)
    store.votes.cast(4, ann)
    store.reports.make(CommentId(4, 2), ann, Reason.SPAM, "words of the report")
    store.read(store.threads.queue_read, 4, visitor="Ann")
    for feed in SecretFeed:
        store.feeds.renew(feed, ann)
    factories.choices(store, ann, group="go", hidden="bob", article=4)
    store.waiting.answer(2, ann, "words of the answer")
    store.sessions.note_log_in("Ann", LogInOutcome.IN, "", "")
    run(store, "ZADD", "log-ins:", 1e9, "another program's")
    return ann


def make_site(store: Store) -> None:
    """Make a site on which ann has three articles: 1 in "go" with bob's vote, 2 removed, 3 deleted; 4 is bob's.

    Ann has reported 4, as cid has, and invited two people, of whom dan has joined.
    """
    ann, bob = factories.user(store, "Ann", Role.MODERATOR, "hash"), factories.user(store, "bob")
    for _ in range(3):
        factories.article(store, ann, groups=("go",))
    store.votes.cast(1, bob)
    factories.remove(store, 2)
    store.removals.delete(3, ann)
    factories.article(store, bob)
    for reporter in (ann, factories.user(store, "cid")):
        store.reports.make(4, reporter, Reason.SPAM, "words of the report" if reporter is ann else "words of cid")
    store.users.make("dan", "", invitation=store.invitations.make(ann))
    store.invitations.make(ann)


def is_finished(store: Store) -> bool:
    return not run(store, "EXISTS", "posted:ann", "gone:ann", "reported:ann", "invites:ann", "leaving:")


def leave(store: Store, ann: User, *, delete_articles: bool = False) -> None:
    """Delete the account of *ann*, to the end."""
    store.account_deletion.start(ann, delete_articles=delete_articles)
    store.account_deletion.finish("Ann")
    assert is_finished(store)
    assert broken(store) == []


def test_start_logs_the_member_out_for_ever(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    after = store.users.get("ann")
    assert (after.password, after.role, after.left > 0, after.session != ann.session) == ("", Role.MEMBER, True, True)
    assert store.account_deletion.unfinished() == ["ann"]
    with pytest.raises(LoggedOut):
        store.votes.cast(4, ann)
    for change in (
        lambda: store.users.set_password("ann", "hash"),
        lambda: store.users.set_role("ann", Role.ADMIN),
        lambda: store.users.end_sessions("ann"),
        lambda: factories.ban(store, "ann"),
    ):
        with refused(store, NoSuchMember):
            change()
    with unchanged(store):
        store.account_deletion.start(ann, delete_articles=True)
    with pytest.raises(NameTaken):
        store.users.make("ANN", "hash")
    assert broken(store) == []


def comments(store: Store) -> tuple[list[tuple[str, int]], list[str]]:
    """Return the authors and votes of the comments on article 4, and their words; its number of them must be right."""
    nodes = factories.thread(store, 4).nodes.values()
    assert store.articles.get(4).comments == sum(not node.status for node in nodes)
    return [(node.author, node.votes) for node in nodes], run(store, "HVALS", "words:4")


def test_kept_articles_and_comments_lose_the_name(store: Store, ann: User) -> None:
    revision = factories.thread(store, 4).revision
    leave(store, ann)
    told = [(DELETED_MEMBER, 0), ("bob", 0), (DELETED_MEMBER, 1)], ["words of Ann", "words of bob", "words of Ann"]
    assert (comments(store), factories.thread(store, 4).revision > revision) == (told, True)
    articles = [factories.stored_article(store, id) for id in (1, 2, 3, 4)]
    assert [(article.poster, article.status) for article in articles] == [
        (DELETED_MEMBER, ArticleStatus.LISTED),
        (DELETED_MEMBER, ArticleStatus.REMOVED),
        (DELETED_MEMBER, ArticleStatus.DELETED),
        ("bob", ArticleStatus.LISTED),
    ]
    assert ids(store, "time:go") == [1]
    factories.remove(store)
    for id in (1, 2):
        factories.restore(store, id)
    assert store.votes.cast(1, factories.user(store, "cid")) == 3
    assert run(store, "EXISTS", "posted:[deleted]", "gone:[deleted]") == 0
    assert broken(store) == []


def test_nobody_brings_back_a_version_that_they_have_open(store: Store, ann: User) -> None:
    mod = factories.user(store, "mod", Role.MODERATOR)
    edit = LogEntry(LogAction.EDIT, "mod", "ann", 1)
    store.articles.edit(1, factories.draft(title="Edited"), mod, edit)
    seen, (version, *_) = factories.stored_article(store), store.read(store.articles.queue_earlier, 1)
    leave(store, ann)
    with pytest.raises(StaleEdit):
        store.articles.edit(1, factories.draft(title=version.title), mod, edit, revision=seen.revision)


def test_posts_are_deleted_on_request_and_later_data_taken_up(store: Store, ann: User) -> None:
    factories.remove(store, CommentId(4, 1))
    leave(store, ann, delete_articles=True)
    assert comments(store) == ([("", 0), ("bob", 0), ("", 1)], ["words of bob"])
    articles = [factories.stored_article(store, id) for id in (1, 2, 3)]
    assert [(article.title, article.poster, article.status) for article in articles] == [
        ("", DELETED_MEMBER, ArticleStatus.DELETED)
    ] * 3
    assert ids(store, "time:") == [4]
    run(store, "SADD", "reported:ann", 4, "another program's")
    run(store, "ZADD", "invites:ann", 9, "invite:none", 9, "another program's")
    assert ("leaving:", "lacks ann, who left articles, reports or invitations behind") in broken(store)
    repair(store)
    list(store.account_deletion.steps())
    assert is_finished(store)
    assert broken(store) == []


def test_reports_invitations_inbox_feeds_visits_and_choices_go_with_accounts(store: Store, ann: User) -> None:
    store.reports.make(1, store.users.get("bob"), Reason.SPAM, "words of bob")
    assert run(store, "EXISTS", *(f"{noun}:ann" for noun in "inbox unread seen follows hides saved".split())) == 6
    run(store, "SADD", "reported-comments:ann", "another program's")
    leave(store, ann)
    assert store.health.counts().members == 3
    assert store.read(store.threads.queue_read, 4, visitor="ann").visit  # by a browser that has not asked since
    reporters = {row.article.id: [report.by for report in row.reports.rows] for row in reported(store) if row.article}
    assert reporters == {1: ["bob"], 4: ["cid"]}
    assert not any(words in str(snapshot(store)) for words in ("words of the report", "words of the answer"))
    assert store.read(store.sessions.queue_log_ins, 1, "").rows == ()
    assert sorted(run(store, "KEYS", "*:ann")) == ["log-about:ann", "user:ann"]
    gone = ("invite*", "*-feed:*", "comment-report:*", f"open-votes:{ann.id}")
    assert [run(store, "KEYS", pattern) for pattern in gone] == [[]] * 4
    assert run(store, "HMGET", "user:ann", "inbox-feed", "saved-feed") == [None, None]


def test_finish_does_nothing_for_members_who_stay(store: Store, ann: User) -> None:
    with unchanged(store):
        for name in ("ann", "nobody"):
            store.account_deletion.finish(name)
        with pytest.raises(NoSuchMember):
            store.account_deletion.start(User(9, "nobody", "", Role.MEMBER, 0.0, ""), delete_articles=True)


@pytest.mark.parametrize("delete_articles", [True, False])
def test_a_deletion_interrupted_anywhere_can_be_resumed(
    store: Store, delete_articles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "READ_BATCH_SIZE", 1)

    def leave_in_steps(store: Store) -> Iterator[None]:
        store.account_deletion.start(store.users.get("ann"), delete_articles=delete_articles)
        yield from store.account_deletion.steps()

    for is_cut in cut_everywhere(store, make_site, leave_in_steps):
        assert broken(store) == []
        list(store.account_deletion.steps())
        assert is_finished(store) or is_cut
        assert broken(store) == []
    assert is_finished(store)


def test_an_article_restored_between_steps_is_disowned(store: Store, ann: User) -> None:
    store.account_deletion.start(ann, delete_articles=False)
    steps = store.account_deletion.steps()
    while run(store, "EXISTS", "posted:ann"):
        next(steps)
    factories.restore(store, 2)
    list(steps)
    assert factories.stored_article(store, 2).poster == DELETED_MEMBER
    assert is_finished(store)
    assert broken(store) == []


@pytest.mark.parametrize("delete_articles", [False, True])
def test_what_other_programs_added_and_deleted_is_skipped(store: Store, ann: User, delete_articles: bool) -> None:
    for member in ("some-other-program", "article:04", "article:4", "4.2", "77.1"):  # 4 and 4.2 are bob's
        run(store, "ZADD", "posted:ann", 5, member)
        run(store, "ZADD", "gone:ann", 5, member)
        run(store, "RPUSH", "commented:ann", member)
    run(store, "DEL", "article:1")
    store.account_deletion.start(ann, delete_articles=delete_articles)
    store.account_deletion.finish("ann")
    assert is_finished(store)
    assert not run(store, "EXISTS", "commented:ann")
    article = factories.stored_article(store, 4)
    assert (article.poster, article.status) == ("bob", ArticleStatus.LISTED)
    assert factories.thread(store, 4).nodes[2].author == "bob"


def test_a_deletion_that_fails_stops_no_other(store: Store) -> None:
    for name in ("ann", "bob"):
        store.account_deletion.start(factories.user(store, name), delete_articles=True)
    run(store, "SET", "posted:ann", "damaged")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        list(store.account_deletion.steps())
    assert store.account_deletion.unfinished() == ["ann"]


def test_a_long_list_of_comments_is_not_searched_for_each(store: Store, ann: User) -> None:
    """Each is taken out of the head of the list, which steps come to in turn; to search takes 2 ms of 200,000."""
    store.removals.leave(CommentId(4, 1), "ann", deletes=False)
    assert run(store, "LRANGE", "commented:ann", 0, -1) == ["4.3", "4.1"]
