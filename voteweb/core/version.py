"""The version of this installation: a release, or what a commit between two releases is.

It imports nothing of the package: the build, too, reads it.
"""

import re
from pathlib import Path

#: The release, or the next one with ".dev0" between releases; nothing else names it.
RELEASE = "0.3.0.dev0"
#: Holds the commit where there is no repository: ``git archive`` and the build of a package write it.
COMMIT_FILE = Path(__file__).parents[1] / "commit"
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHOWN = 8


def read_commit() -> str:
    """Return the hash of the commit that is installed, "" if nothing says it.

    In a checkout the repository says it, without the git program.
    """
    return _head(COMMIT_FILE.parents[1] / ".git") or _hash_in(COMMIT_FILE)


def _head(repository: Path) -> str:
    """Return the commit at HEAD, by gitrepository-layout(5): ".git" of a worktree is a file that names a folder."""
    if link := _text(repository).removeprefix("gitdir: "):
        repository = repository.parent / link
    head = _text(repository / "HEAD")
    if not head.startswith("ref: "):
        return _hash_in(repository / "HEAD")
    shared, name = repository / (_text(repository / "commondir") or "."), head.removeprefix("ref: ")
    packed = re.search(rf"^({_HASH.pattern}) {re.escape(name)}$", _text(shared / "packed-refs"), re.MULTILINE)
    return _hash_in(shared / name) or (packed[1] if packed else "")


def _hash_in(file: Path) -> str:
    text = _text(file)
    return text if _HASH.fullmatch(text) else ""


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip() if file.is_file() else ""
    except (OSError, ValueError):  # a name or a text that cannot be
        return ""


def is_version(text: str) -> bool:
    """Tell whether *text* can be the version of an installation, so that it may be shown."""
    return re.fullmatch(r"[0-9A-Za-z.+]{1,40}", text) is not None


def _version(commit: str) -> str:
    return f"{RELEASE}+g{commit[:_SHOWN]}" if commit and ".dev" in RELEASE else RELEASE


__version__ = _version(read_commit())
