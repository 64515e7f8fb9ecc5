"""The language check of `make check` finds what it forbids and nothing else."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("check_language", Path(__file__).parent.parent / ".ci/check_language.py")
assert _spec is not None
assert _spec.loader is not None
check_language = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_language)

#: In two parts, since the check reads this file too.
THE_OWN = "the " + "own"


@pytest.mark.parametrize(
    ("name", "text", "finding"),
    [
        ("a.py", '"""\nWhat it does."""\n', "1: a docstring opens with 'What'"),
        ("a.py", 'class C:\n    async def f(self) -> None:\n        """Of it."""\n', "3: a docstring opens with 'Of'"),
        ("a.py", '"""Whatever."""\n# What it is.\nx = "What"\n', ""),
        ("a.py", '"""What it does."""\ndef f(\n', ""),  # the linter reports it
        ("a.lua", "-- What it does.\nreturn 1\n", "1: a comment opens with"),
        ("a.lua", "-- Count.\n-- What follows is fast.\n", ""),
        ("a.html", "<p>\n{#- Let it be. #}\n", "2: a comment opens with"),
        ("a.md", f"One\n\nsees {THE_OWN} data\n", "3: '"),
        ("a.lua", THE_OWN.title().replace(" ", "\n-- ").join(("-- sees ", " data\n")), "1: '"),
        ("a.md", "their own, the member's own, the owner, bathe own\n", ""),
    ],
)
def test_forbidden_words_are_found_with_their_line(tmp_path: Path, name: str, text: str, finding: str) -> None:
    (tmp_path / name).write_text(text)
    found = list(check_language.text_findings(tmp_path / name, Path(name)))
    assert len(found) == bool(finding)
    assert all(line.startswith(f"{name}:{finding}") for line in found)


def test_subjects_are_short_and_of_one_thing() -> None:
    subjects = [("a", "x" * 60), ("b", "x" * 61), ("c", "Move the rooms; rename the words")]
    long, double = check_language.subject_findings(subjects)
    assert long.startswith("b: the subject has 61 characters, not 60 at most: ")
    assert double.startswith("c: the subject has a semicolon")


def test_a_folder_without_history_passes_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, status in (("build/a.py", 0), ("docs/a.png", 0), ("docs/a.md", 1)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{THE_OWN}\n")
        assert check_language.main(tmp_path) == status
        assert capsys.readouterr().out.startswith("No history since ")
