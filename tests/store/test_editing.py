"""Editing: who may, until when, what changes with the fields, and the versions that are kept of before."""

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.store.examination import ids, refused, run, unchanged
from tests.store.queries import logged_act
from voteweb.core import config, links
from voteweb.core.errors import (
    ArticleGone,
    LinkFixed,
    NoSuchArticle,
    NoSuchGroup,
    NotYours,
    StaleEdit,
    TooLate,
    TooManyGroups,
)
from voteweb.core.models import Draft, EarlierVersion, LogAction, LogEntry, Role, User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")

EDIT = LogEntry(LogAction.EDIT, "mod", about="ann", article=1, title="Redis in Action")


def edit(store: Store, editor: User | None = None, *, id: int = 1, revision: int | None = None, **changes: Any) -> None:
    """Edit an article as it is now, by its poster ann unless by another *editor*: by the moderator mod with EDIT."""
    article = factories.stored_article(store, id) if id == 1 else factories.draft()
    fields = {"title": article.title, "link": article.link, "text": article.text, "groups": article.groups} | changes
    editor = editor or factories.user(store)
    store.articles.edit(id, Draft(**fields), editor, EDIT if editor.name == "mod" else None, revision=revision)


def earlier(store: Store) -> tuple[EarlierVersion, ...]:
    return store.read(store.articles.queue_earlier, 1)


def article_of_age(store: Store, age: float, **changes: Any) -> None:
    """Make an article by ann, posted *age* seconds ago."""
    factories.imported(store, time=time.time() - age, **changes)


def test_a_poster_can_change_all_fields_in_time(store: Store) -> None:
    ann = factories.user(store, "Ann")
    article = factories.article(store, ann, groups=("go",))
    factories.group(store, "redis")
    edit(store, ann, groups=("redis",))
    moved = store.articles.get(article.id)
    assert moved == replace(article, groups=("redis",), revision=1)
    edit(store, replace(ann, name="ANN"), title="New title", link="https://new.example/", text="words")
    changed = store.articles.get(article.id)
    assert article.time < changed.edited < time.time() + 1
    fields = {"title": "New title", "link": "https://new.example/", "text": "words"}
    assert changed == replace(moved, **fields, revision=2, edited=changed.edited)
    assert [ids(store, f"{place}:{name}") for place in ("time", "score") for name in ("go", "redis")] == [[], [1]] * 2


def test_only_the_poster_may_edit_and_only_in_time(store: Store, bob: User) -> None:
    posted = time.time() - 840
    factories.imported(store, time=posted)
    edit(store, title="New title")
    assert store.articles.get(1).title == "New title"
    run(store, "HSET", "article:1", "time", posted - 61)
    for editor, error in ((bob, NotYours), (None, TooLate)):
        with refused(store, error) as refusal:
            edit(store, editor, text="words")
    assert refusal.value.values["when"] == pytest.approx(posted + 839, abs=1e-3)
    run(store, "HSET", "article:1", "time", f"{store.articles.get(1).time + 61:.6f}")


def test_a_moderators_edit_is_logged_and_possible_at_any_time(store: Store, mod: User) -> None:
    article_of_age(store, 40 * 86_400, groups=("go",), link="https://a.example/", votes=0)
    factories.group(store, "redis")
    with unchanged(store):
        edit(store, mod)
    edit(store, mod, title="Better", groups=("redis",), link="https://b.example/")
    assert store.articles.get(1).title == "Better"
    assert ids(store, f"link:{links.digest('https://b.example/')}") == [], "an old article is not found by its link"
    entry = logged_act(store, 1)
    assert (entry.kind, entry.who, entry.article, entry.title) == (LogAction.EDIT, "mod", 1, "Redis in Action")
    assert (entry.added, entry.removed) == (("redis",), ("go",))


def test_a_refused_edit_changes_nothing(store: Store, mod: User) -> None:
    factories.article(store, groups=tuple("abcd"))
    store.removals.delete(factories.article(store).id)
    for name in "ef":
        factories.group(store, name)
    for id, groups, error in (
        (1, ("a", "nowhere"), NoSuchGroup),
        (1, tuple("abcdef"), TooManyGroups),
        (2, (), ArticleGone),
        (77, (), NoSuchArticle),
    ):
        for editor in (None, mod):
            with refused(store, error):
                edit(store, editor, id=id, title="New", groups=groups)


