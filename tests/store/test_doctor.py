"""The doctor: silent on a healthy site, and for each invariant broken by hand it names the key."""

import time
from dataclasses import replace

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, broken_keys, run, snapshot
from voteweb.core import links
from voteweb.core.config import Settings
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store, build_store
from voteweb.store.moderation_log import NewLogEntry

#: The keys of article 1, which is in the group "go".
EVERYWHERE = {"time:", "score:", "posted:ann", "group:go", "time:go", "score:go", "link:go"}
TIMES = {"time:", "posted:ann", "time:go", "link:go"}
SCORES = {"score:", "score:go"}


#: The links of articles 1, 2 and 4, whose keys the tests call after their groups.
LINKS = {f"link:{links.digest(f'https://{name}.example/')}": f"link:{name}" for name in ("go", "java", "gone")}


def named_keys(store: Store) -> set[str]:
    """Return the keys that the doctor names, those of links under their short names."""
    return {LINKS.get(key, key) for key in broken_keys(store)}


def spoil(store: Store, words: str) -> None:
    """Run a raw command, in which the keys of links have their short names."""
    long = {short: key for key, short in LINKS.items()}
    run(store, *(long.get(word, word) for word in words.split()))


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    """A site on which everything has happened, in few articles.

    Of ann and bob: 1 in "go" and reported, 2 in "java" and good, 3 closed and without a group; 4 of ann's was
    removed from "go", 5 deleted. In the log: 1 removing, 2 banning eve, 3 removing and 4 restoring article 1. Bob
    made two invitations, of which dan used one; zoe is leaving.
    """
    store = make_store(good_votes=3, vote_score=432.0)
    ann, bob, zoe = (factories.user(store, name) for name in ("ann", "bob", "zoe"))
    first = factories.article(store, ann, groups=("go",), link="https://go.example/")
    good = factories.article(store, bob, groups=("java",), link="https://java.example/")
    for voter in factories.users(store, 2):
        store.votes.cast(good.id, voter)
    factories.imported(store, poster="ann", votes=2, link="")
    removed = factories.article(store, ann, groups=("go",), link="https://gone.example/")
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", about="ann", article=removed.id, why="spam"))
    store.removals.delete(factories.article(store, ann, link="https://gone.example/").id, ann)
    factories.user(store, "eve")
    store.users.ban("eve", NewLogEntry(LogAction.BAN, "Mod", about="eve", why="spam"))
    store.removals.remove(first.id, NewLogEntry(LogAction.REMOVE, "Mod", article=first.id, why="by mistake"))
    store.removals.restore(first.id, NewLogEntry(LogAction.RESTORE, "Mod", article=first.id, undoes=3))
    store.reports.make(first.id, bob, Reason.SPAM, "")
    run(store, "HSET", "invite:open", "by", "bob", "until", "4000000000")
    run(store, "HSET", "invite:used", "by", "bob", "until", "4000000001")
    run(store, "ZADD", "invites:bob", 4_000_000_000, "invite:open", 4_000_000_001, "invite:used")
    store.users.make("dan", "", invitation="used")
    run(store, "SET", "reset:digest", "bob", "EX", 60)
    store.account_deletion.start(zoe, delete_articles=False)
    return store


def test_a_healthy_site_has_no_faults(site: Store) -> None:
    assert broken(site) == []


def test_an_empty_database_has_no_faults(store: Store) -> None:
    assert broken(store) == []


def test_the_doctor_only_reads(site: Store) -> None:
    run(site, "ZREM", "time:", "article:1")
    before = snapshot(site)
    assert broken(site) != []
    assert snapshot(site) == before


