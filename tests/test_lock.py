"""The lock of the gate: it has a version and a hash of everything that pyproject.toml requires."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
REQUIREMENTS = [
    Requirement(text)
    for text in [
        *PROJECT["project"]["dependencies"],
        *(text for extra in PROJECT["project"]["optional-dependencies"].values() for text in extra),
        *PROJECT["build-system"]["requires"],
    ]
]


def test_every_requirement_is_locked_and_no_registry_named() -> None:
    text = (ROOT / ".ci" / "lock.txt").read_text()
    assert "://" not in text
    pinned = (
        re.match(r"([\w.-]+)==([^\s;]+)[^#]*--hash=sha256:[0-9a-f]{64}", line)
        for line in text.replace("\\\n", " ").splitlines()
    )
    locked = {canonicalize_name(match[1]): match[2] for match in pinned if match}
    unmet = [one for one in REQUIREMENTS if not one.specifier.contains(locked.get(canonicalize_name(one.name), ""))]
    assert [str(one) for one in unmet if one.name != "voteweb"] == [], "run `make lock`"
