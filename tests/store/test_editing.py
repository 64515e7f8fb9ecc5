"""Editing: who may, until when, and what changes with the fields."""

import time
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.store.examination import broken, ids, snapshot
from tests.store.queries import logged_act
from voteweb.core import links
from voteweb.core.errors import ArticleGone, NoSuchArticle, NoSuchGroup, NotYours, TooLate, TooManyGroups, VotewebError
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
    store.articles.edit(article.id, Draft("New title", "https://new.example/", "words", ("redis",)), ann)
    changed = store.articles.get(article.id)
    assert (changed.title, changed.link, changed.text, changed.groups) == (
        "New title", "https://new.example/", "words", ("redis",),
    )  # fmt: skip
    assert (changed.poster, changed.time, changed.votes) == (article.poster, article.time, article.votes)
    assert [ids(store, f"{place}:{name}") for place in ("time", "score") for name in ("go", "redis")] == [[], [1]] * 2
    assert broken(store) == []


def test_an_edit_of_more_than_the_groups_stores_its_time(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store)
    factories.group(store, "go")
    store.articles.edit(article.id, draft_of(article, groups=("go",)), ann)
    article = store.articles.get(article.id)
    assert (article.edited, article.groups) == (0, ("go",))
    store.articles.edit(article.id, draft_of(article, text="more"), ann)
    assert article.time < store.articles.get(article.id).edited < time.time() + 1


def test_an_unchanged_form_changes_and_logs_nothing(store: Store) -> None:
    article, editor = factories.article(store, groups=("go",)), moderator(store)
    before = snapshot(store)
    store.articles.edit(article.id, draft_of(article), editor, EDIT)
    assert snapshot(store) == before


@pytest.mark.parametrize(
    ("name", "age", "refusal"),
    [
        ("ann", 895, None),
        ("ANN", 895, None),
        ("ann", 901, TooLate),
        ("bob", 1, NotYours),
        ("bob", 901, NotYours),
    ],
)
def test_only_the_poster_may_edit_and_only_in_time(
    store: Store, name: str, age: int, refusal: type[VotewebError] | None
) -> None:
    article = article_of_age(store, age)
    editor = replace(factories.user(store, name), name=name)
    before = snapshot(store)
    if refusal is None:
        store.articles.edit(article.id, draft_of(article, title="New title"), editor)
        assert store.articles.get(article.id).title == "New title"
        return
    with pytest.raises(refusal) as refused:
        store.articles.edit(article.id, draft_of(article, title="New title"), editor)
    assert refusal is NotYours or refused.value.values["when"] == pytest.approx(article.time + 900, abs=1e-3)
    assert snapshot(store) == before


@pytest.mark.parametrize("age", [1, 901, 40 * 86_400])
def test_a_moderators_edit_is_logged_and_possible_at_any_time(store: Store, age: int) -> None:
    article = article_of_age(store, age, groups=("go",))
    factories.group(store, "redis")
    store.articles.edit(article.id, draft_of(article, title="Better", groups=("redis",)), moderator(store), EDIT)
    assert store.articles.get(article.id).title == "Better"
    entry = logged_act(store, 1)
    assert (entry.kind, entry.who, entry.article, entry.title) == (LogAction.EDIT, "Mod", 1, "Redis in Action")
    assert (entry.added, entry.removed) == (("redis",), ("go",))
    assert broken(store) == []


@pytest.mark.parametrize("entry", [None, EDIT], ids=["poster", "moderator"])
def test_a_refused_edit_changes_nothing(store: Store, entry: NewLogEntry | None) -> None:
    article = factories.article(store, groups=tuple("abcd"))
    editor = moderator(store) if entry else factories.user(store)
    for name in "ef":
        factories.group(store, name)
    refused = [
        (article.id, draft_of(article, title="New", groups=("a", "nowhere")), NoSuchGroup),
        (article.id, draft_of(article, title="New", groups=tuple("abcdef")), TooManyGroups),
        (77, draft_of(article), NoSuchArticle),
    ]
    for id, draft, refusal in refused:
        before = snapshot(store)
        with pytest.raises(refusal):
            store.articles.edit(id, draft, editor, entry)
        assert snapshot(store) == before


def test_a_deleted_article_cannot_be_edited(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store)
    store.removals.delete(article.id, ann)
    for editor, entry in ((ann, None), (moderator(store), EDIT)):
        with pytest.raises(ArticleGone):
            store.articles.edit(article.id, draft_of(article), editor, entry)


@pytest.mark.parametrize(
    ("first", "then", "indexed"),
    [
        ("https://a.example/x", "http://www.a.example/x/", [1]),  # another spelling of the same link
        ("https://a.example/x", "https://b.example/", []),
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


def test_an_edit_is_retried_when_the_link_changed_meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, article = factories.user(store), factories.article(store, link="https://a.example/")
    script, other_links = store.connection.script, iter(["https://b.example/"])

    def edit_before(name: str, /, **values: Any) -> Any:
        if name == "commit" and (link := next(other_links, None)):
            store.articles.edit(article.id, draft_of(article, link=link), ann)
        return script(name, **values)

    monkeypatch.setattr(store.connection, "script", edit_before)
    store.articles.edit(article.id, draft_of(article, link="https://c.example/"), ann)
    assert next(other_links, None) is None
    assert [ids_with_link(store, f"https://{name}.example/") for name in "abc"] == [[], [], [1]]
    assert broken(store) == []
