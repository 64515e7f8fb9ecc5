"""The version between two releases names the commit, wherever voteweb was installed from."""

import runpy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import needs
from voteweb.core.version import RELEASE, is_version

ROOT = Path(__file__).parents[2]
Git = Callable[..., str]


def version_of(folder: Path) -> str:
    """Return the version that the module in *folder* tells."""
    return str(runpy.run_path(str(folder / "voteweb" / "core" / "version.py"))["__version__"])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder for a repository, with the files that tell the version."""
    folder = tmp_path / "checkout"
    (folder / "voteweb" / "core").mkdir(parents=True)
    shutil.copy(ROOT / "voteweb" / "core" / "version.py", folder / "voteweb" / "core")
    shutil.copy(ROOT / ".gitattributes", folder)
    (folder / "voteweb" / "commit").write_text("$Format:%H$\n")
    return folder


@pytest.fixture
def git(checkout: Path) -> Git:
    """Run git in a new repository with one commit; returns what it prints."""
    needs(shutil.which("git"), "git")
    identity = ["-c", "user.name=ann", "-c", "user.email=ann@news.example", "-c", "init.defaultRefFormat=files"]

    def run(*arguments: object) -> str:
        command = ["git", *identity, *map(str, arguments)]
        return subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True).stdout.strip()

    run("init", "--quiet")
    run("add", "--all")
    run("commit", "--quiet", "--message", "first")
    return run


def expected(git: Git) -> str:
    return f"{RELEASE}+g{git('rev-parse', 'HEAD')[:8]}"


def test_a_checkout_names_its_newest_commit(checkout: Path, git: Git) -> None:
    first = version_of(checkout)
    assert first == expected(git)
    git("commit", "--quiet", "--allow-empty", "--message", "second")
    assert version_of(checkout) == expected(git) != first
    git("pack-refs", "--all")
    assert version_of(checkout) == expected(git)
    git("checkout", "--quiet", "--detach", "HEAD~1")
    assert version_of(checkout) == expected(git) == first


def test_a_worktree_names_its_own_commit(checkout: Path, git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "--quiet", "-b", "other", tmp_path / "other")
    git("commit", "--quiet", "--allow-empty", "--message", "second")
    assert version_of(tmp_path / "other") == f"{RELEASE}+g{git('rev-parse', 'other')[:8]}"
    assert version_of(checkout) == expected(git)


def test_an_archive_of_git_names_its_commit(checkout: Path, git: Git, tmp_path: Path) -> None:
    git("archive", "--output", tmp_path / "archive.zip", "HEAD")
    shutil.unpack_archive(tmp_path / "archive.zip", tmp_path / "archive")
    assert version_of(tmp_path / "archive") == expected(git)


def test_files_without_a_commit_have_the_release_alone(checkout: Path) -> None:
    assert version_of(checkout) == RELEASE
    (checkout / "voteweb" / "commit").unlink()
    assert version_of(checkout) == RELEASE


def test_only_what_can_be_a_version_is_shown() -> None:
    assert is_version("0.3.0.dev0+g55ae1645")
    assert not any(map(is_version, ("", "0.3.0\x1b[2J", "0" * 41, "a newer one")))
