"""The faults of `make mutants`: the text that each changes is once in its file, and its tests are there."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTANTS = tomllib.loads((ROOT / ".ci/mutants.toml").read_text())["mutant"]


def test_the_text_of_every_fault_is_once_in_its_file() -> None:
    changes = [(mutant["name"], change) for mutant in MUTANTS for change in mutant.get("change") or [mutant]]
    lost = {name for name, change in changes if (ROOT / change["file"]).read_text().count(change["old"]) != 1}
    assert lost == set(), "name the texts that do the same now"


def test_the_tests_of_every_fault_are_there() -> None:
    paths = {path for mutant in MUTANTS for path in mutant["tests"].split()}
    assert [path for path in sorted(paths) if not (ROOT / path.partition("::")[0]).exists()] == []
