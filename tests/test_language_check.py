"""The language check of `make check` finds what it forbids and nothing else."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers import needs

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("check_language", ROOT / ".ci/check_language.py")
assert _spec is not None
assert _spec.loader is not None
check_language = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_language)

#: In two parts, since the check reads this file too.
THE_OWN = "the " + "own"


def findings(tmp_path: Path, name: str, text: str) -> list[str]:
    """Return the findings in a file of this *name* and *text*."""
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return list(check_language.text_findings(file, Path(name)))


@pytest.mark.parametrize("word", check_language.OPENINGS.split("|"))
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"""{} it does."""\n', 1),
        ('"""\n{} it does.\n"""\n', 1),
        ('x = 1\n\n\ndef f() -> None:\n    """{} it does."""\n', 5),
        ('class C:\n    async def f(self) -> None:\n        """{} it does."""\n', 3),
    ],
)
def test_forbidden_opening_of_a_docstring_is_found(tmp_path: Path, text: str, line: int, word: str) -> None:
    (finding,) = findings(tmp_path, "a.py", text.format(word))
    assert finding.startswith(f"a.py:{line}: a docstring opens with '{word}'")


@pytest.mark.parametrize(
    "text",
    [
        '"""Whatever."""\n',
        '"""Letters."""\n',
        '"""Often."""\n',
        'x = "What"\n',
        "# What it is.\n",
        '"""So: Of that."""\n',
    ],
)
def test_other_openings_are_no_finding(tmp_path: Path, text: str) -> None:
    assert findings(tmp_path, "a.py", text) == []


def test_broken_python_is_left_to_the_linter(tmp_path: Path) -> None:
    assert findings(tmp_path, "a.py", '"""What it does."""\ndef f(\n') == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("lua/a.lua", "-- What it does.\nreturn 1\n", 1),
        ("a.html", "{# What it shows. #}\n<p>\n", 1),
        ("a.html", "<p>\n{#- Let it be. #}\n", 2),
        ("feeds/a.xml", "{# Of a feed. #}\n", 1),
    ],
)
def test_forbidden_opening_of_a_comment_is_found(tmp_path: Path, name: str, text: str, line: int) -> None:
    (finding,) = findings(tmp_path, name, text)
    assert finding.startswith(f"{name}:{line}: a comment opens with")


def test_later_comments_of_a_script_open_freely(tmp_path: Path) -> None:
    assert findings(tmp_path, "a.lua", "-- Count.\n-- What follows is fast.\n") == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.md", f"One\n\nsees {THE_OWN} data\n", 3),
        ("a.py", f"x = 1  # {THE_OWN.title()} one\n", 1),
        ("a.py", THE_OWN.replace(" ", "\n# ").join(("# sees ", " data\n")), 1),
        ("a.lua", THE_OWN.replace(" ", "\n-- ").join(("-- sees ", " data\n")), 1),
        ("Caddyfile", f"# {THE_OWN}\n", 1),
    ],
)
def test_an_owner_who_is_not_named_is_found(tmp_path: Path, name: str, text: str, line: int) -> None:
    (finding,) = findings(tmp_path, name, text)
    assert finding.startswith(f"{name}:{line}: '")


def test_named_owners_and_other_words_are_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path, "a.md", "their own, the member's own, the owner, the ownership, bathe own\n") == []


def test_generated_files_and_data_are_not_read(tmp_path: Path) -> None:
    for name in ("voteweb/a.po", "voteweb/a.jsonl", "build/a.py", "docs/front.png", "voteweb/__pycache__/a.pyc"):
        findings(tmp_path, name, f"# {THE_OWN}\n")
    findings(tmp_path, "voteweb/a.py", "")
    assert [file.name for file in check_language.checked_files(tmp_path)] == ["a.py"]


@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        ("x" * 60, None),
        ("x" * 61, "has 61 characters"),
        ("Move the rooms; rename the words", "has a semicolon"),
    ],
)
def test_subjects_are_short_and_of_one_thing(subject: str, problem: str | None) -> None:
    messages = list(check_language.subject_findings([("abc1234", subject)]))
    assert len(messages) == (problem is not None)
    assert all(message.startswith(f"abc1234: the subject {problem}") for message in messages)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a base commit and one after it, both with subjects that are too long."""
    needs(shutil.which("git"), "git")
    git(tmp_path, "init", "--quiet")
    for subject in ("base " * 20, "later " * 20):
        git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", subject)
    return tmp_path


def git(folder: Path, *words: str) -> str:
    """Run git in *folder* without anybody's settings and return what it prints."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    result = subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, encoding="utf-8")
    return result.stdout.strip()


def test_only_commits_after_the_base_are_checked(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check_language, "BASE", git(repository, "rev-parse", "HEAD~1"))
    assert check_language.main(repository) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "later" in line


def test_a_shallow_clone_without_the_base_passes_and_says_so(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(check_language, "BASE", git(repository, "rev-parse", "HEAD~1"))
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), str(clone))
    assert check_language.main(clone) == 0
    assert capsys.readouterr().out.startswith("No history since ")


@pytest.mark.parametrize("is_git_there", [True, False])
def test_a_folder_without_history_passes_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_git_there: bool
) -> None:
    if not is_git_there:
        monkeypatch.setattr(check_language.shutil, "which", lambda name: None)
    assert check_language.main(tmp_path) == 0
    assert capsys.readouterr().out.startswith("No history since ")


def test_each_finding_is_one_line_and_the_status_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    findings(tmp_path, "docs/a.md", f"{THE_OWN}\n{THE_OWN}\n")
    assert check_language.main(tmp_path) == 1
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["docs/a.md:1", "docs/a.md:2"]
