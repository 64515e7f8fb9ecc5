"""The lock of the gate: it has a version and a hash of everything that pyproject.toml requires."""

import re
import tomllib
from pathlib import Path

import pytest
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


@pytest.fixture(scope="module")
def locked() -> dict[str, str]:
    """The locked version of each package; those of the lock that have no hash are left out."""
    lines = (ROOT / ".ci" / "lock.txt").read_text().replace("\\\n", " ").splitlines()
    pinned = (re.match(r"([\w.-]+)==([^\s;]+)[^#]*--hash=sha256:[0-9a-f]{64}", line) for line in lines)
    return {canonicalize_name(match[1]): match[2] for match in pinned if match}


@pytest.mark.parametrize("requirement", [one for one in REQUIREMENTS if one.name != "voteweb"], ids=str)
def test_every_requirement_is_locked(requirement: Requirement, locked: dict[str, str]) -> None:
    version = locked.get(canonicalize_name(requirement.name), "")
    assert requirement.specifier.contains(version), f"run `make lock`: {requirement} has {version or 'no version'}"


def test_the_lock_names_no_registry(locked: dict[str, str]) -> None:
    assert "://" not in (ROOT / ".ci" / "lock.txt").read_text()