#: What can go wrong on that site: a command that spoils it, and the keys that the doctor names for it.
DAMAGES: list[tuple[str, set[str]]] = [
    # votes = base + voters, while voting is open
    ("HINCRBY article:1 votes 1", {"article:1", *SCORES}),
    ("HINCRBY article:1 base 1", {"article:1"}),
    ("HDEL article:1 votes", {"article:1", *SCORES}),
    ("HDEL article:2 base", set()),  # as a program after the book leaves it: nothing is 0
    ("SADD voted:1 999", {"article:1"}),
    ("DEL voted:2", {"article:2"}),
    ("DEL voted:1", {"article:1"}),
    # the voters expire, but not too early
    ("PERSIST voted:1", {"voted:1"}),
    ("EXPIRE voted:1 86400", {"voted:1"}),
    # every article is in the rankings of the site, at its place
    ("ZREM time: article:1", {"time:"}),
    ("ZINCRBY time: 1 article:1", {"time:"}),
    ("ZREM score: article:1", {"score:"}),
    ("ZINCRBY score: 432 article:1", {"score:"}),
    ("ZINCRBY score: -432 article:3", {"score:"}),
    # good articles, and no others, are listed as good
    ("ZREM good: article:2", {"good:"}),
    ("ZINCRBY good: 5 article:2", {"good:"}),
    ("ZADD good: 5 article:1", {"good:"}),
    # the groups of an article, their sets and their rankings say the same
    ("SREM group:go article:1", {"group:go"}),
    ("SADD group:java article:1", {"group:java"}),
    ("ZREM time:go article:1", {"time:go"}),
    ("ZREM score:go article:1", {"score:go"}),
    ("ZINCRBY time:go 9 article:1", {"time:go"}),
    ("ZINCRBY score:go 9 article:1", {"score:go"}),
    ("ZADD time:java 9 article:1", {"time:java"}),
    ("ZADD score:java 9 article:1", {"score:java"}),
    ("HDEL article:1 groups", {"group:go", "time:go", "score:go"}),
    ("HSET article:1 groups java", {"group:go", "time:go", "score:go", "group:java", "time:java", "score:java"}),
    ("HSET article:3 groups nowhere", {"article:3"}),
    # every group exists
    ("SREM groups: go", {"article:1", "article:4", "group:go", "group-info:go", "time:go", "score:go"}),
    ("SADD group:ghost article:1", {"group:ghost"}),
    ("ZADD time:ghost 9 article:1", {"time:ghost"}),
    ("ZADD score:ghost 9 article:1", {"score:ghost"}),
    ("HSET group-info:ghost title Ghost", {"group-info:ghost"}),
    # the articles of a member
    ("ZREM posted:ann article:1", {"posted:ann"}),
    ("ZINCRBY posted:ann 9 article:1", {"posted:ann"}),
    ("ZADD posted:bob 9 article:1", {"posted:bob"}),
    ("HSET article:1 poster bob", {"posted:ann", "posted:bob"}),
    # what is gone is in no list but its poster's of such
    ("HSET article:1 gone removed", {"gone:ann", "report:1", *EVERYWHERE}),
    ("HSET article:1 gone somehow", {"article:1"}),
    ("HDEL article:4 gone", {"gone:ann", *(EVERYWHERE - {"link:go"}), "link:gone"}),
    ("ZREM gone:ann article:4", {"gone:ann"}),
    ("ZINCRBY gone:ann 9 article:4", {"gone:ann"}),
    ("ZADD gone:ann 9 article:1", {"gone:ann"}),
    ("ZADD gone:bob 9 article:4", {"gone:bob"}),
    ("ZADD gone:ann 9 article:77", {"gone:ann"}),
    ("ZADD posted:ann 9 article:4", {"posted:ann"}),
    ("ZADD time: 9 article:4", {"time:"}),
    ("ZADD score: 9 article:5", {"score:"}),
    ("ZADD good: 9 article:4", {"good:"}),
    ("SADD group:go article:4", {"group:go"}),
    ("ZADD time:go 9 article:4", {"time:go"}),
    ("SADD voted:4 999", {"article:4"}),
    ("SADD voted:5 999", {"voted:5"}),
    # a link leads to the listed articles that have it, for as long as it is asked about
    ("ZREM link:go article:1", {"link:go"}),
    ("ZINCRBY link:go 9 article:1", {"link:go"}),
    ("ZADD link:go 9 article:2", {"link:go"}),
    ("ZADD link:go 9 article:5", {"link:go"}),
    ("ZADD link:go 9 article:77", {"link:go"}),
    ("ZADD link:go 9 nonsense", {"link:go"}),
    ("PERSIST link:go", {"link:go"}),
    ("EXPIRE link:go 86400", {"link:go"}),
    # the queue of reports
    ("ZINCRBY reports: 1 article:1", {"reports:"}),
    ("ZREM reports: article:1", {"reports:"}),
    ("DEL report:1", {"reports:"}),
    ("HSET report:2 bob x", {"reports:"}),
    ("HSET report:4 bob x", {"report:4", "reports:"}),
    ("ZADD reports: 1 article:77", {"reports:"}),
    ("ZADD reports: 1 nonsense", {"reports:"}),
    # the log: each entry in its places, each place with its entries
    ("ZREM log: log-entry:1", {"log:"}),
    ("ZREM log-by:mod log-entry:1", {"log-by:mod"}),
    ("ZREM log-kind:remove log-entry:1", {"log-kind:remove"}),
    ("ZREM log-kind:remove+mod log-entry:1", {"log-kind:remove+mod"}),
    ("ZREM log-about:ann log-entry:1", {"log-about:ann"}),
    ("ZINCRBY log: 9 log-entry:1", {"log:"}),
    ("ZADD log-kind:ban 9 log-entry:1", {"log-kind:ban"}),
    ("ZADD log-about:bob 9 log-entry:1", {"log-about:bob"}),
    ("ZADD log: 9 log-entry:77", {"log:"}),
    ("ZADD log-by:mod 9 nonsense", {"log-by:mod"}),
    ("HDEL log-entry:3 undone", {"log-entry:3"}),
    ("HDEL log-entry:1 time", {"log-entry:1"}),
    ("HSET log-entry:1 kind sorcery", {"log-entry:1", "log-kind:remove", "log-kind:remove+mod"}),
    # invitations, one-time links, leavings
    ("ZREM invites:bob invite:open", {"invites:bob"}),
    ("ZADD invites:ann 9 invite:open", {"invites:ann"}),
    ("ZADD invites:bob 9 invite:none", {"invites:bob"}),
    ("ZADD invites:bob 9 nonsense", {"invites:bob"}),
    ("HSET invite:open used eve", {"invite:open"}),
    ("HDEL invite:open until", {"invite:open"}),
    ("HDEL user:dan invited-by", {"invite:used"}),
    ("DEL user:bob", {"invite:open", "invite:used", "posted:bob", "reset:digest"}),
    ("PERSIST reset:digest", {"reset:digest"}),
    ("SET limit:vote-0123456789 1", {"limit:vote-0123456789"}),
    ("SADD leaving: nobody", {"leaving:"}),
    ("SADD leaving: bob", {"leaving:"}),
    # no orphans
    ("DEL article:1", {"voted:1", "report:1", "reports:", *EVERYWHERE}),
    ("HDEL article:1 title", {"article:1", "report:1", "reports:", *EVERYWHERE}),
    ("HDEL article:1 time", {"article:1"}),
    ("SADD voted:77 1", {"voted:77"}),
    ("ZADD time: 9 article:77", {"time:"}),
    ("ZADD score: 9 nonsense", {"score:"}),
    ("ZADD good: 9 article:77", {"good:"}),
    ("SADD group:go article:77", {"group:go"}),
    ("ZADD time:go 9 article:77", {"time:go"}),
    ("ZADD score:go 9 article:77", {"score:go"}),
    ("ZADD posted:ann 9 article:77", {"posted:ann"}),
    # what is for ever does not expire
    *[
        (f"EXPIRE {key} 60", {key})
        for key in (
            "time: score: good: group:go time:go score:go posted:ann groups: gone:ann reports: report:1 "
            "reported:bob log: log-by:mod log-kind:ban+mod log-entry:1 invite:open invites:bob leaving:"
        ).split()
    ],
    ("EXPIRE article:1 60", {"article:1"}),
    ("EXPIRE group-info:go 60", {"group-info:go"}),
    # the time itself is wrong everywhere but in the hash
    ("HSET article:1 time 1700000000", {*TIMES, *SCORES}),
    # no counter is behind the ids in use
    ("SET article: 4", {"article:"}),
    ("DEL user:", {"user:"}),
    ("SET log-entry: 1", {"log-entry:"}),
    ("SET article: many", {"article:"}),
    # numbers that are none
    ("HSET article:1 votes many", {"article:1"}),
    ("HSET article:1 time soon", {"article:1"}),
    ("HSET article:1 base few", {"article:1"}),
    ("HSET article:1x title t time 1", {"article:1x"}),
]


