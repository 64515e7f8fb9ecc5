"""The scripts: twice is as once, nothing is written before everything is decided, no key is built."""

import re
from pathlib import Path
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore
from tests.store.watch import run, snapshot
from voteweb.store import Store, scripts

#: One call of every script that changes the database of :func:`laid`: the keys, then the arguments.
CALLS: dict[str, tuple[list[str], list[Any]]] = {
    "post_article": (
        "article:9 voted:9 time: score: good: posted:ann once:1-form-0009 groups: group:go time:go score:go".split(),
        ["A title", "https://a.example/", "", "ann", 1, 1, 432, 1, 608_400, 86_400, "go"],
    ),
    "cast_vote": ("article:1 voted:1 score: good: score:go".split(), ["cast", 2, "bob", 432, 1, 604_800, 3_600, "go"]),
    "cast_vote to take back": (
        "article:2 voted:2 score: good: score:go".split(),
        ["take-back", 2, "bob", 432, 2, 604_800, 3_600, "go"],
    ),
    "set_groups": (
        "article:1 groups: group:redis time:redis score:redis group:go time:go score:go".split(),
        [432, 5, 1, "redis", "go"],
    ),
    "import_article": (
        "article:9 voted:9 time: score: good: posted:ann imported: group:go time:go score:go".split(),
        ["A title", "https://a.example/", "", "ann", 1, 4e9, 7, 432, 1, 604_800, 3_600, "digest", "go"],
    ),
    "make_group": ("groups: group-info:lua".split(), ["make", "lua", "Lua", "the language"]),
    "make_group to change": ("groups: group-info:go".split(), ["change", "go", "Golang", "the language"]),
    "make_user": (["user:dan"], [7, "dan", "hash", "member", "word"]),
    "change_user": (["user:bob"], ["role", "admin", "session", "other word"]),
    "combine_groups": ("score:go+redis score:go score:redis".split(), [60, 2_000]),
}


def laid(store: Store) -> Store:
    """Lay in what the CALLS work on: two members, three groups, two articles with votes."""
    ann, bob = factories.user(store, "ann"), factories.user(store, "bob")
    factories.article(store, ann, groups=("go",))
    voted = factories.article(store, ann, groups=("go",))
    store.votes.cast(voted.id, bob)
    factories.article(store, ann, groups=("redis",))
    store.connection.load_scripts()
    return store


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    return laid(make_store(good_votes=1, vote_score=432.0))


def call(store: Store, name: str, keys: list[str] | None = None, arguments: list[Any] | None = None) -> Any:
    """Run a call of CALLS, or one of other keys or arguments."""
    usual_keys, usual_arguments = CALLS[name]
    return run(store, *scripts.call(name.split()[0], keys or usual_keys, arguments or usual_arguments))


def test_every_script_is_tried() -> None:
    assert {name.split()[0] for name in CALLS} == set(scripts.sources())


@pytest.mark.parametrize("name", CALLS)
def test_a_script_run_twice_leaves_what_it_leaves_once(site: Store, name: str) -> None:
    before = snapshot(site)
    call(site, name)
    once = snapshot(site)
    call(site, name)
    assert once != before
    assert snapshot(site) == once


@pytest.mark.parametrize(("name", "at"), [(name, at) for name in CALLS for at in range(len(CALLS[name][0]))])
def test_a_key_of_another_type_stops_a_script_before_it_writes(site: Store, name: str, at: int) -> None:
    key = CALLS[name][0][at]
    run(site, "DEL", key)
    run(site, "RPUSH", key, "a list is what no script of ours expects")
    before = snapshot_with_lists(site, key)
    try:
        answer = call(site, name)
    except redis.ResponseError:
        answer = ["refused"]
    assert answer[0] in ("refused", "kept", "known", "again")  # the last three: the key is there, so nothing to do
    assert snapshot_with_lists(site, key) == before


def snapshot_with_lists(store: Store, key: str) -> dict[str, Any]:
    """Return everything in the database and the list under *key*, which is no business of a site."""
    values = run(store, "LRANGE", key, 0, -1)
    run(store, "DEL", key)
    rest = snapshot(store)
    run(store, "RPUSH", key, *values)
    return rest | {key: values}


@pytest.mark.parametrize("name", ["cast_vote", "cast_vote to take back", "set_groups"])
@pytest.mark.parametrize("field", ["time", "votes", "base"])
def test_a_number_that_is_none_stops_a_script_before_it_writes(site: Store, name: str, field: str) -> None:
    run(site, "HSET", CALLS[name][0][0], field, "many")
    before = snapshot(site)
    try:
        call(site, name)
    except redis.ResponseError:
        assert snapshot(site) == before
    else:  # a script that does not need this number
        assert (name, field) in {
            ("set_groups", "base"),
            ("cast_vote", "votes"),
            ("cast_vote to take back", "votes"),
        }


