"""Votes: every answer, and what a vote changes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from tests.store.test_races import at_once
from voteweb.core import config, models
from voteweb.core.errors import (
    AlreadyVoted,
    Conflict,
    LoggedOut,
    NoSuchArticle,
    NotVoted,
    OwnVote,
    TooFast,
    VotewebError,
    VotingClosed,
)
from voteweb.core.models import Voter
from voteweb.core.rate_limits import By, Limit
from voteweb.store import Store
from voteweb.store.connection import transport
from voteweb.store.moderation_log import NewLogEntry
from voteweb.store.votes import mark_voted


def test_a_vote_counts_everywhere_at_once(store: Store) -> None:
    article = factories.article(store, groups=("go", "redis"))
    bob = factories.user(store, "bob")
    assert store.votes.cast(article.id, bob) == 2
    assert run(store, "HGET", "article:1", "votes") == "2"
    assert str(bob.id) in run(store, "SMEMBERS", "voted:1")
    for key in ("score:", "score:go", "score:redis"):
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(article.time + 2 * 432, abs=1e-6)
    for key in ("time:", "time:go", "posted:ann"):
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(article.time, abs=1e-6)
    assert broken(store) == []


def test_a_vote_taken_back_leaves_everything_as_it_was(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    bob = factories.user(store, "bob")
    before = snapshot(store)
    store.votes.cast(article.id, bob)
    assert store.votes.take_back(article.id, bob) == 1
    assert snapshot(store) == before


def test_after_a_take_back_the_vote_can_be_cast_again(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.votes.cast(article.id, bob)
    store.votes.take_back(article.id, bob)
    assert store.votes.cast(article.id, bob) == 2


Act = Callable[[Store, int], Any]


def cast(name: str) -> Act:
    return lambda store, id: store.votes.cast(id, factories.user(store, name))


def take_back(name: str) -> Act:
    return lambda store, id: store.votes.take_back(id, factories.user(store, name))


@pytest.mark.parametrize(
    ("act", "refusal", "votes"),
    [
        pytest.param(cast("bob"), AlreadyVoted, 2, id="a second vote"),
        pytest.param(cast("ann"), AlreadyVoted, 2, id="the poster's vote"),
        pytest.param(take_back("cid"), NotVoted, 2, id="no vote to take back"),
        pytest.param(take_back("ann"), OwnVote, 2, id="the poster's vote taken back"),
    ],
)
def test_a_refused_vote_says_the_count_and_changes_nothing(
    store: Store, act: Act, refusal: type[VotewebError], votes: int
) -> None:
    article = factories.article(store, groups=("go",))
    cast("bob")(store, article.id)
    factories.user(store, "cid")
    before = snapshot(store)
    with pytest.raises(refusal) as refused:
        act(store, article.id)
    assert refused.value.values["votes"] == votes
    assert snapshot(store) == before


def test_the_own_vote_stays_whatever_the_case_of_the_poster(store: Store) -> None:
    ann = factories.user(store, "Ann")
    article = factories.article(store, ann)
    run(store, "HSET", "article:1", "poster", "aNN")
    with pytest.raises(OwnVote):
        store.votes.take_back(article.id, ann)


@pytest.mark.parametrize("act", [cast("bob"), take_back("bob")])
@pytest.mark.parametrize("id", [0, 7, 10**12])
def test_a_vote_on_an_unknown_article_leaves_nothing(store: Store, act: Act, id: int) -> None:
    factories.user(store, "bob")
    before = snapshot(store)
    with pytest.raises(NoSuchArticle):
        act(store, id)
    assert snapshot(store) == before


@pytest.mark.parametrize("act", [cast("bob"), take_back("bob"), cast("ann"), take_back("ann")])
def test_after_a_week_voting_is_closed_and_says_since_when(store: Store, act: Act) -> None:
    old = factories.imported(store, groups=("go",))
    factories.user(store, "bob")
    before = snapshot(store)
    with pytest.raises(VotingClosed) as refusal:
        act(store, old.id)
    assert refusal.value.values["when"] == pytest.approx(old.time + 604_800, abs=1e-6)
    assert snapshot(store) == before


def test_closed_voters_that_are_gone_already_are_not_made_anew(store: Store) -> None:
    old = factories.imported(store)
    with pytest.raises(VotingClosed):
        cast("bob")(store, old.id)
    assert run(store, "EXISTS", "voted:1") == 0


def test_every_vote_sets_the_expiry_of_the_voters_anew(store: Store) -> None:
    article = factories.article(store)
    when = run(store, "PEXPIRETIME", "voted:1")
    for broken_by in (("PERSIST", "voted:1"), ("EXPIRE", "voted:1", 60)):
        run(store, *broken_by)
        cast(broken_by[0].lower())(store, article.id)
        assert run(store, "PEXPIRETIME", "voted:1") == when


def test_a_vote_keeps_the_rankings_it_touches(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    for key in ("score:", "score:go"):
        run(store, "EXPIRE", key, 60)
    cast("bob")(store, article.id)
    assert [run(store, "TTL", key) for key in ("score:", "score:go")] == [-1, -1]


def test_the_vote_that_makes_an_article_good_lists_it_and_the_one_taken_back_unlists_it(make_store: MakeStore) -> None:
    store = make_store(good_votes=3)
    article = factories.article(store)
    seen = []
    for act in (cast("bob"), cast("cid"), cast("dan"), take_back("dan"), take_back("bob")):
        act(store, article.id)
        seen.append(ids(store, "good:"))
    assert seen == [[], [1], [1], [1], []]
    assert broken(store) == []


def test_good_articles_stand_by_their_time(make_store: MakeStore) -> None:
    store = make_store(good_votes=2)
    article = factories.article(store)
    cast("bob")(store, article.id)
    assert run(store, "ZSCORE", "good:", "article:1") == pytest.approx(article.time, abs=1e-6)


@pytest.mark.parametrize("act", ["cast", "take_back"])
@pytest.mark.parametrize(
    "ends", ["set_password", "end_sessions", "ban", "another password after it", "leave", "another's"]
)
def test_whoever_is_logged_out_by_now_does_not_vote(store: Store, act: str, ends: str) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    if act == "take_back":
        store.votes.cast(article.id, bob)
    voter = Voter(bob.id, bob.name, bob.session)
    match ends:
        case "set_password":
            store.users.set_password("bob", "hash")
        case "end_sessions":
            store.users.end_sessions("bob")
        case "ban":
            store.users.ban("bob", NewLogEntry(models.LogAction.BAN, "mod", about="bob", why="spam"))
        case "another password after it":
            store.users.ban("bob", NewLogEntry(models.LogAction.BAN, "mod", about="bob", why="spam"))
            store.users.set_password("bob", "hash")
            voter = replace(voter, session=store.users.get("bob").session)
        case "leave":
            store.account_deletion.start(bob, delete_articles=False)
        case _:
            voter = replace(voter, session=factories.user(store, "cid").session)
    before = snapshot(store)
    with pytest.raises(LoggedOut):
        getattr(store.votes, act)(article.id, voter)
    assert snapshot(store) == before


def test_votes_that_change_something_count_against_their_limit(make_store: MakeStore) -> None:
    store = make_store(limits=1)
    article, bob = factories.article(store), factories.user(store, "bob")
    charge = Limit("few", "", By.MEMBER, 3, 360, 3_600, "Again at %(when)s.", ()), "bob"
    for votes, act in ((2, store.votes.cast), (1, store.votes.take_back), (2, store.votes.cast)):
        assert act(article.id, bob, hit=charge) == votes
        with pytest.raises((AlreadyVoted, NotVoted)):
            act(article.id, bob, hit=charge)
        with pytest.raises(NoSuchArticle):
            act(99, bob, hit=charge)
    before = snapshot(store)
    with pytest.raises(TooFast) as refused:
        store.votes.take_back(article.id, bob, hit=charge)
    assert (refused.value.words, 8 <= refused.value.values["wait"] <= 10) == ("Again at %(when)s.", True)
    assert snapshot(store) == before
    assert store.votes.take_back(article.id, bob) == 1


def test_limits_that_are_off_refuse_no_vote(store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    charge = Limit("none", "", By.MEMBER, 1, 1, 3_600, "", ()), "bob"
    assert store.votes.cast(article.id, bob, hit=charge) == 2
    assert store.votes.take_back(article.id, bob, hit=charge) == 1


def test_of_twenty_votes_at_once_as_many_count_as_the_limit_takes(make_store: MakeStore) -> None:
    store = make_store(limits=1)
    bob = factories.user(store, "bob")
    articles = [factories.article(store) for _ in range(20)]
    charge = Limit("few", "", By.MEMBER, 3, 360, 3_600, "", ()), "bob"
    answers = at_once([lambda each=each: store.votes.cast(each.id, bob, hit=charge) for each in articles])
    assert sum(answer == 2 for answer in answers) == 3
    assert answers.count(TooFast) == 17
    assert broken(store) == []


def test_groups_out_of_date_are_read_anew(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    bob = factories.user(store, "bob")
    factories.group(store, "redis")
    store.articles.set_groups(article.id, ["redis"], ["go"])
    assert store.votes.cast(article.id, bob, groups="go") == 2
    assert run(store, "EXISTS", "score:go") == 0
    assert broken(store) == []


@pytest.mark.parametrize("stale", ["", "go redis", "redis go", "nowhere"])
def test_whatever_the_caller_believes_of_the_groups_the_vote_lands(store: Store, stale: str) -> None:
    article = factories.article(store, groups=("redis",))
    assert store.votes.cast(article.id, factories.user(store, "bob"), groups=stale) == 2
    assert broken(store) == []


def test_a_vote_gives_up_when_the_groups_never_stop_changing(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(redis_deadline=0.1)
    article = factories.article(store)
    bob = factories.user(store, "bob")
    script = store.connection.script
    changes = iter(range(10**9))

    def script_between_changes(name: str, *rest: Any) -> Any:
        if name == "cast_vote":
            run(store, "HSET", "article:1", "groups", f"g{next(changes)}")
        return script(name, *rest)

    monkeypatch.setattr(store.connection, "script", script_between_changes)
    with pytest.raises(Conflict):
        store.votes.cast(article.id, bob)
    assert run(store, "SCARD", "voted:1") == 1


@contextmanager
def an_answer_lost(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the next script run in Redis but lose its answer; fail unless it was sent once more."""
    sent = []

    def lossy(client: redis.Redis, commands: Any, **more: Any) -> list[Any]:
        answers = transport.send(client, commands, **more)
        if commands[-1][0] == "EVALSHA":
            sent.append(commands)
            if len(sent) == 1:
                raise redis.ConnectionError("the answer is lost")
        return answers

    with monkeypatch.context() as patch:
        patch.setattr(import_module("voteweb.store.connect"), "send", lossy)
        yield
    assert len(sent) == 2


