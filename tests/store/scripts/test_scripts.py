"""Every script: running it twice is running it once, and it decides everything before it writes anything."""

import re
from contextlib import nullcontext, suppress
from importlib.resources import files

import pytest
import redis

from tests.store.examination import run, snapshot, unchanged
from tests.store.scripts.calls import CALLS
from voteweb.store import Store
from voteweb.store.connection import scripts

#: Scripts that tell the server that they write nothing, which makes it refuse their writes.
READING = {name for name, script in scripts.scripts().items() if script.source.startswith("#!lua flags=no-writes\n")}
#: Scripts that count: each run counts once more, which does no harm after a lost answer.
COUNTING = {"hit_rate_limit"}


def test_every_script_that_writes_is_called() -> None:
    assert {call.script for call in CALLS.values()} == set(scripts.scripts()) - READING


def test_scripts_without_a_command_that_writes_say_so(store: Store) -> None:
    writing = "|".join(run(store, "ACL", "CAT", "write"))
    calls = re.compile(rf"(?:call|try)\('(?:{writing})'", re.IGNORECASE)
    assert {name for name, script in scripts.scripts().items() if not calls.search(script.source)} == READING


def test_scripts_name_the_helpers_that_they_use_by_file() -> None:
    """As in "-- helpers: members: check_member; rankings: find_place rank", which is compared with the code."""
    folder = files("voteweb.store") / "lua"
    defined = {
        name: file.name.removesuffix(".lua")
        for file in (folder / "helpers").iterdir()
        for names in re.findall(r"^local (?:function )?(\w+(?:, \w+)*)", file.read_text(), re.MULTILINE)
        for name in names.split(", ")
    }
    for file in (file for file in folder.iterdir() if file.is_file()):
        text = file.read_text()
        used = set(re.findall(r"\w+", re.sub(r"--.*|'[^'\n]*'", "", text))) & defined.keys()
        header = "".join(re.findall(r"^-- helpers: (.*(?:\n--   .*)*)", text, re.MULTILINE)).replace("\n--", "")
        parts = dict(part.split(":") for part in header.split(";") if part)
        named = {(name, file.strip()) for file, names in parts.items() for name in names.split()}
        assert named == {(name, defined[name]) for name in used}, file.name


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
    # A ban acts without a session, and votes check no key that they do not use.
    unused = {"sessions:bob"} if name == "cast_vote by a ban" else set[str]()
    unused |= {"programs:bob"} if "vote" in name else set()
    for key in (key for key in CALLS[name].all_keys() if key not in unused):
        existed = run(site, "EXISTS", key)
        if existed:
            run(site, "RENAME", key, "aside")
        run(site, *(("SET", key, "") if key == "changes:" else ("XADD", key, "*", "no other key", "is a stream")))
        with unchanged(site), suppress(redis.ResponseError):
            status, *_ = CALLS[name].run(site)
            # Since the key exists, there is nothing to do.
            assert status in ("kept", "known", "again", "taken"), key
        run(site, "DEL", key)
        if existed:
            run(site, "RENAME", "aside", key)


@pytest.mark.parametrize("name", ["cast_vote", "cast_vote to take back", "write_comment", "vote_comment"])
def test_damaged_fields_of_an_article_stop_a_script_before_writing(site: Store, name: str) -> None:
    key = CALLS[name].all_keys()[0]
    damaged = [{"title": "A title"}, {"time": "1700000000"}]
    if "cast_vote" in name:
        whole = run(site, "HGETALL", key)
        damaged += [whole | {field: value} for field in ("time", "base") for value in ("many", "inf", "nan")]
    for fields in damaged:
        run(site, "DEL", key)
        run(site, "HSET", key, *(text for pair in fields.items() for text in pair))
        with unchanged(site), pytest.raises(redis.ResponseError) if len(fields) > 1 else nullcontext():
            assert CALLS[name].run(site) == ["unknown"]
