"""Races of two different actions on one article or member: either order is possible, but never half of each."""

from functools import partial

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.concurrency import at_once
from tests.store.examination import broken, ids, run
from voteweb.core import config
from voteweb.core.errors import AlreadyVoted, ArticleGone, LoggedOut, NoSuchMember
from voteweb.core.models import ArticleStatus, LogAction, User
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

ROUNDS = 8


def entry(kind: LogAction, id: int) -> NewLogEntry:
    return NewLogEntry(kind, "Mod", about="ann", article=id, title="title", why="why")


def refusals(answers: list[object]) -> set[object]:
    """Return the types of the refusals among *answers*."""
    return {answer for answer in answers if isinstance(answer, type)}


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site where one vote by another member makes an article good."""
    store = make_store(good_votes=2)
    factories.group(store, "redis")
    return store


def test_editing_against_deleting_leaves_a_deleted_article(site: Store) -> None:
    ann = factories.user(site)
    for _ in range(ROUNDS):
        id = factories.article(site, ann, groups=("go",)).id
        edits = [
            partial(site.articles.edit, id, factories.draft(link=f"https://{group}.example/", groups=(group,)), ann)
            for group in ("go", "redis") * 4
        ]
        answers = at_once([*edits[:4], partial(site.removals.delete, id, ann), *edits[4:]])
        assert refusals(answers) <= {ArticleGone}
        article = factories.stored_article(site, id)
        assert (article.status, article.title, article.link) == (ArticleStatus.DELETED, "", "")
    assert (ids(site, "time:"), run(site, "KEYS", "link:*")) == ([], [])
    assert broken(site) == []


@pytest.mark.parametrize("restores", [False, True])
def test_removing_and_restoring_against_votes_count_the_answered_votes(site: Store, restores: bool) -> None:
    members = factories.users(site, 12)
    for _ in range(ROUNDS):
        id = factories.article(site, groups=("go",)).id
        act = partial(site.removals.remove, id, entry(LogAction.REMOVE, id))
        if restores:
            act()
            act = partial(site.removals.restore, id, entry(LogAction.RESTORE, id))
        votes = [partial(site.votes.cast, id, member) for member in members]
        answers = at_once([*votes[:6], act, *votes[6:]])
        assert refusals(answers) <= {ArticleGone}
        counted = sum(isinstance(answer, int) for answer in answers)
        article = factories.stored_article(site, id)
        assert (article.votes, article.is_listed) == (1 + counted, restores)
        assert (id in ids(site, "good:")) == (restores and counted > 0)
    assert broken(site) == []


def test_removals_restorations_and_group_changes_add_up_in_the_log(site: Store) -> None:
    for _ in range(ROUNDS):
        id = factories.article(site, groups=("go",)).id
        before = run(site, "LLEN", "log:")
        actions = [
            partial(site.removals.remove, id, entry(LogAction.REMOVE, id)),
            partial(site.articles.set_groups, id, ["redis"], ["go"], entry(LogAction.GROUPS, id)),
            partial(site.removals.restore, id, entry(LogAction.RESTORE, id)),
        ]
        answers = at_once(actions * 3)
        groups_changed = any(isinstance(answer, tuple) for answer in answers)
        article = factories.stored_article(site, id)
        assert article.groups == (("redis",) if groups_changed else ("go",))
        removals_logged = run(site, "LLEN", "log:") - before - groups_changed
        assert (removals_logged % 2 == 0) == article.is_listed  # removed and restored in turn
    assert broken(site) == []


@pytest.mark.parametrize("delete_articles", [True, False])
def test_account_deletion_against_posts_and_votes_leaves_nothing(site: Store, delete_articles: bool) -> None:
    members = factories.users(site, 6)
    for number in range(ROUNDS):
        leaver = factories.user(site, f"leaver{number}")
        id = factories.article(site, leaver, groups=("go",)).id
        other_id = factories.article(site, groups=("go",)).id

        def leave(leaver: User = leaver) -> None:
            site.account_deletion.start(leaver, delete_articles=delete_articles)
            site.account_deletion.finish(leaver.name)

        posts = [partial(site.articles.post, factories.draft(link=""), leaver, factories.token()) for _ in range(5)]
        votes = [partial(site.votes.cast, id, member) for member in members]
        vote_of_leaver = partial(site.votes.cast, other_id, leaver)
        removal = partial(site.removals.remove, id, entry(LogAction.REMOVE, id))
        answers = at_once([*posts[:2], *votes, leave, vote_of_leaver, removal, *posts[2:]])
        assert refusals(answers) <= {LoggedOut, ArticleGone, AlreadyVoted}
        assert run(site, "EXISTS", f"posted:{leaver.name}", f"gone:{leaver.name}", "leaving:") == 0
        assert factories.stored_article(site, id).poster == config.DELETED_MEMBER
    assert broken(site) == []


def test_banning_against_account_deletion_ends_in_one_order(site: Store) -> None:
    for number in range(ROUNDS):
        member = factories.user(site, f"member{number}")
        ban = NewLogEntry(LogAction.BAN, "Mod", about=member.name, why="spam")
        leave = partial(site.account_deletion.start, member, delete_articles=False)
        answers = at_once([partial(site.bans.ban, member.name, ban), leave])
        after = site.users.get(member.name)
        assert after.left > 0
        assert (answers[0] is NoSuchMember) == (after.banned == 0)
        site.account_deletion.finish(member.name)
    assert broken(site) == []
