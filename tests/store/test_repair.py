"""The doctor's other hand: mends what is broken from the articles and their voters, and nothing else."""

import random

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import broken, run, snapshot
from tests.store.storm import Storm
from tests.store.test_doctor import DAMAGES, EVERYWHERE, LINKS, SCORES, TIMES, site, spoil
from voteweb.core.models import ArticleStatus
from voteweb.store import Store

__all__ = ["site"]

#: Damages of the truth itself, with the keys that are other than before the damage once the rest has followed it.
FOLLOWED: dict[str, set[str]] = {
    "HINCRBY article:1 base 1": {"article:1", *SCORES},
    "HDEL article:2 base": {"article:2"},
    "SADD voted:1 999": {"voted:1", "article:1", *SCORES},
    "DEL voted:1": {"voted:1", "article:1", *SCORES},
    "DEL voted:2": {"voted:2", "article:2", "score:", "score:java", "good:"},
    "SADD voted:4 999": {"voted:4", "article:4"},
    "HDEL article:1 groups": {"article:1", "group:go", "time:go", "score:go"},
    "HSET article:1 groups java": {
        *("article:1", "group:go", "time:go", "score:go", "group:java", "time:java", "score:java"),
    },
    "HSET article:3 groups nowhere": {"article:3", "groups:", "group:nowhere", "time:nowhere", "score:nowhere"},
    "HSET group-info:ghost title Ghost": {"group-info:ghost", "groups:"},
    "HSET article:1 poster bob": {"article:1", "posted:ann", "posted:bob"},
    "HSET article:1 gone removed": {"article:1", "gone:ann", "report:1", "reports:", *EVERYWHERE},
    "HDEL article:4 gone": {"article:4", "gone:ann", *(EVERYWHERE - {"link:go"}), "link:gone"},
    "HSET article:1 time 1700000000": {"article:1", *TIMES, *SCORES},
    "DEL report:1": {"report:1", "reports:"},
    "HSET report:2 bob x": {"report:2", "reports:"},
    "HSET invite:open used eve": {"invite:open", "user:eve"},
    "PERSIST reset:digest": {"reset:digest"},
    "DEL article:1": {"article:1", "voted:1", "report:1", "reports:", *EVERYWHERE},
}
#: Damages that nothing in the database tells how to undo, with what is left and what is said about it.
HOPELESS: dict[str, list[tuple[str, str]]] = {
    "HSET article:1 gone somehow": [("article:1", "nothing else says it")],
    "HDEL article:1 title": [("article:1", "nothing else says it"), ("report:1", "mend that first")],
    "HDEL article:1 time": [("article:1", "nothing else says it")],
    "HSET article:1 time soon": [("article:1", "nothing else says it")],
    "HSET article:1x title t time 1": [("article:1x", "another program")],
    "HDEL log-entry:1 time": [("log-entry:1", "nothing else says it")],
    "HSET log-entry:1 kind sorcery": [("log-entry:1", "nothing else says it")],
    "HDEL invite:open until": [("invite:open", "nothing else says it")],
    "DEL user:bob": [
        ("invite:open", "a backup may hold"),
        ("invite:used", "a backup may hold"),
    ],
    "SET article: many": [("article:", "set it by hand to 5 or more")],
}


def mended(store: Store) -> list[tuple[str, str]]:
    """Repair the site; return what was mended."""
    return [(each.key, each.what) for each, is_mended in store.doctor.repair() if is_mended]


def left(store: Store) -> list[tuple[str, str]]:
    """Repair the site; return the keys that are still wrong, and why."""
    return [(each.key, each.why_not) for each, is_mended in store.doctor.repair() if not is_mended]


