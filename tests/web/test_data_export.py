"""What a member did: this week's votes, and everything the site holds of one person."""

import json
import time
from typing import Any

import pytest

from tests import factories
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web import data_export


def voted(store: Store, settings: Settings, name: str = "bob") -> list[int]:
    return [each.id for each in data_export.recent_votes(store, settings, store.users.get(name))]


def test_the_own_votes_of_the_week_come_newest_first_without_the_own_articles(store: Store, settings: Settings) -> None:
    bob = factories.user(store, "bob")
    articles = [factories.article(store) for _ in range(4)]
    factories.article(store, bob)
    for at in (0, 2, 3):
        store.votes.cast(articles[at].id, bob)
    store.votes.take_back(articles[3].id, bob)
    assert voted(store, settings) == [3, 1]
    assert voted(store, settings, "ann") == []


def test_votes_on_what_is_closed_or_gone_are_not_told(store: Store, settings: Settings) -> None:
    bob = factories.user(store, "bob")
    factories.imported(store, time=time.time() - 8 * 86_400)
    for _ in range(2):
        store.votes.cast(factories.article(store).id, bob)
    store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "Mod", article=2, why="spam"))
    assert voted(store, settings) == [3]


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 500])
def test_the_week_is_asked_in_batches(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(config, "BATCH", batch)
    bob = factories.user(store, "bob")
    for _ in range(7):
        store.votes.cast(factories.article(store).id, bob)
    trips, pipeline = [], store.connection.pipeline

    def counted(commands: Any, **more: Any) -> Any:
        trips.append(len(commands))
        return pipeline(commands, **more)

    monkeypatch.setattr(store.connection, "pipeline", counted)
    assert voted(store, settings) == [7, 6, 5, 4, 3, 2, 1]
    assert max(trips) <= batch
    assert len(trips) <= 2 * -(-7 // batch) + 1


def test_everything_of_a_member_is_told_and_can_be_written_down(store: Store, settings: Settings) -> None:
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    token = store.invitations.make(ann).token
    store.users.make("cid", "", invitation=token)
    first = factories.article(store, ann, title="A story", groups=("go",))
    removed = factories.article(store, ann)
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", article=removed.id, why="spam"))
    other = factories.article(store, bob, title="Bob's")
    store.votes.cast(other.id, ann)
    store.reports.make(other.id, ann, Reason.TOPIC, "a note")
    told = data_export.export_member(store, settings, store.users.get("ann"))
    assert json.loads(json.dumps(told)) == told
    assert (told["account"]["name"], told["account"]["role"], told["account"]["invited by"]) == ("Ann", "member", None)
    assert [(each["id"], each["title"], each["groups"], each["gone"], each["reason"]) for each in told["articles"]] == [
        (first.id, "A story", ["go"], None, None),
        (removed.id, "Redis in Action", [], "removed", "spam"),
    ]
    assert [(each["article"], each["reason"], each["note"]) for each in told["reports"]] == [(3, "topic", "a note")]
    assert [(each["used by"], each["withdrawn"]) for each in told["invitations"]] == [("cid", False)]
    assert told["votes"] == [{"article": 3, "title": "Bob's", "link": other.link}]
    assert data_export.export_member(store, settings, store.users.get("cid"))["account"]["invited by"] == "Ann"


def test_nothing_secret_is_among_it(store: Store, settings: Settings) -> None:
    ann = store.users.make("ann", "the hash of a password")
    token = store.invitations.make(ann).token
    told = json.dumps(data_export.export_member(store, settings, ann))
    for secret in ("the hash of a password", ann.session, token):
        assert secret not in told
