"""Check the rules of language that a program can check; `make check` runs this.

It prints one line for each finding, and its exit status is 1 if there is any. The rules stand in docs/contributing.md.
"""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: The last commit before the rules: only the subjects of later ones are checked.
BASE = "7f2c628dee8d5a2137daf062e3eade7f9f903c2d"
MAX_SUBJECT_LENGTH = 60
#: Files and folders whose text is checked; all else is generated, data or another program's.
PLACES = (
    ".ci/babel.cfg", ".ci/check_language.py", ".ci/mutants.py", ".ci/mutants.toml", ".ci/run",
    ".dockerignore", "CHANGELOG.md", "Makefile", "README.md", "SECURITY.md", "bench", "deploy", "docs",
    "pyproject.toml", "static", "templates", "tests", "voteweb",
)  # fmt: skip
SKIPPED_SUFFIXES = {".csv", ".ico", ".json", ".jsonl", ".mo", ".png", ".po", ".pyc", ".svg"}
OPENINGS = "What|Whoever|Of|Nothing|Let|Whose"
_OPENING = re.compile(rf"\s*(?:{OPENINGS})\b")
#: The first comment of a Lua script or a template, and all further comments of a template.
_LEADING_COMMENT = {
    ".lua": re.compile(rf"\A--\s*(?:{OPENINGS})\b"),
    ".html": re.compile(rf"\{{#-?\s*(?:{OPENINGS})\b"),
    ".xml": re.compile(rf"\{{#-?\s*(?:{OPENINGS})\b"),
    ".txt": re.compile(rf"\{{#-?\s*(?:{OPENINGS})\b"),
}
#: The two words may stand on two lines of a comment, with its sign between them.
_THE_OWN = re.compile(r"\bthe(?:\s|#:?|--|\*|//)+own\b", re.IGNORECASE)


def main(root: Path) -> int:
    """Print all findings in the repository at *root* and return the exit status."""
    findings = [finding for path in checked_files(root) for finding in text_findings(path, path.relative_to(root))]
    subjects = commit_subjects(root, BASE)
    if subjects is None:
        print(f"No history since {BASE[:7]}: the subjects of commits are not checked.")
    findings += subject_findings(subjects or [])
    print(*findings, sep="\n", end="\n" if findings else "")
    return 1 if findings else 0


def checked_files(root: Path) -> Iterator[Path]:
    """Yield every file whose text is checked, in order."""
    for place in PLACES:
        path = root / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and file.suffix not in SKIPPED_SUFFIXES:
                yield file


def text_findings(path: Path, name: Path) -> Iterator[str]:
    """Yield each finding in the file at *path*, under this *name*."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        for line, opening in docstring_openings(text):
            yield f"{name}:{line}: a docstring opens with {opening!r}: say what the code does, subject and object"
    comment = _LEADING_COMMENT.get(path.suffix)
    for match in comment.finditer(text) if comment else ():
        yield f"{name}:{_line(text, match)}: a comment opens with {match[0].split()[-1]!r}: say what the code does"
    for match in _THE_OWN.finditer(text):
        yield f"{name}:{_line(text, match)}: {' '.join(match[0].split())!r}: say whose own it is"


def docstring_openings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the first word of each docstring in the Python *text* that opens with a forbidden word."""
    try:
        module = ast.parse(text)
    except SyntaxError:  # the linter reports it
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False)
            match = _OPENING.match(docstring or "")
            if match:
                yield node.body[0].lineno, match[0].strip()


def commit_subjects(root: Path, base: str) -> list[tuple[str, str]] | None:
    """Return hash and subject of each commit after *base*; None without git, a repository or that commit."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    command = [git, "-C", str(root), "log", "--no-merges", "--format=%h%x09%s", f"{base}..HEAD"]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    if result.returncode:
        return None
    return [(hash, subject) for hash, _, subject in (line.partition("\t") for line in result.stdout.splitlines())]


def subject_findings(subjects: list[tuple[str, str]]) -> Iterator[str]:
    """Yield each finding in the *subjects* of commits."""
    for hash, subject in subjects:
        if len(subject) > MAX_SUBJECT_LENGTH:
            yield f"{hash}: the subject has {len(subject)} characters, not {MAX_SUBJECT_LENGTH} at most: {subject}"
        if ";" in subject:
            yield f"{hash}: the subject has a semicolon: a commit does one thing: {subject}"


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
