"""Settings that shape scores: the data have them, and every write goes by them."""

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.concurrency import at_once
from tests.store.examination import broken, broken_keys, run
from tests.store.queries import log_page
from voteweb.core.config import COMMAND_LINE
from voteweb.core.errors import ConfigError, NotAllowed, StillRescoring
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.core.ranking_trial import change_weights
from voteweb.core.settings import Settings
from voteweb.core.settings_in_force import FIELDS
from voteweb.store import Store, build_store

HUNDRED: dict[str, Any] = {"vote_score": 100.0, "good_votes": 3, "lift_days": 1}


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site whose first start had other settings than the default ones, articles with four votes and one."""
    store = make_store(**HUNDRED)
    store.site_settings.take_settings()
    vote(store, factories.article(store, groups=("go",), link="").id, 3)
    factories.article(store, link="")
    return store


def vote(store: Store, id: int, votes: int) -> None:
    for voter in factories.users(store, votes):
        store.votes.cast(id, voter)


def change(store: Store, actor: User | None = None, **changes: Any) -> bool:
    entry = LogEntry(LogAction.WEIGHTS, actor.name if actor else COMMAND_LINE)
    return store.site_settings.change_settings(lambda before: replace(before, **changes), entry, actor=actor)


def started(store: Store, settings: Settings, **changes: Any) -> Store:
    """Return the store of a process that is started with the default settings and these *changes*."""
    other = build_store(store.connection, replace(settings, **changes))
    other.site_settings.take_settings()
    return other


def test_the_environment_counts_at_the_first_start_only(site: Store, settings: Settings) -> None:
    later = started(site, settings, voting_seconds=60)
    in_force = later.context.settings
    assert (in_force.vote_score, in_force.good_votes, in_force.lift_days) == (100.0, 3, 1)
    assert in_force.voting_seconds == settings.voting_seconds
    assert broken(later) == []


def test_two_first_starts_at_once_agree(store: Store, settings: Settings) -> None:
    starts = [partial(started, store, settings, vote_score=float(number), good_votes=number) for number in range(1, 9)]
    found = {(start.context.settings.vote_score, start.context.settings.good_votes) for start in at_once(starts)}
    ((vote_score, good_votes),) = found
    assert vote_score == good_votes


def test_processes_with_old_settings_write_by_those_in_force(site: Store, settings: Settings) -> None:
    old = build_store(site.connection, settings)  # as a process that read other values when it started
    change(old, vote_score=50.0, good_votes=2, own_vote=0, voting_seconds=99)
    list(old.site_settings.rescore())
    new = started(site, settings)
    posted = factories.article(old, groups=("go",), link="")
    vote(old, posted.id, 2)
    factories.imported(old, votes=5, groups=("go",))
    factories.remove(old)
    factories.restore(old)
    assert broken(new) == []
    article = new.articles.get(posted.id)
    assert (article.votes, article.closes) == (2, int(article.time + 99))
    assert run(new, "ZSCORE", "good:", f"article:{posted.id}") is not None


@pytest.mark.parametrize(
    "command", [["SET", "site:", "nonsense"], ["HSET", "site:", *chain(*((field, "1e300") for field in FIELDS))]]
)
def test_damaged_settings_stop_no_act(site: Store, command: list[str]) -> None:
    run(site, "DEL", "site:")
    run(site, *command)
    site.health.refuse_foreign()
    posted = factories.article(site, groups=("go",), link="")
    vote(site, posted.id, 2)
    factories.remove(site, posted.id)
    factories.restore(site, posted.id)
    assert broken_keys(site) == {"site:"}


def test_a_killed_rescoring_is_ended_by_the_job(
    site: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(site, vote_score=60.0)
    monkeypatch.setattr("voteweb.store.server.rescoring.batched", lambda items: ([item] for item in items))
    next(site.site_settings.rescore())  # killed after the first article
    monkeypatch.undo()
    new = started(site, settings)
    assert new.read(new.site_settings.queue_rescored) == (1, 2)
    assert broken(new) == []  # of what waits for its new score
    vote(new, 2, 1)
    list(new.site_settings.rescoring_steps())
    assert broken(new) == []
    assert new.site_settings.unfinished_change() is None
    assert list(new.site_settings.rescoring_steps()) == []


def test_a_change_waits_until_another_ends_and_is_logged(site: Store, mod: User, settings: Settings) -> None:
    root = factories.user(site, "root", Role.ADMIN)
    with pytest.raises(NotAllowed):
        change(site, mod, vote_score=60.0)
    outcomes = at_once([partial(change, site, root, vote_score=score) for score in (60.0, 70.0)])
    assert sorted(outcomes, key=str) == [StillRescoring, True]
    score = (60.0, 70.0)[outcomes.index(True)]
    assert change(site, root, vote_score=score), "sent again"
    assert not change(site, factories.user(site, "boss", Role.ADMIN), vote_score=score)
    (entry,) = log_page(site).rows
    assert (entry.who, entry.removed, entry.added) == ("root", ("vote-score=100.0",), (f"vote-score={score}",))
    list(site.site_settings.rescoring_steps())
    assert broken(started(site, settings)) == []
    assert change(site, root, vote_score=80.0)


def test_a_weight_of_comments_moves_no_article(site: Store, settings: Settings) -> None:
    root = factories.user(site, "root", Role.ADMIN)
    entry = LogEntry(LogAction.WEIGHTS, "root")
    site.site_settings.change_settings(lambda old: change_weights(old, comment_good_votes=7), entry, actor=root)
    assert site.site_settings.unfinished_change() is None
    assert started(site, settings).context.settings.comment_good_votes == 7


def test_lost_settings_are_not_replaced_by_others(site: Store, settings: Settings) -> None:
    change(site, vote_score=50_000.0)
    list(site.site_settings.rescore())
    for _ in range(3):
        vote(site, factories.article(site, link="").id, 3)
    run(site, "DEL", "site:")
    with pytest.raises(ConfigError, match=r"VOTEWEB_VOTE_SCORE=50000.0 and VOTEWEB_LIFT_DAYS=1, and the environment"):
        started(site, settings, vote_score=50_000.0)
    assert run(site, "EXISTS", "site:") == 0
    assert broken(started(site, settings, good_votes=3, vote_score=50_000.0, lift_days=1)) == []
