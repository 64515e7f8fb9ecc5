"""Answers to removals: once, by the poster, until a moderator has looked at it."""

from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from voteweb.core.errors import AnsweredBefore, NoSuchArticle, NotRemoved, NotYours
from voteweb.core.models import LogAction, User
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def ann(store: Store) -> User:
    """The poster of article 1, which was removed."""
    ann = factories.user(store)
    factories.remove(store, factories.article(store, ann, groups=("go",)).id)
    return ann


def waiting(store: Store) -> list[tuple[int, str]]:
    """Return the articles with answers that wait for a moderator."""
    articles = store.read(store.waiting.queue_answers)
    assert len(articles) == store.read(store.waiting.queue_counts).answers
    return [(article.id, article.answer) for article in articles]


def test_poster_answers_once_until_the_article_is_restored(store: Store, ann: User, mod: User) -> None:
    with pytest.raises(NotYours):
        store.waiting.answer(1, mod, "It is fine.")
    with pytest.raises(NoSuchArticle):
        store.waiting.answer(99, ann, "It is fine.")
    for _ in range(2):  # the second is a retry
        store.waiting.answer(1, ann, "It is no spam.")
    with pytest.raises(AnsweredBefore):
        store.waiting.answer(1, ann, "Really.")
    assert waiting(store) == [(1, "It is no spam.")]
    entry = NewLogEntry(LogAction.KEEP, "mod", about="ann", article=1)
    for expected in (True, False):
        assert store.waiting.keep_removed(factories.stored_article(store), entry, actor=mod) is expected
    assert waiting(store) == []
    with pytest.raises(AnsweredBefore):
        store.waiting.answer(1, ann, "Really.")
    factories.restore(store)
    with pytest.raises(NotRemoved):
        store.waiting.answer(1, ann, "Thank you.")
    factories.remove(store)
    store.waiting.answer(1, ann, "Again?")
    assert waiting(store) == [(1, "Again?")]


@pytest.mark.parametrize("deletes", [True, False])
def test_answer_of_somebody_who_leaves_is_forgotten(deletes: bool, store: Store, ann: User) -> None:
    store.waiting.answer(1, ann, "It is no spam.")
    store.account_deletion.start(ann, delete_articles=deletes)
    store.account_deletion.finish("ann")
    assert waiting(store) == []
    assert (factories.stored_article(store).answer, factories.stored_article(store).answered) == ("", 0)


def test_answers_against_decisions_leave_the_queue_right(store: Store, ann: User) -> None:
    for number in range(2, 11):
        factories.remove(store, factories.article(store, ann, link="").id)
        answering = partial(store.waiting.answer, number, ann, "It is no spam.")
        at_once([answering, answering, partial(factories.restore, store, number)])
    assert waiting(store) == []
