"""Parse the files of deploy/, filled in for an example."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from voteweb.cli.deploy import IMAGE, Deployment, fill
from voteweb.core.settings import Settings
from voteweb.web.auth.sessions import cookie_name
from voteweb.web.i18n import locale

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
EXAMPLE = Deployment(
    name="voteweb",
    folder=Path("/var/lib/voteweb"),
    settings=Settings(data_dir="data", site_url="https://news.example"),
    host="news.example",
    user="voteweb",
    group="voteweb",
    program=Path("/opt/voteweb/bin/voteweb"),
)


def example(template: str, *, cache: bool = False) -> str:
    """Return the text of a *template* in deploy/ for the example, on a machine with Caddy 2.6.2."""
    values = {
        "upstreams": ["127.0.0.1:8000"], "is_old_caddy": True, "is_whole": True, "checkout": ROOT, "cache": cache,
        "language_cookie": locale.COOKIE, "languages": list(locale.LANGUAGES), "commit": "", "image": IMAGE,
        "session_cookie": cookie_name(EXAMPLE.settings),
    }  # fmt: skip
    return fill(template, EXAMPLE, **values)


def unit(name: str) -> str:
    """Return the text of a unit of the example."""
    return example(f"systemd/{name}")


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
    services: dict[str, Any] = yaml.safe_load(example("compose.yaml"))["services"]
    return services


def with_replacements(text: str, replacements: dict[str, str]) -> str:
    """Return *text* with *replacements*; fail where it lacks one of the texts to replace."""
    for old, new in replacements.items():
        assert old in text, f"there is no {old!r} any more"
        text = text.replace(old, new)
    return text
