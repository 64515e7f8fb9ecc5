"""What stands in the files of deploy/."""

import re
from typing import Any, NamedTuple

import yaml

from tests.deploy.proxies import DEPLOY

ROOT = DEPLOY.parent


class Step(NamedTuple):
    """An instruction of a Dockerfile."""

    word: str
    rest: str


def dockerfile() -> list[Step]:
    """Return the instructions of the Dockerfile, each in one line."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [Step(*line.split(maxsplit=1)) for line in lines if line]


def last(word: str) -> str:
    """Return what the last instruction *word* of the Dockerfile says."""
    return [step.rest for step in dockerfile() if step.word == word][-1]


def copied() -> list[tuple[list[str], str]]:
    """Return what the Dockerfile copies of the repository, and to where: names and a place for each instruction."""
    words = [step.rest.split() for step in dockerfile() if step.word == "COPY" and not step.rest.startswith("--from")]
    return [(sources, place) for *sources, place in words]


def compose() -> dict[str, Any]:
    """Return the services of compose.yaml."""
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return services
