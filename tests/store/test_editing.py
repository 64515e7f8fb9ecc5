"""Editing: whose, until when, and what follows the words."""

import time
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core import links
from voteweb.core.errors import ArticleGone, NoSuchArticle, NoSuchGroup, NotYours, TooLate, TooManyGroups, VotewebError
from voteweb.core.models import Article, Draft, LogAction, User
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

EDIT = NewLogEntry(LogAction.EDIT, "Mod", about="ann", article=1, title="Redis in Action")


def same(article: Article, **over: Any) -> Draft:
    """Return the draft that changes nothing of *article* but these fields."""
    fields = {"title": article.title, "link": article.link, "text": article.text, "groups": article.groups} | over
    return Draft(**fields)


def of_link(store: Store, link: str) -> list[int]:
    return ids(store, f"link:{links.digest(link)}")


def old(store: Store, age: float = 901.0, **over: Any) -> Article:
    """Return an article of ann's, posted *age* seconds ago."""
    return factories.imported(store, time=time.time() - age, **over)


def test_the_poster_changes_everything_within_the_first_minutes(store: Store) -> None:
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


def test_an_edited_article_says_when(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store)
    assert article.edited == 0
    store.articles.edit(article.id, same(article, text="more"), ann)
    assert article.time < store.articles.get(article.id).edited < time.time() + 1


def test_sorting_by_the_form_is_no_edit_of_the_words(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store)
    factories.group(store, "go")
    store.articles.edit(article.id, same(article, groups=("go",)), ann)
    assert (store.articles.get(article.id).edited, store.articles.get(article.id).groups) == (0, ("go",))


def test_a_form_sent_unchanged_changes_nothing_and_is_in_no_log(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    before = snapshot(store)
    store.articles.edit(article.id, same(article), factories.user(store), EDIT)
    assert snapshot(store) == before | {"log-entry:": ("string", "1", -1)}  # an id was taken, a gap does no harm


def test_in_another_group_the_article_stands_at_its_present_score(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store)
    store.votes.cast(article.id, factories.user(store, "bob"))
    factories.group(store, "go")
    store.articles.edit(article.id, same(article, groups=("go",)), ann)
    assert run(store, "ZSCORE", "score:go", "article:1") == pytest.approx(article.time + 864, abs=1e-6)


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
def test_only_the_poster_may_and_only_in_time(
    store: Store, name: str, age: int, refusal: type[VotewebError] | None
) -> None:
    article = old(store, age)
    editor = User(9, name, "", factories.user(store).role, 0.0, "")
    before = snapshot(store)
    if refusal is None:
        store.articles.edit(article.id, same(article, title="New title"), editor)
        assert store.articles.get(article.id).title == "New title"
        return
    with pytest.raises(refusal):
        store.articles.edit(article.id, same(article, title="New title"), editor)
    assert snapshot(store) == before


def test_who_is_late_is_told_until_when_it_was_possible(make_store: MakeStore) -> None:
    store = make_store(edit_seconds=60)
    article = old(store, 61)
    with pytest.raises(TooLate) as refusal:
        store.articles.edit(article.id, same(article, title="New title"), factories.user(store))
    assert refusal.value.values["when"] == pytest.approx(article.time + 60, abs=1e-3)


@pytest.mark.parametrize("age", [1, 901, 40 * 86_400])
def test_a_moderator_edits_at_any_time_and_the_log_says_so(store: Store, age: int) -> None:
    article = old(store, age, groups=("go",))
    factories.group(store, "redis")
    store.articles.edit(
        article.id, same(article, title="Better", groups=("redis",)), factories.user(store, "mod"), EDIT
    )
    assert store.articles.get(article.id).title == "Better"
    entry = store.moderation_log.get(1)
    assert entry is not None
    assert (entry.kind, entry.who, entry.article, entry.title) == (LogAction.EDIT, "Mod", 1, "Redis in Action")
    assert (entry.added, entry.removed) == (("redis",), ("go",))
    assert broken(store) == []


@pytest.mark.parametrize("entry", [None, EDIT], ids=["poster", "moderator"])
def test_what_cannot_be_changed_so_stays_as_it_was(store: Store, entry: NewLogEntry | None) -> None:
    ann, article = factories.user(store), factories.article(store, groups=tuple("abcd"))
    for name in "ef":
        factories.group(store, name)
    refused = [
        (article.id, same(article, title="New", groups=("a", "nowhere")), NoSuchGroup),
        (article.id, same(article, title="New", groups=tuple("abcdef")), TooManyGroups),
        (77, same(article), NoSuchArticle),
    ]
    for id, draft, refusal in refused:
        before = snapshot(store) | {"log-entry:": None}
        with pytest.raises(refusal):
            store.articles.edit(id, draft, ann, entry)
        assert snapshot(store) | {"log-entry:": None} == before


def test_what_is_gone_cannot_be_edited(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store)
    store.removals.delete(article.id, ann)
    for entry in (None, EDIT):
        with pytest.raises(ArticleGone):
            store.articles.edit(article.id, same(article), ann, entry)


def test_another_link_is_found_under_its_own_key(store: Store) -> None:
    ann, article = factories.user(store), factories.article(store, link="https://a.example/x")
    store.articles.edit(article.id, same(article, link="https://b.example/"), ann)
    assert (of_link(store, "https://a.example/x"), of_link(store, "https://b.example/")) == ([], [1])
    assert broken(store) == []


@pytest.mark.parametrize(
    ("first", "then", "found"),
    [
        ("https://a.example/x", "http://www.a.example/x/", [1]),  # another spelling of the same link
        ("https://a.example/x", "", []),
        ("", "https://a.example/x", [1]),
    ],
)
def test_the_key_of_a_link_follows_every_change(store: Store, first: str, then: str, found: list[int]) -> None:
    ann, article = factories.user(store), factories.article(store, link=first, text="text")
    store.articles.edit(article.id, same(article, link=then), ann)
    assert of_link(store, "https://a.example/x") == found
    assert broken(store) == []


def test_a_link_given_to_an_old_article_is_asked_about_by_nobody(store: Store) -> None:
    article = old(store, 31 * 86_400, link="https://a.example/")
    store.articles.edit(article.id, same(article, link="https://b.example/"), factories.user(store), EDIT)
    assert of_link(store, "https://b.example/") == []
    assert broken(store) == []


def test_a_link_that_changed_meanwhile_is_read_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, article = factories.user(store), factories.article(store, link="https://a.example/")
    get, script = store.articles.get, store.connection.script
    seen = []

    def after_another_edit(name: str, *rest: Any) -> Any:
        if name == "edit_article" and not seen:
            seen.append(name)
            store.articles.edit(article.id, same(get(1), link="https://b.example/"), ann)
        return script(name, *rest)

    monkeypatch.setattr(store.connection, "script", after_another_edit)
    store.articles.edit(article.id, same(article, link="https://c.example/"), ann)
    assert [of_link(store, f"https://{name}.example/") for name in "abc"] == [[], [], [1]]
    assert broken(store) == []