def test_the_link_index_follows_every_change(store: Store) -> None:
    factories.article(store, link="https://a.example/x", text="text")
    for link, indexed in (("http://www.a.example/x/", [1]), ("", []), ("https://a.example/x", [1])):
        edit(store, link=link)
        assert ids(store, f"link:{links.digest('https://a.example/x')}") == indexed


def test_only_admins_exchange_a_link_with_votes_of_others(store: Store, mod: User) -> None:
    factories.article(store)
    # Imported votes, and those of others where that of the poster does not count, and where it does.
    for base, votes in ((6, 7), (-1, 1), (0, 2)):
        run(store, "HSET", "article:1", "base", base, "votes", votes)
        with refused(store, LinkFixed):
            edit(store, link="https://other.example/")
    edit(store, text="But all else.")
    with refused(store, LinkFixed):
        edit(store, mod, link="https://moderator.example/")
    admin = factories.user(store, "una", Role.ADMIN)
    for why in ("", "The page has moved."):
        entry = LogEntry(LogAction.EDIT, "una", about="ann", article=1, why=why)
        with nullcontext() if why else refused(store, LinkFixed):
            store.articles.edit(1, factories.draft(link="https://moved.example/", text="But all else."), admin, entry)
    assert (store.articles.get(1).link, logged_act(store, 1).why) == ("https://moved.example/", "The page has moved.")
    for base, votes in ((-1, 0), (0, 1)):
        run(store, "HSET", "article:1", "base", base, "votes", votes)
        edit(store, link=f"https://of-{votes}.example/")
        assert store.articles.get(1).link == f"https://of-{votes}.example/"


def test_edits_name_a_revision_that_counts_changes_the_form_shows(store: Store, mod: User, bob: User) -> None:
    for name in ("go", "redis"):
        factories.group(store, name)
    factories.article(store)
    for _ in range(2):  # the second changes nothing, and is not stale
        edit(store, text="Words.", revision=0)
    store.articles.set_groups(1, ["go"], [])
    store.articles.set_groups(1, ["go"], ["redis"])  # changes nothing
    assert store.articles.get(1).revision == 2
    for editor in (None, mod):
        with refused(store, StaleEdit):
            edit(store, editor, title="Another title", groups=("nowhere",), revision=1)
    edit(store, mod, groups=("redis",), revision=2)
    store.votes.cast(1, bob)
    assert store.articles.get(1).revision == 3


def test_articles_with_a_poster_keep_five_versions_for_thirty_days(store: Store, mod: User) -> None:
    factories.article(store, title="Title 0", groups=("go",))
    for number in range(1, 8):
        edit(store, mod if number == 7 else None, title=f"Title {number}", text="编程 / \\", groups=("go",))
    versions = earlier(store)
    assert [version.title for version in versions] == [f"Title {number}" for number in (6, 5, 4, 3, 2)]
    assert [version.by_poster for version in versions] == [False, True, True, True, True]
    assert (versions[0].text, versions[0].groups) == ("编程 / \\", ("go",))
    assert versions[0].until == pytest.approx(store.articles.get(1).edited)
    assert 0 <= config.EARLIER_SECONDS - run(store, "TTL", "was:1") < 60
    store.removals.remove(1, EDIT)
    store.removals.restore(1, EDIT)
    assert earlier(store) == versions
    factories.article(store)
    edit(store, id=2, title="Another title")
    store.removals.delete(1)
    store.removals.leave(2, "ann", deletes=False)
    assert run(store, "KEYS", "was:*") == []


def titles(store: Store) -> list[str]:
    return [f"{version.title}{' (posted)' * version.as_posted}" for version in earlier(store)]


def test_edits_by_others_leave_what_the_poster_had_last(store: Store, mod: User) -> None:
    factories.article(store, title="Title 0")
    edit(store, title="Title 1")
    for number in range(1, 9):
        edit(store, mod, title=f"Vandal {number}")
    assert titles(store) == ["Vandal 7", "Vandal 6", "Vandal 5", "Title 1 (posted)", "Title 0"]
    run(store, "UNLINK", "was:1")  # after thirty days
    assert titles(store) == ["Title 1 (posted)"]
    edit(store, mod, text="Words.")
    assert titles(store) == ["Vandal 8", "Title 1 (posted)"]
    edit(store, mod, title="Title 1", text="")  # back
    assert titles(store) == ["Vandal 8", "Vandal 8"]
    edit(store, mod, text="More words.")
    edit(store, text="These are mine.")
    assert run(store, "HGET", "article:1", "as-posted") is None, "its poster has had other words since"