@pytest.mark.parametrize(("words", "named"), DAMAGES)
def test_a_broken_invariant_is_named_by_its_key(site: Store, words: str, named: set[str]) -> None:
    spoil(site, words)
    assert named_keys(site) == named


@pytest.mark.parametrize(
    "key",
    (
        "article:1 voted:1 time: score: good: groups: group:go time:go score:go group-info:go posted:ann user:ann "
        "gone:ann reports: report:1 reported:bob log: log-by:mod log-kind:ban+mod log-about:ann log-entry:1 "
        "invite:open invites:bob reset:digest leaving: link:digest user: article: log-entry:"
    ).split(),
)
def test_a_key_of_another_type_is_named_and_is_no_crash(site: Store, key: str) -> None:
    run(site, "DEL", key)
    run(site, "RPUSH", key, "x")
    assert key in broken_keys(site)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("HINCRBY article:1 votes 1", ("article:1", "votes is 2, but base 0 and 1 voters make 1")),
        ("ZREM time:go article:1", ("time:go", "lacks article:1")),
        ("ZADD good: 5 article:1", ("good:", "holds article:1, which does not belong there")),
        ("SADD group:java article:1", ("group:java", "holds article:1, whose groups are go")),
        ("SREM group:go article:1", ("group:go", "lacks article:1, whose groups are go")),
        ("ZADD time: 9 article:77", ("time:", "holds article:77, which is no article")),
        ("PERSIST voted:1", ("voted:1", "never expires")),
        ("EXPIRE score:go 60", ("score:go", "expires in 60 seconds, but is for ever")),
    ],
)
def test_a_fault_is_told_in_words(site: Store, words: str, says: tuple[str, str]) -> None:
    run(site, *words.split())
    assert says in broken(site)