def different(before: dict[str, object], after: dict[str, object]) -> set[str]:
    """Return the keys that are not what they were, those of links under their short names."""
    return {LINKS.get(key, key) for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


@pytest.mark.parametrize("words", [words for words, _ in DAMAGES if words not in HOPELESS])
def test_a_repaired_site_is_as_it_was_or_follows_the_truth(site: Store, words: str) -> None:
    before = snapshot(site)
    spoil(site, words)
    faults = broken(site)
    assert set(mended(site)) <= set(faults) or words in FOLLOWED
    assert broken(site) == []
    assert different(before, snapshot(site)) == FOLLOWED.get(words, set())


@pytest.mark.parametrize("words", HOPELESS)
def test_what_no_machine_can_mend_is_left_with_its_reason(site: Store, words: str) -> None:
    spoil(site, words)
    found = sorted(left(site))
    assert [key for key, _ in found] == [key for key, _ in HOPELESS[words]]
    for (_, why), (_, says) in zip(found, HOPELESS[words], strict=True):
        assert says in why
    before = snapshot(site)
    assert sorted(left(site)) == found
    assert snapshot(site) == before


def test_a_healthy_site_is_left_alone(site: Store) -> None:
    before = snapshot(site)
    written = run(site, "INFO", "persistence")["rdb_changes_since_last_save"]
    assert list(site.doctor.repair()) == []
    assert snapshot(site) == before
    assert run(site, "INFO", "persistence")["rdb_changes_since_last_save"] == written


def test_what_is_mended_is_told_once_and_in_words(site: Store) -> None:
    spoil(site, "ZREM time:go article:1")
    spoil(site, "HINCRBY article:1 votes 1")
    assert sorted(mended(site))[0] == ("article:1", "votes is 2, but base 0 and 1 voters make 1")
    assert mended(site) == []


def test_all_damages_at_once_are_mended(site: Store) -> None:
    before = snapshot(site)
    for words, _ in DAMAGES:
        if words not in HOPELESS and words not in FOLLOWED and words != "HSET article:1 base few":
            spoil(site, words)
    assert mended(site)
    assert broken(site) == []
    assert different(before, snapshot(site)) <= {"reset:digest"}


def test_a_lost_ranking_is_made_anew(site: Store) -> None:
    before = snapshot(site)
    for key in ("time:", "score:", "good:", "group:go", "time:java", "posted:ann", "reports:", "log:", "invites:bob"):
        run(site, "DEL", key)
    assert mended(site)
    assert broken(site) == []
    assert snapshot(site) == before


@pytest.mark.parametrize(
    ("votes", "base", "age", "wanted"),
    [
        ("many", "0", 60, ("1", "0")),  # open: the voters tell
        ("1", "few", 60, ("1", "0")),
        ("7", "few", 60, ("7", "6")),
        ("many", "few", 60, None),  # one of the two must be known
        ("many", "0", 700_000, None),  # closed: only the number itself tells
        ("7", "few", 700_000, ("7", "6")),
        ("1.5", "0", 60, ("1", "0")),
        ("", "0", 60, ("1", "0")),
    ],
)
def test_numbers_that_are_none_are_worked_out_where_that_is_possible(
    store: Store, votes: str, base: str, age: int, wanted: tuple[str, str] | None
) -> None:
    id = factories.article(store).id
    posted = store.articles.get(id).time - age
    run(store, "HSET", f"article:{id}", "time", f"{posted:.6f}")
    assert left(store) == []
    run(store, "HSET", f"article:{id}", "votes", votes, "base", base)
    run(store, "SADD", f"voted:{id}", 1)
    assert (left(store) == []) == (wanted is not None)
    assert run(store, "HMGET", f"article:{id}", "votes", "base") == list(wanted or (votes, base))


def test_a_name_that_no_group_can_have_is_left_to_the_operator(site: Store) -> None:
    run(site, "HSET", "article:3", "groups", "a/b")
    run(site, "SADD", "group:c d", "article:3")
    assert left(site) == [
        ("article:3", "a/b is no name for a group: take it out of the field groups"),
        ("group:c d", "c d is no name for a group: another program made this key"),
    ]


def test_a_key_of_another_type_is_left_and_nothing_else_is_touched(site: Store) -> None:
    run(site, "ZREM", "time:", "article:1")
    run(site, "RENAME", "score:", "aside")
    run(site, "RPUSH", "score:", "x")
    before = snapshot(site)
    ((key, why),) = left(site)
    assert (key, why) == ("score:", "what it holds may be somebody's: RENAME it, then repair again")
    assert snapshot(site) == before


def test_a_vote_between_the_look_and_the_mend_is_counted(site: Store) -> None:
    spoil(site, "HINCRBY article:1 votes 5")
    (fault, *_) = site.doctor.examine()
    bob = site.users.get("bob")
    run(site, "SADD", "voted:1", bob.id)  # as far as a vote comes that is struck down in a program after the book
    assert site.connection.run([fault.mend]) == [["mended"]]
    assert site.articles.get(1).votes == 2
    assert site.connection.run([fault.mend]) == [["sound"]]
    assert broken(site) == []


@pytest.mark.parametrize(
    ("spoils", "then"),
    [
        ("ZREM score: article:1", "HSET article:1 groups java"),
        ("ZREM score: article:1", "HSET article:1 poster bob"),
        ("ZADD posted:bob 9 article:1", "HSET article:1 poster bob"),
        ("SADD group:java article:1", "HSET article:1 groups java"),
        ("SADD leaving: bob", "HSET user:bob left 1"),
    ],
)
def test_a_mend_that_came_too_late_changes_nothing(site: Store, spoils: str, then: str) -> None:
    spoil(site, spoils)
    (fault,) = site.doctor.examine()
    run(site, *then.split())
    before = snapshot(site)
    assert site.connection.run([fault.mend])[0][0] == "again"
    assert snapshot(site) == before


def test_repairing_during_a_storm_loses_no_vote(make_store: MakeStore) -> None:
    store = make_store(good_votes=4, vote_score=21_600.0, max_groups=3)
    chance = random.Random(7)
    storm = Storm(store, threads=4)
    storm.start()
    until(lambda: len(storm.votes) > 10)
    mends = 0
    for _ in range(2):
        for spoils in SPOILERS:
            spoil(store, spoils.format(chance.choice(sorted(storm.votes)[-6:])))
        mends += len(mended(store))
    storm.stop()
    assert storm.failures == []
    assert mends > 0
    mended(store)
    assert broken(store) == []
    pipeline = store.pipeline()
    asked = {id: store.articles.queue_get(pipeline, id) for id in storm.votes}
    pipeline.execute()
    # Of what was deleted nothing tells the votes but the field itself, so that what spoiled it cannot be seen.
    articles = {id: reply.result for id, reply in asked.items() if reply.result}
    kept = {id: article.votes for id, article in articles.items() if article.status is not ArticleStatus.DELETED}
    assert kept == {id: votes for id, votes in storm.votes.items() if id in kept}
    assert kept


#: Damages of what is worked out, which a storm's own writes may meet.
SPOILERS = (
    "HINCRBY article:{} votes 3",
    "ZREM score: article:{}",
    "ZINCRBY time: 5 article:{}",
    "ZADD good: 5 article:{}",
    "ZADD score:go 9 article:{}",
    "SADD group:lua article:{}",
    "SREM group:redis article:{}",
    "PERSIST voted:{}",
    "ZREM reports: article:{}",
    "DEL score:",
)
