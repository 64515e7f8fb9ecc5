"""Many at once: what the database holds is what the callers were told."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tests import factories
from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import broken, ids, run
from tests.store.storm import GROUPS, Storm
from voteweb.core.errors import AlreadyVoted, NameTaken, VotewebError
from voteweb.store import Store

#: Every act of a storm.
ACTS = [*"post cast edit remove restore delete report dismiss ban leave".split(), "take back", "set groups"]


def run_atomic(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run *acts* in a thread each, all let go at one moment; return what each returned or refused."""
    answers: list[Any] = [None] * len(acts)
    barrier = threading.Barrier(len(acts))

    def run_one(at: int) -> None:
        barrier.wait()
        try:
            answers[at] = acts[at]()
        except VotewebError as refusal:
            answers[at] = type(refusal)

    threads = [threading.Thread(target=run_one, args=(at,)) for at in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_forty_votes_of_one_member_count_once(store: Store) -> None:
    article, bob = factories.article(store, groups=("go",)), factories.user(store, "bob")
    answers = at_once([lambda: store.votes.cast(article.id, bob)] * 40)
    assert Counter(answers) == {2: 1, AlreadyVoted: 39}
    assert store.articles.get(article.id).votes == 2
    assert broken(store) == []


def test_the_votes_of_forty_members_all_count(store: Store) -> None:
    article, members = factories.article(store, groups=("go",)), factories.users(store, 40)
    answers = at_once([lambda each=each: store.votes.cast(article.id, each) for each in members])
    assert sorted(answers) == list(range(2, 42))
    assert store.articles.get(article.id).votes == 41
    assert broken(store) == []


def test_casting_against_taking_back_ends_as_the_answers_say(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    acts = [
        lambda: ("cast", store.votes.cast(article.id, bob)),
        lambda: ("back", store.votes.take_back(article.id, bob)),
    ]
    counted = Counter(answer[0] for answer in at_once(acts * 20) if isinstance(answer, tuple))
    assert counted["cast"] - counted["back"] in (0, 1)
    assert store.articles.get(article.id).votes == 1 + counted["cast"] - counted["back"]
    assert broken(store) == []


def test_votes_against_group_changes_all_land(store: Store) -> None:
    article, members = factories.article(store), factories.users(store, 20)
    for name in GROUPS:
        factories.group(store, name)
    votes = [lambda each=each: store.votes.cast(article.id, each, groups="") for each in members]  # type: ignore[misc]
    changes = [
        lambda at=at: store.articles.set_groups(article.id, [GROUPS[at % 5]], [GROUPS[(at + 1) % 5]])
        for at in range(20)
    ]  # type: ignore[misc]
    answers = at_once([act for pair in zip(votes, changes, strict=True) for act in pair])
    assert sorted(answer for answer in answers if isinstance(answer, int)) == list(range(2, 22))
    assert broken(store) == []


def test_one_form_sent_by_twenty_threads_is_one_article(store: Store) -> None:
    ann = factories.user(store)
    answers = at_once([lambda: store.articles.post(factories.draft(), ann, "form-0001")] * 20)
    assert len(set(answers)) == 1
    assert ids(store, "time:") == answers[:1]
    assert broken(store) == []


def test_one_name_wanted_by_twenty_is_one_members(store: Store) -> None:
    names = ["ann", "Ann", "ANN", "aNN"] * 5
    answers = at_once([lambda name=name: store.users.make(name, f"hash of {name}") for name in names])
    made = [answer for answer in answers if answer is not NameTaken]
    assert len(made) == 1
    assert store.users.get("ann") == made[0]


def test_one_story_imported_by_eight_comes_in_once(make_store: MakeStore) -> None:
    stores = [make_store() for _ in range(8)]
    batch = [factories.story(groups=("go",), poster=f"poster{i}") for i in range(10)]
    answers = at_once([lambda store=store: store.imports.add(batch) for store in stores])
    assert sum(answers) == 10
    assert run(stores[0], "ZCARD", "time:") == 10
    assert broken(stores[0]) == []


def test_after_a_storm_all_is_in_order_and_adds_up_and_during_it_too(make_store: MakeStore, server_url: str) -> None:
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3)
    storm = Storm(store)
    storm.start()
    found = []
    end = time.monotonic() + 1.5
    while time.monotonic() < end or (time.monotonic() < end + 10 and not all(storm.acts[name] for name in ACTS)):
        found += broken(store)
    storm.stop()
    assert storm.failures == []
    assert found == []
    assert broken(store) == []
    pipeline = store.pipeline()
    asked = {id: store.articles.queue_get(pipeline, id) for id in storm.votes}
    pipeline.execute()
    articles = {id: reply.result for id, reply in asked.items() if reply.result}
    assert {id: article.votes for id, article in articles.items()} == dict(storm.votes)
    assert run(store, "ZCARD", "time:") == sum(not article.status for article in articles.values())
    assert len(articles) == storm.acts["post"]
    assert store.account_deletion.unfinished() == []
    assert {name: storm.acts[name] > 0 for name in ACTS} == dict.fromkeys(ACTS, True)


def test_a_program_killed_in_the_middle_of_a_storm_leaves_nothing_half_done(
    make_store: MakeStore, server_url: str
) -> None:
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3)
    for seed in range(3):
        before = int(run(store, "GET", "article:") or 0)
        storm = subprocess.Popen([sys.executable, "-m", "tests.store.storm", server_url, str(seed)])
        try:
            until(lambda before=before: int(run(store, "GET", "article:") or 0) > before + 20)
        finally:
            os.kill(storm.pid, signal.SIGKILL)
            storm.wait()
        assert broken(store) == []
        for name in store.account_deletion.unfinished():
            store.account_deletion.finish(name)
            assert (ids(store, f"posted:{name}"), ids(store, f"gone:{name}")) == ([], [])
        assert broken(store) == []
