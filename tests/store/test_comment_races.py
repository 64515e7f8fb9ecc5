"""Races about comments: what many do at once adds up to what they were told."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken, run
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import ArticleGone, CommentGone, CommentNotVoted, CommentVoted, ParentGone
from voteweb.store import Store
from voteweb.store.schema.nodes import VOTER_FACTOR

FIRST = CommentId(1, 1)


def voters(store: Store, number: int) -> int:
    """Return how many voters a comment has."""
    stored = map(int, run(store, "SMEMBERS", "voted-comments:1-0"))
    return sum(voter // VOTER_FACTOR == number for voter in stored)


def test_votes_edits_answers_and_a_deletion_at_once_lose_nothing(store: Store) -> None:
    article, ann, members = factories.article(store), factories.user(store), factories.users(store, 40)
    for _ in range(2):
        factories.comment(store, article, ann)
    for member in members[::2]:
        for number in (1, 2):
            store.votes.cast(CommentId(1, number), member)

    def vote(action: str, number: int, member: Any) -> tuple[int, int]:
        getattr(store.votes, action)(CommentId(1, number), member)
        return number, 1 if action == "cast" else -1

    actions: list[Callable[[], Any]] = [
        partial(vote, action, number, member)
        for number in (1, 2)
        for action in ("cast", "take_back")
        for member in members
    ]
    actions += [partial(store.comments.edit, CommentId(1, number), f"{n}", ann) for n in range(10) for number in (1, 2)]
    actions += [partial(factories.comment, store, article, member, parent=1) for member in members[:10]]
    actions += [partial(store.removals.delete, FIRST, ann)] * 2
    random.Random(13).shuffle(actions)
    answers = at_once(actions)
    written = [answer for answer in answers if isinstance(answer, CommentId)]
    counted = [answer for answer in answers if isinstance(answer, tuple) and not isinstance(answer, CommentId)]
    refused = {answer for answer in answers if isinstance(answer, type)}
    assert refused <= {CommentGone, CommentVoted, CommentNotVoted, ParentGone}
    nodes = store.threads.get(1).nodes
    for number in (1, 2):
        expected = 20 + sum(change for of, change in counted if of == number)
        assert nodes[number].votes == voters(store, number) == expected
    assert nodes[1].status is CommentStatus.DELETED
    assert run(store, "HGETALL", "words:1").keys() == {str(number) for number in nodes} - {"1"}
    assert store.articles.get(1).comments == len(nodes) - 1 == 1 + len(written)
    assert broken(store) == []


def test_an_answer_is_written_before_its_parent_is_deleted_or_not_at_all(store: Store) -> None:
    article, bob, cid = factories.article(store), factories.user(store, "bob"), factories.user(store, "cid")
    for _ in range(8):
        parent = factories.comment(store, article, bob)
        answer, _ = at_once(
            [
                partial(factories.comment, store, article, cid, parent=parent.number),
                partial(store.removals.delete, parent, bob),
            ]
        )
        nodes = store.threads.get(1).nodes
        assert nodes[parent.number].status is CommentStatus.DELETED
        assert (answer is ParentGone) or nodes[answer.number].parent == parent.number
    assert broken(store) == []


def test_a_comment_is_written_before_its_article_is_deleted_or_not_at_all(store: Store) -> None:
    bob = factories.user(store, "bob")
    for _ in range(8):
        article = factories.article(store)
        answer, _ = at_once(
            [partial(factories.comment, store, article, bob), partial(store.removals.delete, article.id)]
        )
        assert (answer is ArticleGone) == (store.threads.get(article.id).last == 0)
    assert broken(store) == []