@pytest.mark.parametrize("kept", ["title", "time"])
@pytest.mark.parametrize("name", ["cast_vote", "cast_vote to take back", "set_groups"])
def test_half_an_article_is_none(site: Store, name: str, kept: str) -> None:
    key = CALLS[name][0][0]
    value = run(site, "HGET", key, kept)
    run(site, "DEL", key)
    run(site, "HSET", key, kept, value)
    before = snapshot(site)
    assert call(site, name) == ["unknown"]
    assert snapshot(site) == before


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("cast_vote", ["cast", 1, "ann", 432, 1, 604_800, 3_600, "go"], ["already", "1"]),
        ("cast_vote", ["take-back", 1, "ann", 432, 1, 604_800, 3_600, "go"], ["own", "1"]),
        ("cast_vote", ["take-back", 2, "bob", 432, 1, 604_800, 3_600, "go"], ["absent", "1"]),
        ("cast_vote", ["cast", 2, "bob", 432, 1, 604_800, 3_600, ""], ["again", "go"]),
        ("cast_vote", ["cast", 2, "bob", 432, 1, 604_800, 3_600, "go"], ["counted", "2"]),
        ("make_group", ["make", "go", "Go", ""], ["exists"]),
        ("make_group", ["change", "lua", "Lua", ""], ["unknown"]),
        ("make_user", [7, "dan", "", "member", "word"], ["made", "7"]),
        ("combine_groups", [60, 2_000], ["made"]),
    ],
)
def test_a_script_answers_with_its_words(site: Store, name: str, arguments: list[Any], answer: list[str]) -> None:
    assert call(site, name, arguments=arguments) == answer


def test_scores_are_written_whole_and_not_by_steps(site: Store) -> None:
    article = site.articles.get(1)
    run(site, "ZADD", "score:", 17, "article:1")
    call(site, "cast_vote")
    assert run(site, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 2 * 432, abs=1e-6)


@pytest.mark.parametrize(
    ("clock", "now"),
    [
        (("1700000000", "42"), "1700000000.000042"),
        (("1700000000", "0"), "1700000000.000000"),
        (("7", "999999"), "7.999999"),
    ],
)
def test_the_time_has_all_its_leading_zeros(store: Store, clock: tuple[str, str], now: str) -> None:
    stopped = f"local redis = {{ call = function() return {{ '{clock[0]}', '{clock[1]}' }} end }}"
    assert run(store, "EVAL", f"{stopped}\n{TEXTS['common']}\nreturn now()", 0) == now


# What follows reads the texts of the scripts only.

TEXTS = {path.stem: path.read_text() for path in sorted(Path(scripts.__file__).with_name("lua").glob("*.lua"))}


def head(name: str) -> str:
    """Return the comment that a script begins with."""
    return re.match(r"(?:--[^\n]*\n)+", TEXTS[name])[0]


def code(name: str) -> str:
    """Return a script without its comments and without what it says when it fails."""
    return re.sub(r"--[^\n]*|error\([^\n]*\)", "", TEXTS[name])


@pytest.mark.parametrize("name", scripts.sources())
def test_a_script_says_its_keys_its_arguments_and_its_answers(name: str) -> None:
    assert re.search(r"^-- KEYS  1 .*^-- ARGV  .*^-- Answers  ", head(name), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", scripts.sources())
def test_every_key_and_argument_that_a_script_names_is_in_its_head(name: str) -> None:
    keys, _, rest = head(name).partition("-- KEYS")[2].partition("-- ARGV")
    for array, told in [("KEYS", keys), ("ARGV", rest.partition("-- Answers")[0])]:
        for number in set(re.findall(rf"{array}\[(\d+)\]", code(name))):
            assert re.search(rf"(?:^|\s){number} |then|and so on", told), f"{array}[{number}]"


@pytest.mark.parametrize("name", TEXTS)
def test_a_script_builds_no_key(name: str) -> None:
    literals = [one or other for one, other in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", code(name))]
    assert [literal for literal in literals if ":" in literal] == []
    assert re.findall(r"(?:KEYS\[[^\]]*\]|\bkey|\branking)\s*\.\.|\.\.\s*(?:KEYS\[|key\b|ranking\b)", code(name)) == []
    for command, key in re.findall(r"redis\.call\('(\w+)'(?:,\s*([\w\[\]+]+))?", code(name)):
        assert command == "TIME" or key.startswith(("KEYS[", "key", "ranking")), f"{command} {key}"
