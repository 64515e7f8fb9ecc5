"""The sources of the scripts: documented signatures, and keys that are given to them or built."""

import re
from pathlib import Path

import pytest

from tests.store.examination import run
from voteweb.core import config
from voteweb.store import Store
from voteweb.store.connection import scripts
from voteweb.store.schema.keys import TYPES, Keys

TEXTS = {
    path.stem: path.read_text() for path in sorted(Path(scripts.__file__).parents[1].joinpath("lua").rglob("*.lua"))
}


def code(name: str) -> str:
    """Return a script without its comments and error messages."""
    return re.sub(r"--[^\n]*|error\([^\n]*\)", "", TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
def test_a_script_builds_keys_only_from_prefix_and_noun(name: str) -> None:
    assert not re.search(r"\b(?:KEYS|ARGV)\b", code(name))
    built = re.findall(r"prefix \.\. '([a-z-]+):'", code(name))
    assert set(built) <= TYPES.keys()
    rest = re.sub(r"prefix \.\. (?:order \.\. )?'[a-z-]*:'|prefix \.\. (?:member|found\[i\]|rows\[i\])", "", code(name))
    literals = [one or other for one, other in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", rest)]
    # Members of rankings.
    assert {literal for literal in literals if ":" in literal} <= {"article:", "comment:"}
    assert not re.search(r"\bprefix\b", rest)
    assert re.findall(r"(?:\w+_key|\bkey|\branking)\s*\.\.|\.\.\s*(?:\w+_key\b|key\b|ranking\b)", rest) == []


def test_a_call_spells_its_keys_as_all_others_do() -> None:
    text = "-- keys: user:{name} voted-comments:{id}-{block} part={whole} log: limit:{limits}*\n-- args: name rest*\n"
    script = scripts.Script("test", f"{text}return MAX_RANKED .. prefix")
    keys = Keys("{site}:")
    values = {"name": "ÄNN", "id": 3, "block": 0, "whole": "a:b", "limits": ["few-1", "few-2"], "rest": (1, 2)}
    _, _, count, *rest = script.command(keys, dict(values))
    limits = [keys.limit("few", "1"), keys.limit("few", "2")]
    assert rest[:count] == [keys.user("ÄNN"), keys.voted_comments(3, 0), "a:b", keys.log(), *limits]
    assert rest[count:] == [config.MAX_RANKED, "{site}:", "ÄNN", 1, 2]
    for wrong in (values | {"more": 1}, {name: value for name, value in values.items() if name != "id"}):
        with pytest.raises(TypeError, match="test takes"):
            script.command(keys, dict(wrong))


@pytest.mark.parametrize("key", ["nothing:{id}", "article", "article:{id}*{other}"])
def test_a_script_names_no_key_that_no_site_has(key: str) -> None:
    with pytest.raises(ValueError, match="has no key in"):
        scripts.Script("test", f"-- keys: {key}\n")


def test_the_time_has_all_leading_zeros(store: Store) -> None:
    stopped = "local redis = { call = function() return { '1700000000', '42' } end }"
    assert run(store, "EVAL", f"{stopped}\n{scripts.Script('now', 'return now()').source}", 0) == "1700000000.000042"
