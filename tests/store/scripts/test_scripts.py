"""Every script: running it twice is running it once, and it decides everything before it writes anything."""

import pytest
import redis

from tests.store.examination import run, snapshot
from tests.store.scripts.calls import CALLS
from voteweb.store import Store
from voteweb.store.connection import scripts

#: Scripts that write nothing.
READING = {
    "count_new", "count_unread", "list_comments", "own_votes", "read_inbox", "read_log",
    "read_comments", "read_rows", "read_thread", "read_unsorted",
}  # fmt: skip
#: Scripts that count: each run counts once more, which does no harm after a lost answer.
COUNTING = {"hit_rate_limit"}


def test_every_script_that_writes_is_called() -> None:
    assert {call.script for call in CALLS.values()} == set(scripts.scripts()) - READING


@pytest.mark.parametrize("name", CALLS)
def test_a_script_run_twice_changes_nothing_more(site: Store, name: str) -> None:
    before = snapshot(site)
    CALLS[name].run(site)
    once = snapshot(site)
    CALLS[name].run(site)
    assert once != before
    assert (snapshot(site) == once) is (name not in COUNTING)


@pytest.mark.parametrize("name", CALLS)
def test_a_key_of_another_type_stops_a_script_before_writing(site: Store, name: str) -> None:
    for key in CALLS[name].all_keys():
        existed = run(site, "EXISTS", key)
        if existed:
            run(site, "RENAME", key, "aside")
        if key == "changes:":
            run(site, "SET", key, "no stream")
        else:
            run(site, "XADD", key, "*", "no other key", "is a stream")
        before = snapshot(site)
        try:
            status, *_ = CALLS[name].run(site)
        except redis.ResponseError:
            status = "refused"
        # All but the first: since the key exists, there is nothing to do.
        assert status in ("refused", "kept", "known", "again", "taken"), key
        assert snapshot(site) == before, key
        run(site, "DEL", key)
        if existed:
            run(site, "RENAME", "aside", key)


@pytest.mark.parametrize("name", ["cast_vote", "cast_vote to take back"])
@pytest.mark.parametrize("field", ["time", "base"])
@pytest.mark.parametrize("value", ["many", "inf", "nan"])
def test_an_invalid_number_stops_a_script_before_writing(site: Store, name: str, field: str, value: str) -> None:
    run(site, "HSET", CALLS[name].all_keys()[0], field, value)
    before = snapshot(site)
    with pytest.raises(redis.ResponseError):
        CALLS[name].run(site)
    assert snapshot(site) == before


@pytest.mark.parametrize("field", ["title", "time"])
@pytest.mark.parametrize("name", ["cast_vote", "cast_vote to take back", "write_comment", "vote_comment"])
def test_an_article_without_title_or_time_is_unknown(site: Store, name: str, field: str) -> None:
    key = CALLS[name].all_keys()[0]
    value = run(site, "HGET", key, field)
    run(site, "DEL", key)
    run(site, "HSET", key, field, value)
    before = snapshot(site)
    assert CALLS[name].run(site) == ["unknown"]
    assert snapshot(site) == before


def test_a_vote_writes_the_whole_score(site: Store) -> None:
    article = site.articles.get(1)
    run(site, "ZADD", "score:", 17, "article:1")
    CALLS["cast_vote"].run(site)
    assert run(site, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 2 * 432, abs=1e-6)


@pytest.mark.parametrize("name", ["import_article", "import_comment", "post_article"])
def test_scripts_that_store_much_shorten_collections_of_garbage(site: Store, name: str) -> None:
    set_usual_step = "return collectgarbage('setstepmul', 200)"  # returns the multiplier that it replaces
    run(site, "EVAL", set_usual_step, 0)
    CALLS[name].run(site)
    assert run(site, "EVAL", set_usual_step, 0) < 100
