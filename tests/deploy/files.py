"""Parse the files of deploy/."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = DEPLOY / "systemd"


class Instruction(NamedTuple):
    """An instruction of a Dockerfile."""

    name: str
    arguments: str


class Copy(NamedTuple):
    """A COPY of a Dockerfile: names in the repository, and a place in the image."""

    sources: list[str]
    place: str


def dockerfile() -> list[Instruction]:
    """Return the instructions of the Dockerfile, each in one line."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [Instruction(*line.split(maxsplit=1)) for line in lines if line]


def arguments_of(name: str) -> list[str]:
    """Return the arguments of every instruction *name* of the Dockerfile."""
    return [instruction.arguments for instruction in dockerfile() if instruction.name == name]


def last_arguments(name: str) -> str:
    """Return the arguments of the last instruction *name* of the Dockerfile."""
    return arguments_of(name)[-1]


def copies() -> list[Copy]:
    """Return what the Dockerfile copies from the repository."""
    arguments = [arguments.split() for arguments in arguments_of("COPY") if not arguments.startswith("--from")]
    return [Copy(sources, place) for *sources, place in arguments]


def compose_services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return services


def with_replacements(text: str, replacements: dict[str, str]) -> str:
    """Return *text* with *replacements*; fail where it lacks one of the texts to replace."""
    for old, new in replacements.items():
        assert old in text, f"there is no {old!r} any more"
        text = text.replace(old, new)
    return text
