"""Stories from elsewhere: each comes in once and whole."""

import time

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core.errors import AlreadyVoted, OwnVote
from voteweb.core.models import Role
from voteweb.store import Store

START = 1_700_000_000.0


def commands_run(store: Store, name: str) -> int:
    """Return how often the server ran the command *name* since it was last asked to forget."""
    return int(store.connection.client.info("commandstats").get(f"cmdstat_{name}", {}).get("calls", 0))


def test_an_imported_story_is_an_article_with_its_time_and_votes(store: Store) -> None:
    article = factories.imported(store, title="Old news", time=START, votes=7, poster="Ann", groups=("go", "编程"))
    assert (article.title, article.time, article.votes, article.poster) == ("Old news", START, 7, "Ann")
    assert article.groups == ("go", "编程")
    assert run(store, "ZSCORE", "score:编程", "article:1") == START + 7 * 432
    assert broken(store) == []


def test_groups_and_posters_are_made_and_nobody_can_log_in_as_them(store: Store) -> None:
    factories.imported(store, poster="Ann", groups=("go",))
    ann = store.users.get("ann")
    assert (ann.name, ann.password, ann.role) == ("Ann", "", Role.MEMBER)
    assert [group.name for group in store.groups.all(store.pipeline())] == ["go"]
    assert ids(store, "posted:ann") == [1]


def test_posters_who_are_members_stay_who_they_are(store: Store) -> None:
    ann = factories.user(store, "Ann", Role.ADMIN, "hash")
    factories.imported(store, poster="ANN", time=time.time() - 60)
    assert store.users.get("ann") == ann
    assert run(store, "SMEMBERS", "voted:1") == {str(ann.id)}


def test_a_second_import_adds_nothing(store: Store) -> None:
    batch = [factories.story(time=START + i, groups=("go",), poster=f"poster{i}") for i in range(20)]
    assert store.imports.add(batch) == 20
    before = snapshot(store)
    assert store.imports.add(batch) == 0
    assert snapshot(store) == before


def test_only_what_is_new_comes_in(store: Store) -> None:
    batch = [factories.story(time=START + i) for i in range(4)]
    assert store.imports.add(batch[:2]) == 2
    assert store.imports.known([story.digest for story in batch]) == [True, True, False, False]
    assert store.imports.add(batch) == 2
    assert ids(store, "time:") == [4, 3, 2, 1]


def test_a_story_twice_in_one_batch_comes_in_once(store: Store) -> None:
    story = factories.story()
    assert store.imports.add([story, story]) == 1
    assert broken(store) == []


def test_no_stories_are_no_trouble(store: Store) -> None:
    assert store.imports.add([]) == 0
    assert store.imports.known([]) == []
    assert snapshot(store) == {}


def test_rows_of_one_second_keep_their_order_and_have_times_of_their_own(store: Store) -> None:
    batch = [factories.story(time=START, votes=0) for _ in range(60)]
    store.imports.add(batch[:30])
    store.imports.add(batch[30:])
    assert ids(store, "time:") == list(range(60, 0, -1))
    assert store.articles.get(60).time == pytest.approx(START + 59e-6, abs=1e-7)
    assert broken(store) == []


def test_many_rows_of_one_second_do_not_search_for_their_time_one_by_one(store: Store) -> None:
    count = 600
    store.connection.client.config_resetstat()
    store.imports.add([factories.story(time=START) for _ in range(count)])
    assert commands_run(store, "zcount") < 40 * count


def test_while_voting_is_open_the_poster_is_a_voter_and_the_rest_is_the_base(store: Store) -> None:
    article = factories.imported(store, time=time.time() - 3_600, votes=7)
    ann = store.users.get("ann")
    assert run(store, "HMGET", "article:1", "votes", "base") == ["7", "6"]
    assert run(store, "SMEMBERS", "voted:1") == {str(ann.id)}
    assert run(store, "TTL", "voted:1") > 0
    with pytest.raises(AlreadyVoted):
        store.votes.cast(article.id, ann)
    with pytest.raises(OwnVote):
        store.votes.take_back(article.id, ann)
    assert store.votes.cast(article.id, factories.user(store, "bob")) == 8
    assert broken(store) == []


def test_after_voting_all_votes_are_the_base_and_nobody_is_a_voter(store: Store) -> None:
    factories.imported(store, time=START, votes=7)
    assert run(store, "HMGET", "article:1", "votes", "base") == ["7", "7"]
    assert run(store, "EXISTS", "voted:1") == 0


def test_an_open_story_without_votes_still_has_its_poster_among_the_voters(store: Store) -> None:
    factories.imported(store, time=time.time() - 3_600, votes=0)
    assert run(store, "HMGET", "article:1", "votes", "base") == ["0", "-1"]
    assert run(store, "SCARD", "voted:1") == 1
    assert broken(store) == []


def test_a_story_with_enough_votes_is_a_good_article(make_store: MakeStore) -> None:
    store = make_store(good_votes=10)
    store.imports.add([factories.story(time=START + votes, votes=votes) for votes in (9, 10, 11)])
    assert ids(store, "good:") == [3, 2]
    assert broken(store) == []


def test_posts_and_imports_share_one_count_of_ids(store: Store) -> None:
    posted = factories.article(store)
    imported = factories.imported(store)
    assert (posted.id, imported.id, factories.article(store).id) == (1, 2, 3)


def test_a_batch_takes_a_handful_of_round_trips(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.connection.load_scripts()
    went, insist = [], store.connection.insist
    monkeypatch.setattr(store.connection, "insist", lambda attempt: went.append(attempt) or insist(attempt))
    batch = [factories.story(time=START + i, groups=(f"g{i % 9}",), poster=f"poster{i}") for i in range(300)]
    assert store.imports.add(batch) == 300
    assert 1 <= len(went) <= 8
