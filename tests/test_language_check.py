"""The language check of `make check` finds what it forbids and nothing else."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers import needs

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


def test_files_and_later_commits_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A checkout without its history passes, and the check says so."""
    needs(shutil.which("git"), "git")
    repository, clone = tmp_path / "repository", tmp_path / "clone"
    git(tmp_path, "init", "--quiet", str(repository))
    for subject in ("base " * 20, "a; b", "later " * 20):
        git(repository, "commit", "--quiet", "--allow-empty", "--message", subject)
    monkeypatch.setattr(check_language, "BASE", git(repository, "rev-parse", "HEAD~2"))
    for name in ("build/a.py", "docs/a.png", "docs/a.md"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(f"{THE_OWN}\n")
    assert check_language.main(repository) == 1
    file, late, short = capsys.readouterr().out.splitlines()
    assert file.startswith("docs/a.md:1: ")
    assert "the subject has 119 characters, not 60 at most: later" in late
    assert short.endswith("the subject has a semicolon: a commit does one thing: a; b")

    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), str(clone))
    for folder in (clone, tmp_path):
        assert check_language.main(folder) == 0
        assert capsys.readouterr().out.startswith("No history since ")


def git(folder: Path, *words: str) -> str:
    """Run git in *folder* without anybody's settings and return what it prints."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    result = subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, encoding="utf-8")
    return result.stdout.strip()