def test_every_fault_of_several_is_named(site: Store) -> None:
    for words in ("ZREM time: article:1", "PERSIST voted:2", "ZADD good: 5 article:3"):
        run(site, *words.split())
    assert broken_keys(site) == {"time:", "voted:2", "good:"}


def test_of_a_closed_article_the_voters_may_be_gone_and_the_votes_stay(site: Store) -> None:
    assert run(site, "EXISTS", "voted:3") == 0
    run(site, "HSET", "article:3", "base", "0")  # as posted here a week ago: the voters were counted
    assert broken(site) == []


def test_voters_in_their_last_hour_are_no_fault(make_store: MakeStore) -> None:
    store = make_store(voting_seconds=60)
    factories.imported(store, time=time.time() - 30, votes=3)
    assert broken(store) == []


def test_more_articles_than_fit_a_step_are_all_looked_at(site: Store) -> None:
    site.imports.add([factories.story(time=1_700_000_000.0 + i) for i in range(250)])
    assert broken(site) == []
    for id in (6, 150, 255):
        run(site, "ZREM", "score:", f"article:{id}")
    assert sorted(what for _, what in broken(site)) == ["lacks article:150", "lacks article:255", "lacks article:6"]


def test_another_worth_of_votes_is_told_for_every_score(site: Store, settings: Settings) -> None:
    other = build_store(site.connection, replace(settings, good_votes=3, vote_score=100.0))
    assert broken_keys(other) == {"score:", "score:go", "score:java"}
