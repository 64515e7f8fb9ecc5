"""Answers to removals and bans: once, by whom these are about, until a moderator has looked at it."""

import time

import pytest

from tests import factories
from tests.store.examination import run
from tests.store.inboxes import page
from tests.store.queries import log_page
from voteweb.core.errors import AnsweredBefore, FormExpired, NoSuchArticle, NotAllowed, NotRemoved, NotYours
from voteweb.core.models import LogAction, LogEntry, User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def ann(store: Store) -> User:
    """The poster of article 1, which was removed."""
    ann = factories.user(store)
    factories.remove(store, factories.article(store, ann, groups=("go",)).id)
    return ann


def waiting(store: Store) -> list[tuple[int, str]]:
    """Return the articles with answers that wait for a moderator."""
    articles = store.read(store.waiting.queue_answers, 1).rows
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
    for by, expected in (("mod", True), ("sue", False)):
        entry = LogEntry(LogAction.KEEP, by, about="ann", article=1)
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


def edit(store: Store, mod: User, **changes: str) -> None:
    entry = LogEntry(LogAction.EDIT, mod.name, about="ann", article=1)
    store.articles.edit(1, factories.draft(**changes), mod, entry)


def test_edited_poster_is_told_and_answers_each_decision(store: Store, mod: User) -> None:
    ann = factories.user(store)
    factories.article(store, ann)
    with pytest.raises(NotRemoved):
        store.waiting.answer(1, ann, "Why?")
    edit(store, mod, title="Better")
    assert [notice.log.kind for notice in page(store).rows if notice.log] == [LogAction.EDIT]
    store.waiting.answer(1, ann, "It was good.")
    edit(store, mod, title="Still better")
    assert waiting(store) == [(1, "It was good.")], "an edit takes no answer away that nobody has looked at"
    keep = LogEntry(LogAction.KEEP, "mod", about="ann", article=1)
    assert store.waiting.keep_removed(factories.stored_article(store), keep, actor=mod)
    with pytest.raises(AnsweredBefore):
        store.waiting.answer(1, ann, "Really.")
    edit(store, mod, title="The best")
    store.waiting.answer(1, ann, "It was better.")
    factories.remove(store)
    assert waiting(store) == []
    store.waiting.answer(1, ann, "It is no spam.")
    factories.restore(store)
    store.waiting.answer(1, ann, "And the title?")
    edit(store, mod)  # back
    assert (waiting(store), run(store, "HGET", "article:1", "answer")) == ([], None)


def answered_bans(store: Store) -> list[str]:
    """Return the names of the members whose answers to their bans wait for a moderator."""
    page = store.read(store.bans.queue_answered, 1)
    assert len(page.rows) == page.total == store.read(store.waiting.queue_counts).ban_answers
    return list(page.rows)


@pytest.mark.parametrize("days", [None, 3])
def test_a_ban_is_answered_once_until_it_ends(days: int | None, store: Store, mod: User) -> None:
    bob = factories.user(store, "Bob")
    entry, other = (LogEntry(LogAction.KEEP, by, about="Bob") for by in ("mod", "sue"))
    with pytest.raises(FormExpired):
        store.bans.answer("bob", "It was not me.")
    factories.ban(store, "bob", days=days)
    for _ in range(2):  # the second is a retry
        store.bans.answer("bob", "It was not me.")
    with pytest.raises(AnsweredBefore):
        store.bans.answer("bob", "Really.")
    assert answered_bans(store) == ["bob"]
    with pytest.raises(NotAllowed):
        store.bans.keep("bob", entry, actor=factories.user(store, "eve"))
    assert [store.bans.keep("bob", entry, actor=mod) for entry in (entry, other)] == [True, False]
    store.bans.answer("bob", "It was not me.")  # a retry that comes late
    assert (answered_bans(store), log_page(store, kind="keep").total) == ([], 1)
    factories.lift(store, "bob")
    assert store.users.get("bob").ban_answer == ""
    factories.ban(store, "bob", days=days)
    store.bans.answer("bob", "Again?")
    if days:
        run(store, "ZADD", "ban-answers:", int(time.time()), "bob")
        list(store.bans.steps())
        assert store.users.get("bob").banned  # until another end by now
        run(store, "HSET", "user:bob", "banned-until", int(time.time()))
        assert (answered_bans(store), list(store.bans.steps())) == ([], [None])
        assert run(store, "HMGET", "user:bob", "ban-answer", "ban-answered") == [None, None]
        bob = store.users.get("bob")
        store.account_deletion.start(bob, delete_articles=False)
