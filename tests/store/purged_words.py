"""A site with words about one article in every place that can have them."""

from tests import factories
from tests.store.examination import snapshot
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, LogEntry, Reason
from voteweb.store import Store

WORDS = ("dreadful", "secret.example", "atrocious", "horrid", "vile", "beastly")


def write_words(store: Store) -> None:
    """Make article 1 with all of these words, and another article."""
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, title="A dreadful title", link="https://secret.example/", text="")
    store.articles.edit(1, factories.draft(title="An atrocious title", link="https://secret.example/"), ann)
    answer = factories.comment(store, 1, bob, text="A horrid comment")
    store.reports.make(answer, ann, Reason.SPAM, "beastly")
    store.removals.remove(1, log_entry(1, LogAction.REMOVE))
    store.removals.restore(1, log_entry(1, LogAction.RESTORE))
    store.reports.make(1, bob, Reason.SPAM, "vile")
    store.removals.remove(factories.article(store, ann, link="").id, log_entry(2, LogAction.REMOVE, "Harmless"))


def log_entry(id: int, kind: LogAction, title: str = "An atrocious title") -> LogEntry:
    return LogEntry(kind, COMMAND_LINE, about="ann", article=id, title=title, why="the reason")


def words_left(store: Store) -> list[str]:
    """Return which of the words are in the database."""
    everything = str(snapshot(store))
    return [word for word in WORDS if word in everything]