def test_a_vote_whose_answer_was_lost_counts_once_and_is_no_refusal(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    with an_answer_lost(monkeypatch):
        assert store.votes.cast(article.id, bob) == 2
    assert broken(store) == []


def test_a_vote_that_could_not_be_sent_at_first_is_no_answer_of_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.votes.cast(article.id, bob)
    pool, failures = store.connection.client.connection_pool, iter([redis.ConnectionError("refused")])
    connect = pool.get_connection

    def flaky() -> Any:
        for failure in failures:
            raise failure
        return connect()

    monkeypatch.setattr(pool, "get_connection", flaky)
    with pytest.raises(AlreadyVoted):
        store.votes.cast(article.id, bob)
    assert not list(failures)


def test_a_take_back_whose_answer_was_lost_is_no_refusal(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.votes.cast(article.id, bob)
    with an_answer_lost(monkeypatch):
        assert store.votes.take_back(article.id, bob) == 1
    assert broken(store) == []


def test_a_post_whose_answer_was_lost_is_one_article(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = factories.user(store)
    with an_answer_lost(monkeypatch):
        assert store.articles.post(factories.draft(), ann, "form-0001") == 1
    assert ids(store, "time:") == [1]


def test_a_sign_up_whose_answer_was_lost_is_one_member_and_no_refusal(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with an_answer_lost(monkeypatch):
        assert store.users.make("ann", "").id == 1


def test_a_group_whose_answer_was_lost_is_made_and_no_refusal(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with an_answer_lost(monkeypatch):
        store.groups.make("go", "Go", "")
    assert [group.name for group in store.groups.all(store.pipeline())] == ["go"]


def test_the_own_votes_of_rows_are_marked(store: Store) -> None:
    articles = [factories.article(store) for _ in range(4)]
    bob = factories.user(store, "bob")
    for at in (1, 3):
        store.votes.cast(articles[at].id, bob)
    pipeline = store.pipeline()
    own = store.votes.queue_own_votes(pipeline, [article.id for article in articles], bob.id)
    none = store.votes.queue_own_votes(pipeline, [], bob.id)
    pipeline.execute()
    assert [article.voted for article in mark_voted(articles, own.result)] == [False, True, False, True]
    assert none.result == {}


def test_the_own_votes_are_asked_for_whatever_is_there(store: Store) -> None:
    voted = factories.article(store)
    bob = factories.user(store, "bob")
    store.votes.cast(voted.id, bob)
    run(store, "SET", "voted:77", "another program's")
    before = snapshot(store)
    pipeline = store.pipeline()
    own = store.votes.queue_own_votes(pipeline, [77, voted.id, 99], bob.id)
    pipeline.execute()
    assert own.result == {77: False, voted.id: True, 99: False}
    assert snapshot(store) == before


def test_votes_of_other_numbers_change_nothing_but_their_article(store: Store) -> None:
    first, second = factories.article(store, groups=("go",)), factories.article(store, groups=("go",))
    cast("bob")(store, second.id)
    assert store.articles.get(first.id).votes == 1
    assert store.articles.get(second.id).votes == 2


def test_the_voters_set_outlives_the_window_by_an_hour_rounded_up(store: Store) -> None:
    article = factories.article(store)
    cast("bob")(store, article.id)
    over = run(store, "EXPIRETIME", "voted:1") - (article.time + 604_800 + config.VOTERS_GRACE)
    assert 0 <= over <= 1


@pytest.mark.parametrize(("age", "is_open"), [(70, True), (130, False)])
def test_voting_is_open_up_to_its_very_end(make_store: MakeStore, age: int, is_open: bool) -> None:
    store = make_store(voting_seconds=100)
    article, bob = factories.imported(store, time=time.time() - age, votes=3), factories.user(store, "bob")
    if is_open:
        assert store.votes.cast(article.id, bob) == 4
    else:
        with pytest.raises(VotingClosed):
            store.votes.cast(article.id, bob)


def test_voting_may_last_a_century(make_store: MakeStore) -> None:
    store = make_store(voting_seconds=3_155_760_000)
    article = factories.article(store)
    assert store.votes.cast(article.id, factories.user(store, "bob")) == 2
    assert broken(store) == []
