"""Earlier versions of articles, and edits of an article that somebody else has changed since."""

from typing import Any

import pytest

from tests import factories
from tests.store.examination import broken, run, unchanged
from tests.store.test_editing import EDIT, draft_of, moderator
from voteweb.core import config
from voteweb.core.errors import LinkFixed, StaleEdit
from voteweb.core.models import EarlierVersion
from voteweb.store import Store


def earlier(store: Store, id: int = 1) -> tuple[EarlierVersion, ...]:
    return store.read(store.articles.queue_earlier, id)


def edit(store: Store, *, by_moderator: bool = False, revision: int | None = None, **changes: Any) -> None:
    """Edit article 1 as it is now."""
    editor, entry = (moderator(store), EDIT) if by_moderator else (factories.user(store), None)
    store.articles.edit(1, draft_of(store.articles.get(1), **changes), editor, entry, revision=revision)


def test_every_change_of_what_the_form_shows_has_a_revision(store: Store) -> None:
    for name in ("go", "redis"):
        factories.group(store, name)
    assert factories.article(store).revision == 0
    edit(store, title="Another title")
    store.articles.set_groups(1, ["go"], [])
    store.articles.set_groups(1, ["go"], ["redis"])  # changes nothing
    edit(store)
    assert store.articles.get(1).revision == 2
    edit(store, by_moderator=True, groups=("redis",))
    store.votes.cast(1, factories.user(store, "bob"))
    assert store.articles.get(1).revision == 3


@pytest.mark.parametrize("by_moderator", [False, True])
def test_edit_of_an_older_revision_writes_nothing(store: Store, by_moderator: bool) -> None:
    factories.article(store)
    moderator(store)
    for _ in range(2):  # the second changes nothing, and is not stale
        edit(store, text="Words.", revision=0)
    with unchanged(store), pytest.raises(StaleEdit):
        edit(store, by_moderator=by_moderator, title="Another title", groups=("nowhere",), revision=0)
    edit(store, by_moderator=by_moderator, title="Another title", revision=1)
    assert store.articles.get(1).title == "Another title"


def test_last_five_versions_are_kept_for_thirty_days(store: Store) -> None:
    factories.article(store, title="Title 0", groups=("go",))
    for number in range(1, 8):
        edit(store, title=f"Title {number}", text="编程 / \\", groups=("go",), by_moderator=number == 7)
    versions = earlier(store)
    assert [version.title for version in versions] == [f"Title {number}" for number in (6, 5, 4, 3, 2)]
    assert [version.by_poster for version in versions] == [False, True, True, True, True]
    assert (versions[0].text, versions[0].groups) == ("编程 / \\", ("go",))
    assert versions[0].until == pytest.approx(store.articles.get(1).edited)
    assert 0 <= config.EARLIER_SECONDS - run(store, "TTL", "was:1") < 60
    assert broken(store) == []


def test_earlier_versions_go_with_a_deletion_but_not_a_removal(store: Store) -> None:
    ann = factories.user(store)
    for number in (1, 2):
        factories.article(store)
        store.articles.edit(number, factories.draft(title="Another title"), ann)
    store.removals.remove(1, EDIT)
    store.removals.restore(1, EDIT)
    assert [len(earlier(store, number)) for number in (1, 2)] == [1, 1]
    store.removals.delete(1, ann)
    store.account_deletion.start(ann, delete_articles=False)
    store.account_deletion.finish("ann")
    assert [earlier(store, number) for number in (1, 2)] == [(), ()]
    assert broken(store) == []


def test_poster_cannot_exchange_a_link_with_votes_of_others(store: Store) -> None:
    factories.article(store)
    # Imported votes, and those of others where that of the poster does not count, and where it does.
    for base, votes in ((6, 7), (-1, 1), (0, 2)):
        run(store, "HSET", "article:1", "base", base, "votes", votes)
        with unchanged(store), pytest.raises(LinkFixed):
            edit(store, link="https://other.example/")
    edit(store, text="But all else.")
    edit(store, link="https://moderator.example/", by_moderator=True)
    for base, votes in ((0, 1), (-1, 0)):
        run(store, "HSET", "article:1", "base", base, "votes", votes)
        edit(store, link=f"https://of-{votes}.example/")
        assert store.articles.get(1).link == f"https://of-{votes}.example/"
