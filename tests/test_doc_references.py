"""README and docs/ name only what exists: paths, commands, settings and links."""

import re
import shlex
from pathlib import Path

import click
import pytest

from voteweb.cli.main import voteweb
from voteweb.core.config import ENDED_VARIABLES, OTHER_VARIABLES
from voteweb.core.settings import Settings, env_name, variables

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
every_text = pytest.mark.parametrize("file", [README, *DOCS], ids=lambda file: file.name)

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`([^`\n]+)`")
#: A path in the repository, with <noun> or * for a part that stands for several; and the bare name of a module.
PATH = re.compile(
    r"(?:voteweb|templates|static|tests|bench|deploy|docs|\.ci)/[\w./<>*-]*|Makefile|[A-Z]+\.md|pyproject\.toml"
)
FILE_NAME = re.compile(r"\w+\.(?:py|lua)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
#: A call of the program, wherever a shell would take one: at the start, behind a path, `&&` or a variable.
COMMAND = re.compile(r"(?:^|/|&& |VOTEWEB_\w+=\S+ |\n\s*)voteweb ([a-z][^\n&|]*)")


def spans(file: Path) -> list[str]:
    """Return every code span of a text, outside blocks of code."""
    return CODE_SPAN.findall(FENCED.sub("", file.read_text("utf-8")))


def blocks(file: Path) -> list[str]:
    """Return every block of code of a text, continued lines as one."""
    texts = FENCED.findall(file.read_text("utf-8"))
    return [text.partition("\n")[2].removesuffix("```").replace("\\\n", " ") for text in texts]


def code(file: Path) -> str:
    """Return the code spans and the blocks of code of a text, each on lines of its own."""
    return "\n".join([*spans(file), *blocks(file)])


@every_text
def test_every_path_exists(file: Path) -> None:
    words = [*spans(file), *" ".join(blocks(file)).split()]
    for path in filter(PATH.fullmatch, words):
        pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
        assert any(ROOT.glob(pattern)), path
    for name in filter(FILE_NAME.fullmatch, words):
        assert any(ROOT.glob(f"voteweb/**/{name}")), name


@every_text
def test_every_make_target_exists(file: Path) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z][a-z-]*)", code(file))) <= targets


@every_text
def test_every_command_and_option_of_voteweb_exists(file: Path) -> None:
    for words in COMMAND.findall(code(file)):
        command: click.Command = voteweb
        for word in shlex.split(words, comments=True):
            if isinstance(command, click.Group):
                assert word in command.commands, words
                command = command.commands[word]
            elif word.lstrip("[").startswith("--"):
                options = [option for parameter in command.params for option in parameter.opts]
                assert word.strip("[]") in (*options, "--help"), words


@every_text
def test_every_setting_exists(file: Path) -> None:
    known = {env_name(field.name) for field in variables()} | OTHER_VARIABLES
    if file.name == "settings.md":
        known |= ENDED_VARIABLES
    assert set(re.findall(r"VOTEWEB_[A-Z_]+[A-Z]", file.read_text("utf-8"))) <= known


@every_text
def test_every_named_test_exists(file: Path) -> None:
    for path, name in TEST.findall(file.read_text("utf-8")):
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE), name


def test_numbers_of_readme_are_those_of_the_settings() -> None:
    settings, text = Settings(secret_key="x" * 32), " ".join(README.read_text("utf-8").split())
    assert f"score = time of posting + {settings.vote_score:,.0f} s × votes" in text
    assert f"ranked by the same formula at {settings.comment_vote_score:,.0f} s a vote" in text
    assert f"<http://{settings.host}:{settings.port}>" in text
    assert f"`VOTEWEB_PORT={settings.port + 1} make run`" in text
    assert len((ROOT / "voteweb/cli/sample.jsonl").read_text("utf-8").splitlines()) == 60
    assert "adds sixty sample articles" in text


def test_readme_and_operations_can_be_read_in_one_go() -> None:
    lines = {file.name: file.read_text("utf-8").count("\n") for file in (README, ROOT / "docs/operations.md")}
    assert lines["README.md"] <= 150
    assert lines["operations.md"] <= 300


def anchors(file: Path) -> set[str]:
    """Return the anchors of all headings of a text, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", file.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_text
def test_every_internal_link_leads_somewhere(file: Path) -> None:
    for target in LINK.findall(FENCED.sub("", file.read_text("utf-8"))):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (file.parent / path).resolve() if path else file
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target
