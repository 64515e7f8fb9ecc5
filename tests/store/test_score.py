"""The score: Lua and Python compute the same number."""

import hypothesis.strategies as st
from hypothesis import HealthCheck, example, given, settings

from tests.store.examination import run
from voteweb.core.config import MAX_TIME, MAX_VOTES
from voteweb.core.models import Article
from voteweb.core.ranking import by_votes, day_name, day_number, score
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.connection import scripts

SCORE = scripts.Script(
    "score", "return exact(score(tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])))"
).source

DAY = scripts.Script("day", "return day_of(tonumber(ARGV[1]))").source
BY_VOTES = scripts.Script("by-votes", "return exact(by_votes(tonumber(ARGV[1]), tonumber(ARGV[2])))").source


@given(
    microseconds=st.integers(0, int(MAX_TIME * 1_000_000) - 1),
    votes=st.integers(1 - MAX_VOTES, MAX_VOTES - 1),
    vote_score=st.floats(0.001, 1e9) | st.integers(1, 10_000).map(lambda good_votes: 86_400 / good_votes),
    days=st.just(0) | st.integers(0, 36_500),
)
@example(microseconds=1_700_000_000_000_001, votes=3, vote_score=Settings(good_votes=7).vote_score, days=0)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lua_and_python_compute_the_same_score(
    store: Store, microseconds: int, votes: int, vote_score: float, days: int
) -> None:
    time = f"{microseconds // 1_000_000}.{microseconds % 1_000_000:06d}"  # as the scripts store it
    computed = run(store, "EVAL", SCORE, 0, time, votes, repr(vote_score), 86_400 * days)
    article = Article(id=1, title="", link="", text="", poster="", time=float(time), votes=votes)
    assert float(computed) == score(article, Settings(vote_score=vote_score, lift_days=days))
    value = run(store, "EVAL", BY_VOTES, 0, votes, time)
    assert float(value) == float(by_votes(votes, float(time)))


@given(time=st.integers(-(2**40), 2**41) | st.floats(0, 253_402_300_799))
@example(time=951_782_400)
@example(time=951_868_799.999999)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lua_and_python_name_the_same_day(store: Store, time: float) -> None:
    assert run(store, "EVAL", DAY, 0, repr(time)) == day_name(day_number(time))
