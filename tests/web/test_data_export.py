"""The export of a member's data, and the votes of the last week."""

import json
import time
from collections.abc import Sequence

import pytest

from tests import factories
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web import data_export


def recent_votes(store: Store, settings: Settings, name: str = "bob") -> list[int]:
    return [article.id for article in data_export.recent_votes(store, settings, store.users.get(name))]


def test_recent_votes_are_newest_first_without_own_articles(store: Store, settings: Settings) -> None:
    bob = factories.user(store, "bob")
    articles = [factories.article(store) for _ in range(4)]
    factories.article(store, bob)
    for article in (articles[0], articles[2], articles[3]):
        store.votes.cast(article.id, bob)
    store.votes.take_back(articles[3].id, bob)
    assert recent_votes(store, settings) == [3, 1]
    assert recent_votes(store, settings, "ann") == []


def test_votes_on_closed_and_removed_articles_are_left_out(store: Store, settings: Settings) -> None:
    bob = factories.user(store, "bob")
    factories.imported(store, time=time.time() - 8 * 86_400)
    for _ in range(2):
        store.votes.cast(factories.article(store).id, bob)
    store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "Mod", article=2, why="spam"))
    assert recent_votes(store, settings) == [3]


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 500])
def test_recent_votes_are_read_in_batches(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(config, "READ_BATCH_SIZE", batch)
    bob = factories.user(store, "bob")
    for _ in range(7):
        store.votes.cast(factories.article(store).id, bob)
    batches, run = [], store.connection.run

    def record(commands: Sequence[Command]) -> list[object]:
        batches.append(len(commands))
        return run(commands)

    monkeypatch.setattr(store.connection, "run", record)
    assert recent_votes(store, settings) == [7, 6, 5, 4, 3, 2, 1]
    assert max(batches) <= batch
    assert len(batches) <= 2 * -(-7 // batch) + 1


def test_export_has_everything_of_a_member(store: Store, settings: Settings) -> None:
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    token = store.invitations.make(ann).token
    store.users.make("cid", "", invitation=token)
    first = factories.article(store, ann, title="A story", groups=("go",))
    removed = factories.article(store, ann)
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", article=removed.id, why="spam"))
    other = factories.article(store, bob, title="Bob's")
    store.votes.cast(other.id, ann)
    store.reports.make(other.id, ann, Reason.TOPIC, "a note")
    data = data_export.export_member(store, settings, store.users.get("ann"))
    assert json.loads(json.dumps(data)) == data
    assert (data["account"]["name"], data["account"]["role"], data["account"]["invited by"]) == ("Ann", "member", None)
    fields = ("id", "title", "groups", "gone", "reason")
    assert [tuple(article[name] for name in fields) for article in data["articles"]] == [
        (first.id, "A story", ["go"], None, None),
        (removed.id, "Redis in Action", [], "removed", "spam"),
    ]
    assert [(report["article"], report["reason"], report["note"]) for report in data["reports"]] == [
        (3, "topic", "a note")
    ]
    assert [(invitation["used by"], invitation["withdrawn"]) for invitation in data["invitations"]] == [("cid", False)]
    assert data["votes"] == [{"article": 3, "title": "Bob's", "link": other.link}]
    assert data_export.export_member(store, settings, store.users.get("cid"))["account"]["invited by"] == "Ann"


def test_export_has_no_secrets(store: Store, settings: Settings) -> None:
    ann = store.users.make("ann", "the hash of a password")
    token = store.invitations.make(ann).token
    text = json.dumps(data_export.export_member(store, settings, ann))
    for secret in ("the hash of a password", ann.session, token):
        assert secret not in text
