"""Answers to removals: once, by the poster, until a moderator has looked at it."""

from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken
from voteweb.core.errors import AnsweredBefore, NoSuchArticle, NotRemoved, NotYours
from voteweb.core.models import Article, LogAction, Role, User
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


@pytest.fixture
def ann(store: Store) -> User:
    """The poster of article 1, which was removed."""
    ann = factories.user(store)
    factories.remove(store, factories.article(store, ann, groups=("go",)).id)
    return ann


def waiting(store: Store) -> tuple[Article, ...]:
    articles = store.read(store.waiting.queue_answers)
    assert len(articles) == store.read(store.waiting.queue_counts).answers
    return articles


def keep(store: Store, who: str = "mod") -> bool:
    article = factories.stored_article(store)
    entry = NewLogEntry(LogAction.KEEP, who, about="ann", article=1, title=article.title)
    return store.waiting.keep_removed(article, entry, actor=factories.user(store, who, Role.MODERATOR))


def test_poster_answers_once_until_the_article_is_restored(store: Store, ann: User) -> None:
    for _ in range(2):  # the second is a retry
        store.waiting.answer(1, ann, "It is no spam.")
    with pytest.raises(AnsweredBefore):
        store.waiting.answer(1, ann, "Really.")
    assert [(article.id, article.answer) for article in waiting(store)] == [(1, "It is no spam.")]
    assert keep(store)
    assert not keep(store)
    assert waiting(store) == ()
    with pytest.raises(AnsweredBefore):
        store.waiting.answer(1, ann, "Really.")
    factories.restore(store)
    with pytest.raises(NotRemoved):
        store.waiting.answer(1, ann, "Thank you.")
    factories.remove(store)
    store.waiting.answer(1, ann, "Again?")
    assert broken(store) == []


def test_nobody_else_answers(store: Store, ann: User) -> None:
    with pytest.raises(NotYours):
        store.waiting.answer(1, factories.user(store, "bob"), "It is fine.")
    with pytest.raises(NoSuchArticle):
        store.waiting.answer(99, ann, "It is fine.")


@pytest.mark.parametrize("deletes", [True, False])
def test_answer_of_somebody_who_leaves_is_forgotten(deletes: bool, store: Store, ann: User) -> None:
    store.waiting.answer(1, ann, "It is no spam.")
    store.account_deletion.start(ann, delete_articles=deletes)
    store.account_deletion.finish("ann")
    assert waiting(store) == ()
    assert (factories.stored_article(store).answer, factories.stored_article(store).answered) == ("", 0)
    assert broken(store) == []


def test_answers_against_decisions_leave_the_queue_right(store: Store) -> None:
    ann = factories.user(store)
    for number in range(1, 11):
        factories.remove(store, factories.article(store, ann, link="").id)
        answering = partial(store.waiting.answer, number, ann, "It is no spam.")
        at_once([answering, answering, partial(factories.restore, store, number)])
    assert waiting(store) == ()
    assert broken(store) == []
