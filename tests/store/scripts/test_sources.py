"""The sources of the scripts: documented arguments, and no key that is not given to them."""

import re
from pathlib import Path

import pytest

from tests.store.examination import run
from tests.store.scripts.call import ARGUMENTS
from voteweb.store import Store
from voteweb.store.connection import scripts

TEXTS = {
    path.stem: path.read_text() for path in sorted(Path(scripts.__file__).parents[1].joinpath("lua").rglob("*.lua"))
}


def header(name: str) -> str:
    """Return the comment that a script begins with."""
    match = re.match(r"(?:--[^\n]*\n)+", TEXTS[name])
    assert match
    return match[0]


def code(name: str) -> str:
    """Return a script without its comments and error messages."""
    return re.sub(r"--[^\n]*|error\([^\n]*\)", "", TEXTS[name])


@pytest.mark.parametrize("name", scripts.sources())
def test_a_script_documents_its_keys_arguments_and_answers(name: str) -> None:
    assert re.search(r"^-- KEYS  .*^-- ARGV  .*^-- Answers  ", header(name), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", scripts.sources())
def test_every_numbered_key_and_argument_is_documented(name: str) -> None:
    keys, _, rest = header(name).partition("-- KEYS")[2].partition("-- ARGV")
    for array, text in [("KEYS", keys), ("ARGV", rest.partition("-- Answers")[0])]:
        for number in set(re.findall(rf"{array}\[(\d+)\]", code(name))):
            assert re.search(rf"(?:^|\s){number} |then|and so on", text), f"{array}[{number}]"


@pytest.mark.parametrize("name", ARGUMENTS)
def test_named_arguments_of_the_tests_are_those_of_the_script(name: str) -> None:
    names = ARGUMENTS[name].removeprefix("log").split()
    (documented,) = re.findall(r"-- ARGV(.*?)-- Answers", header(name), re.DOTALL)
    spans = re.findall(r"(?:^|\s)(?:(\d+)-)?(\d+) ", documented)
    numbers = {number for start, end in spans for number in range(int(start or end), int(end) + 1)}
    first = 4 if ARGUMENTS[name].startswith("log") else 1
    last_named = first + len(names) - 1
    assert set(range(first, last_named + 1)) <= numbers
    unpacked = re.search(r"local ([\w, \n]+) = unpack\(ARGV", code(name))
    if unpacked:
        assert len(re.findall(r"\w+", unpacked[1])) == len(names)


@pytest.mark.parametrize("name", TEXTS)
def test_a_script_builds_no_key(name: str) -> None:
    literals = [one or other for one, other in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", code(name))]
    # The settings in force are read where they count, after the key of an article on the same site.
    of_settings = {"^(.*)article:", "site:"} if name == "rankings" else set()
    assert [literal for literal in literals if ":" in literal and literal not in of_settings] == []
    assert re.findall(r"(?:KEYS\[[^\]]*\]|\bkey|\branking)\s*\.\.|\.\.\s*(?:KEYS\[|key\b|ranking\b)", code(name)) == []
    for command, key in re.findall(r"redis\.call\('(\w+)'(?:,\s*([\w\[\]+]+))?", code(name)):
        is_key = key.startswith(("KEYS[", "key", "ranking")) or key.endswith("_key")
        assert is_key or command == "TIME", f"{command} {key}"


@pytest.mark.parametrize(
    ("seconds", "microseconds", "now"),
    [
        ("1700000000", "42", "1700000000.000042"),
        ("1700000000", "0", "1700000000.000000"),
        ("7", "999999", "7.999999"),
    ],
)
def test_the_time_has_all_leading_zeros(store: Store, seconds: str, microseconds: str, now: str) -> None:
    stopped = f"local redis = {{ call = function() return {{ '{seconds}', '{microseconds}' }} end }}"
    assert run(store, "EVAL", f"{stopped}\n{scripts.with_helpers('return now()')}", 0) == now


def test_a_script_has_the_helpers_that_it_uses_and_no_others() -> None:
    text = "return exact(finite(ARGV[1])) -- now()"
    defined = re.findall(r"local function (\w+)", scripts.with_helpers(text))
    assert defined == ["exact", "finite"]
    assert re.findall(r"local function (\w+)", scripts.sources()["own_votes"]) == []


def test_no_two_files_of_helpers_define_the_same_name() -> None:
    helpers = [text for name, text in TEXTS.items() if name not in scripts.sources()]
    names = re.findall(r"^local (?:function )?([\w, ]+)", "\n".join(helpers), re.MULTILINE)
    defined = [name for line in names for name in line.strip().split(", ")]
    assert sorted(defined) == sorted(set(defined))
