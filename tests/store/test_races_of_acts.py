"""Two acts on one row at once: one after the other, whichever comes first, and never half of each."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run
from tests.store.test_races import at_once
from voteweb.core import config
from voteweb.core.errors import AlreadyVoted, ArticleGone, LoggedOut, NoSuchMember
from voteweb.core.models import Article, ArticleStatus, Draft, LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

ROUNDS = 8


def whole(store: Store, id: int = 1) -> Article:
    pipeline = store.pipeline()
    asked = store.articles.queue_get(pipeline, id)
    pipeline.execute()
    assert asked.result
    return asked.result


def entry(kind: LogAction, id: int = 1, who: str = "Mod") -> NewLogEntry:
    return NewLogEntry(kind, who, about="ann", article=id, title="title", why="why")


def logged(store: Store) -> int:
    return int(run(store, "ZCARD", "log:"))


@pytest.fixture
def busy(make_store: MakeStore) -> Store:
    """A store where one vote of another makes an article good."""
    store = make_store(good_votes=2)
    for name in ("go", "redis", "java"):
        factories.group(store, name)
    return store


def test_editing_against_deleting_leaves_a_deleted_article(busy: Store) -> None:
    ann = factories.user(busy)
    for _ in range(ROUNDS):
        article = factories.article(busy, ann, groups=("go",))
        drafts = [
            Draft(f"title {i}", f"https://{i}.example/", "", (name,)) for i, name in enumerate(["go", "redis"] * 4)
        ]
        edits = [lambda d=d, id=article.id: busy.articles.edit(id, d, ann) for d in drafts]  # type: ignore[misc]
        answers = at_once([*edits[:4], lambda id=article.id: busy.removals.delete(id, ann), *edits[4:]])  # type: ignore[misc]
        assert {answer for answer in answers if answer} <= {ArticleGone}
        gone = whole(busy, article.id)
        assert (gone.gone, gone.title, gone.link) == (ArticleStatus.DELETED, "", "")
    assert (ids(busy, "time:"), run(busy, "KEYS", "link:*")) == ([], [])
    assert broken(busy) == []


def test_two_edits_at_once_leave_the_whole_of_one(busy: Store) -> None:
    ann = factories.user(busy)
    for _ in range(ROUNDS):
        article = factories.article(busy, ann)
        drafts = [Draft(f"title {i}", f"https://{i}.example/", f"text {i}") for i in range(6)]
        assert at_once([lambda d=d, id=article.id: busy.articles.edit(id, d, ann) for d in drafts]) == [None] * 6  # type: ignore[misc]
        left = busy.articles.get(article.id)
        assert Draft(left.title, left.link, left.text) in drafts
    assert broken(busy) == []


def test_removing_against_votes_counts_just_the_votes_that_were_answered(busy: Store) -> None:
    members = factories.users(busy, 12)
    for _ in range(ROUNDS):
        article = factories.article(busy, groups=("go",))
        votes = [lambda m=m, id=article.id: busy.votes.cast(id, m) for m in members]  # type: ignore[misc]
        answers = at_once(
            [*votes[:6], lambda id=article.id: busy.removals.remove(id, entry(LogAction.REMOVE, id)), *votes[6:]]
        )  # type: ignore[misc]
        counted = sum(isinstance(answer, int) for answer in answers)
        assert {answer for answer in answers if isinstance(answer, type)} <= {ArticleGone}
        assert (whole(busy, article.id).votes, whole(busy, article.id).gone) == (1 + counted, ArticleStatus.REMOVED)
    assert ids(busy, "good:") == []
    assert broken(busy) == []


def test_restoring_against_votes_counts_just_the_votes_that_were_answered(busy: Store) -> None:
    members = factories.users(busy, 12)
    for _ in range(ROUNDS):
        article = factories.article(busy, groups=("go",))
        busy.removals.remove(article.id, entry(LogAction.REMOVE, article.id))
        votes = [lambda m=m, id=article.id: busy.votes.cast(id, m) for m in members]  # type: ignore[misc]
        answers = at_once(
            [*votes[:6], lambda id=article.id: busy.removals.restore(id, entry(LogAction.RESTORE, id)), *votes[6:]]
        )  # type: ignore[misc]
        counted = sum(isinstance(answer, int) for answer in answers)
        assert busy.articles.get(article.id).votes == 1 + counted
        assert (article.id in ids(busy, "good:")) == (counted > 0)
    assert broken(busy) == []


def test_many_moderators_who_remove_one_row_are_in_the_log_once(busy: Store) -> None:
    factories.article(busy, groups=("go",))
    at_once([lambda i=i: busy.removals.remove(1, entry(LogAction.REMOVE, who=f"mod{i}")) for i in range(10)])  # type: ignore[misc]
    assert logged(busy) == 1
    at_once([lambda i=i: busy.removals.restore(1, entry(LogAction.RESTORE, who=f"mod{i}")) for i in range(10)])  # type: ignore[misc]
    assert logged(busy) == 2
    assert broken(busy) == []


def test_many_moderators_who_sort_one_row_alike_are_in_the_log_once(busy: Store) -> None:
    factories.article(busy, groups=("go",))
    sort = [
        lambda i=i: busy.articles.set_groups(1, ["redis"], ["go"], entry(LogAction.GROUPS, who=f"mod{i}"))  # type: ignore[misc]
        for i in range(10)
    ]
    assert at_once(sort) == [("redis",)] * 10
    (entry,) = run(busy, "ZRANGE", "log:", 0, -1)
    assert run(busy, "HMGET", entry, "added", "removed") == ["redis", "go"]
    assert broken(busy) == []


def test_removing_against_sorting_and_restoring_adds_up_in_the_log(busy: Store) -> None:
    for _ in range(ROUNDS):
        article = factories.article(busy, groups=("go",))
        before = logged(busy)
        acts = [
            lambda id=article.id: busy.removals.remove(id, entry(LogAction.REMOVE, id)),  # type: ignore[misc]
            lambda id=article.id: busy.articles.set_groups(id, ["redis"], ["go"], entry(LogAction.GROUPS, id)),  # type: ignore[misc]
            lambda id=article.id: busy.removals.restore(id, entry(LogAction.RESTORE, id)),  # type: ignore[misc]
        ]
        answers = at_once(acts * 3)
        sorted_at_all = any(isinstance(answer, tuple) for answer in answers)
        assert busy_groups(busy, article.id) == (("redis",) if sorted_at_all else ("go",))
        acts_logged = logged(busy) - before - sorted_at_all
        assert acts_logged % 2 == bool(whole(busy, article.id).gone)  # removed and restored by turns
    assert broken(busy) == []


def busy_groups(store: Store, id: int) -> tuple[str, ...]:
    return whole(store, id).groups


@pytest.mark.parametrize("deletes", [True, False])
def test_leaving_against_posting_and_votes_leaves_nothing_under_the_name(busy: Store, deletes: bool) -> None:
    members = factories.users(busy, 6)
    for round in range(ROUNDS):
        leaver = factories.user(busy, f"leaver{round}")
        ours, other = factories.article(busy, leaver, groups=("go",)), factories.article(busy, groups=("go",))

        def leave(leaver=leaver) -> None:  # type: ignore[no-untyped-def]
            busy.leaving.start(leaver, delete_articles=deletes)
            busy.leaving.finish(leaver.name)

        posts = [lambda who=leaver: busy.articles.post(factories.draft(link=""), who, factories.token())] * 5  # type: ignore[misc]
        votes = [lambda m=m, id=ours.id: busy.votes.cast(id, m) for m in members]  # type: ignore[misc]
        own = [lambda who=leaver, id=other.id: busy.votes.cast(id, who)]  # type: ignore[misc]
        sweep = [lambda id=ours.id: busy.removals.remove(id, entry(LogAction.REMOVE, id))]  # type: ignore[misc]
        answers = at_once([*posts[:2], *votes, leave, *own, *sweep, *posts[2:]])
        assert {answer for answer in answers if isinstance(answer, type)} <= {LoggedOut, ArticleGone, AlreadyVoted}
        assert run(busy, "EXISTS", f"posted:{leaver.name}", f"gone:{leaver.name}", "leaving:") == 0
        assert whole(busy, ours.id).poster == config.DELETED_MEMBER
    assert broken(busy) == []


def test_banning_against_leaving_ends_in_one_of_both_orders(busy: Store) -> None:
    for round in range(ROUNDS):
        member = factories.user(busy, f"member{round}")
        ban = NewLogEntry(LogAction.BAN, "Mod", about=member.name, why="spam")
        answers = at_once(
            [
                lambda m=member, d=ban: busy.users.ban(m.name, d),  # type: ignore[misc]
                lambda m=member: busy.leaving.start(m, delete_articles=False),  # type: ignore[misc]
            ]
        )
        after = busy.users.get(member.name)
        assert after.left > 0
        assert (answers[0] is NoSuchMember) == (after.banned == 0)
        busy.leaving.finish(member.name)
    assert broken(busy) == []
