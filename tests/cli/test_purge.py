"""``voteweb article purge``: no word of an article is left anywhere, but reasons stay."""

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import log_entries
from tests.store.examination import broken, snapshot
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

WORDS = ("dreadful", "secret.example", "atrocious", "horrid", "vile", "beastly")


@pytest.fixture
def site(store: Store) -> Store:
    """A site with words about one article in every place that can have them, and another article."""
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, title="A dreadful title", link="https://secret.example/", text="")
    store.articles.edit(1, factories.draft(title="An atrocious title", link="https://secret.example/"), ann)
    answer = factories.comment(store, 1, bob, text="A horrid comment")
    store.reports.make_comment_report(answer, ann, Reason.SPAM, "beastly")
    store.removals.remove(1, log_entry(1, LogAction.REMOVE))
    store.removals.restore(1, log_entry(1, LogAction.RESTORE))
    store.reports.make(1, bob, Reason.SPAM, "vile")
    store.removals.remove(factories.article(store, ann, link="").id, log_entry(2, LogAction.REMOVE, "Harmless"))
    return store


def log_entry(id: int, kind: LogAction, title: str = "An atrocious title") -> NewLogEntry:
    return NewLogEntry(kind, COMMAND_LINE, about="ann", article=id, title=title, why="the reason")


@pytest.mark.parametrize("before", ["listed", "removed", "deleted"])
def test_no_word_is_left_but_the_reasons(invoke: Invoke, site: Store, before: str) -> None:
    if before != "listed":
        site.removals.remove(1, log_entry(1, LogAction.REMOVE))
    if before == "deleted":
        site.removals.delete(1)
    position = site.changes.end()
    assert invoke("article", "purge", 1, "--reason", "a court").exit_code == 2, "nobody can be asked"
    result = invoke("article", "purge", 1, "--reason", "a court", "--with-comments", "--yes")
    assert result.stdout.startswith("Purged 1. Backups made before still have its words")
    everything = str(snapshot(site))
    assert [word for word in WORDS if word in everything] == []
    *others, purge = log_entries(site)
    assert {entry.why for entry in others} == {"the reason"}
    assert {entry.title for entry in others} == {"", "Harmless"}
    assert (purge.who, purge.kind, purge.article, purge.title, purge.why) == (
        "command line", LogAction.PURGE, 1, "", "a court",
    )  # fmt: skip
    assert site.changes.read(position, wait=0).is_purge
    assert broken(site) == []


def test_comments_stay_unless_asked(invoke: Invoke, site: Store) -> None:
    assert invoke("article", "purge", 1, "--reason", "a court", "--yes").exit_code == 0
    everything = str(snapshot(site))
    assert [word for word in WORDS if word in everything] == ["horrid", "beastly"]
