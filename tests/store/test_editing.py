"""Editing: who may, until when, and what changes with the fields."""

import time
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.store.examination import broken, ids, unchanged
from tests.store.queries import logged_act
from voteweb.core import links
from voteweb.core.errors import ArticleGone, NoSuchArticle, NoSuchGroup, NotYours, TooLate, TooManyGroups
from voteweb.core.models import Article, Draft, LogAction, Role, User
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

EDIT = NewLogEntry(LogAction.EDIT, "Mod", about="ann", article=1, title="Redis in Action")


def draft_of(article: Article, **changes: Any) -> Draft:
    """Return the draft that changes only these fields of *article*."""
    fields = {"title": article.title, "link": article.link, "text": article.text, "groups": article.groups} | changes
    return Draft(**fields)


def moderator(store: Store) -> User:
    return factories.user(store, "Mod", Role.MODERATOR)


def ids_with_link(store: Store, link: str) -> list[int]:
    return ids(store, f"link:{links.digest(link)}")


def article_of_age(store: Store, age: float = 901.0, **changes: Any) -> Article:
    """Return an article by ann, posted *age* seconds ago."""
    return factories.imported(store, time=time.time() - age, **changes)


def test_a_poster_can_change_all_fields_in_time(store: Store) -> None:
    ann = factories.user(store, "Ann")
    article = factories.article(store, ann, groups=("go",))
    factories.group(store, "redis")
    store.articles.edit(article.id, draft_of(article, groups=("redis",)), ann)
    moved = store.articles.get(article.id)
    assert moved == replace(article, groups=("redis",), revision=1)
    draft = Draft("New title", "https://new.example/", "words", ("redis",))
    store.articles.edit(article.id, draft, replace(ann, name="ANN"))
    changed = store.articles.get(article.id)
    assert article.time < changed.edited < time.time() + 1
    assert changed == replace(
        moved, title=draft.title, link=draft.link, text="words", revision=2, edited=changed.edited
    )
    assert [ids(store, f"{place}:{name}") for place in ("time", "score") for name in ("go", "redis")] == [[], [1]] * 2
    assert broken(store) == []


def test_an_unchanged_form_changes_and_logs_nothing(store: Store) -> None:
    article, editor = factories.article(store, groups=("go",)), moderator(store)
    with unchanged(store):
        store.articles.edit(article.id, draft_of(article), editor, EDIT)


def test_only_the_poster_may_edit_and_only_in_time(store: Store) -> None:
    ann, bob = factories.user(store), factories.user(store, "bob")
    articles = [article_of_age(store, age) for age in (895, 901)]
    drafts = [draft_of(article, title="New title") for article in articles]
    store.articles.edit(1, drafts[0], ann)
    assert store.articles.get(1).title == "New title"
    with unchanged(store):
        for draft in drafts:
            with pytest.raises(NotYours):
                store.articles.edit(1, draft, bob)
        with pytest.raises(TooLate) as refused:
            store.articles.edit(2, drafts[1], ann)
    assert refused.value.values["when"] == pytest.approx(articles[1].time + 900, abs=1e-3)


def test_a_moderators_edit_is_logged_and_possible_at_any_time(store: Store) -> None:
    article = article_of_age(store, 40 * 86_400, groups=("go",))
    factories.group(store, "redis")
    store.articles.edit(article.id, draft_of(article, title="Better", groups=("redis",)), moderator(store), EDIT)
    assert store.articles.get(article.id).title == "Better"
    entry = logged_act(store, 1)
    assert (entry.kind, entry.who, entry.article, entry.title) == (LogAction.EDIT, "Mod", 1, "Redis in Action")
    assert (entry.added, entry.removed) == (("redis",), ("go",))
    assert broken(store) == []


def test_a_refused_edit_changes_nothing(store: Store) -> None:
    article, gone, ann = factories.article(store, groups=tuple("abcd")), factories.article(store), factories.user(store)
    store.removals.delete(gone.id, ann)
    for name in "ef":
        factories.group(store, name)
    for id, groups, refusal in (
        (article.id, ("a", "nowhere"), NoSuchGroup),
        (article.id, tuple("abcdef"), TooManyGroups),
        (gone.id, (), ArticleGone),
        (77, (), NoSuchArticle),
    ):
        for editor, entry in ((ann, None), (moderator(store), EDIT)):
            with unchanged(store), pytest.raises(refusal):
                store.articles.edit(id, draft_of(article, title="New", groups=groups), editor, entry)


@pytest.mark.parametrize(
    ("first", "then", "indexed"),
    [
        ("https://a.example/x", "http://www.a.example/x/", [1]),  # another spelling of the same link
        ("https://a.example/x", "", []),
        ("", "https://a.example/x", [1]),
    ],
)
def test_the_link_index_follows_every_change(store: Store, first: str, then: str, indexed: list[int]) -> None:
    ann, article = factories.user(store), factories.article(store, link=first, text="text")
    store.articles.edit(article.id, draft_of(article, link=then), ann)
    assert ids_with_link(store, "https://a.example/x") == indexed
    assert broken(store) == []


def test_a_new_link_of_an_old_article_is_not_indexed(store: Store) -> None:
    article = article_of_age(store, 31 * 86_400, link="https://a.example/")
    store.articles.edit(article.id, draft_of(article, link="https://b.example/"), moderator(store), EDIT)
    assert ids_with_link(store, "https://b.example/") == []
    assert broken(store) == []
