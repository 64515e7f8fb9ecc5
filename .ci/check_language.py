"""Check the rules of language that a program can check; `make check` runs this.

It prints one line for each finding, and its exit status is 1 if there is any. The rules stand in docs/contributing.md.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: The last commit before the rules: only the subjects of later ones are checked.
BASE = "7f2c628dee8d5a2137daf062e3eade7f9f903c2d"
MAX_SUBJECT_LENGTH = 60
#: Files and folders whose text is checked; all else is generated, data or another program's.
PLACES = (
    ".ci/babel.cfg", ".ci/check_language.py", ".ci/mutants.py", ".ci/machines", ".ci/mutants.toml",
    ".ci/run", ".ci/serve",
    ".dockerignore", "CHANGELOG.md", "Makefile", "README.md", "SECURITY.md", "bench", "deploy", "docs",
    "pyproject.toml", "static", "templates", "tests", "voteweb",
)  # fmt: skip
SKIPPED_SUFFIXES = {".csv", ".ico", ".json", ".jsonl", ".mo", ".png", ".po", ".pyc", ".svg"}
_OPENINGS = r"(?:What|Whoever|Of|Nothing|Let|Whose)\b"
#: The beginnings of docstrings, of the first comment of a Lua script, and of all comments of a template.
_BEGINNINGS = {".py": r'^[ ]*"""\s*', ".lua": r"\A--\s*"} | dict.fromkeys((".html", ".xml", ".txt"), r"\{#-?\s*")
#: The two words may stand on two lines of a comment, with its sign between them.
_THE_OWN = re.compile(r"\bthe(?:\s|#:?|--|\*|//)+own\b", re.IGNORECASE)
#: The name of a test with more than ten words.
_LONG_NAME = re.compile(r"\bdef test(?:_[^_(]+){11,}")


def findings() -> Iterator[str]:
    """Yield each finding in the texts, then those in the subjects of commits."""
    for place in PLACES:
        for path in [ROOT / place, *sorted((ROOT / place).rglob("*"))]:
            if path.is_file() and path.suffix not in SKIPPED_SUFFIXES:
                text = path.read_text("utf-8")
                opening = re.compile(_BEGINNINGS.get(path.suffix, "(?!)") + _OPENINGS, re.MULTILINE)
                for match in (*opening.finditer(text), *_THE_OWN.finditer(text), *_LONG_NAME.finditer(text)):
                    line = text.count("\n", 0, match.start()) + 1
                    yield f"{path.relative_to(ROOT)}:{line}: {' '.join(match[0].split())!r}: say in short who does what"
    command = ["git", "log", "--no-merges", "--format=%h %s", f"{BASE}..HEAD"]  # none without a repository
    log = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    for commit in log.stdout.splitlines():
        subject = commit.partition(" ")[2]
        if len(subject) > MAX_SUBJECT_LENGTH or ";" in subject:
            yield f"{commit}: a subject has {MAX_SUBJECT_LENGTH} characters at most, and no semicolon"


if __name__ == "__main__":
    found = list(findings())
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
