"""Races about comments: what many do at once adds up to what they were told."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import run
from voteweb.core.comments import CommentId, CommentStatus
from voteweb.core.errors import ArticleGone, CommentGone, CommentNotVoted, CommentVoted, ParentGone, VotewebError
from voteweb.store import Store
from voteweb.store.schema.nodes import VOTER_FACTOR

pytestmark = pytest.mark.usefixtures("sound")

REFUSALS = {CommentGone, CommentVoted, CommentNotVoted, ParentGone}


def voters(store: Store, number: int) -> int:
    """Return how many voters a comment has."""
    stored = map(int, run(store, "SMEMBERS", "voted-comments:1-0"))
    return sum(voter // VOTER_FACTOR == number for voter in stored)


def test_votes_edits_answers_and_a_deletion_at_once_lose_nothing(store: Store) -> None:
    article, ann, members = factories.article(store), factories.user(store), factories.users(store, 40)
    comments = [factories.comment(store, article, ann) for _ in range(2)]
    for member in members[::2]:
        for comment in comments:
            store.votes.cast(comment, member)
    first = comments[0]
    acts: list[tuple[CommentId, int, Callable[[], Any]]] = []
    for comment in comments:
        acts += [(comment, 1, partial(store.votes.cast, comment, member)) for member in members]
        acts += [(comment, -1, partial(store.votes.take_back, comment, member)) for member in members]
        acts += [(comment, 0, partial(store.comments.edit, comment, f"{n}", ann)) for n in range(10)]
    acts += [(first, 0, partial(factories.comment, store, article, member, parent=1)) for member in members[:10]]
    acts += [(first, 0, partial(store.removals.delete, first, ann))] * 2
    random.Random(13).shuffle(acts)
    answers = at_once([act for _, _, act in acts])
    assert {answer for answer in answers if isinstance(answer, type)} <= REFUSALS
    nodes = store.threads.get(1).nodes
    for comment in comments:
        changes = [
            change
            for (of, change, _), answer in zip(acts, answers, strict=True)
            if of == comment and answer not in REFUSALS
        ]
        assert nodes[comment.number].votes == voters(store, comment.number) == 20 + sum(changes)
    assert nodes[1].status is CommentStatus.DELETED
    assert run(store, "HGETALL", "words:1").keys() == {str(number) for number in nodes} - {"1"}
    written = sum(isinstance(answer, CommentId) for answer in answers)
    assert store.articles.get(1).comments == len(nodes) - 1 == 1 + written


@pytest.mark.parametrize(("parent", "refusal"), [(0, ArticleGone), (1, ParentGone)])
def test_a_comment_is_written_before_what_it_answers_is_deleted_or_not_at_all(
    store: Store, parent: int, refusal: type[VotewebError]
) -> None:
    bob = factories.user(store, "bob")
    for _ in range(8):
        article = factories.article(store)
        first = factories.comment(store, article)
        writing = partial(factories.comment, store, article, bob, parent=parent)
        answer, _ = at_once([writing, partial(store.removals.delete, first if parent else article.id)])
        assert (answer is refusal) == (store.threads.get(article.id).last == 1)
