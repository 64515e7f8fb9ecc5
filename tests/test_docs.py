"""The tables in docs/ agree with the code: keys, settings, rate limits and constants."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from voteweb.core import config
from voteweb.core.config import Settings, env_name
from voteweb.core.models import Order
from voteweb.core.rate_limits import DAY, HOUR, LIMITS, LimitScope
from voteweb.store.keys import Keys
from voteweb.store.nouns import NOUNS

ROOT = Path(__file__).parent.parent

KEY_HEADER = ("key", "type", "meaning", "lifetime", "in a backup")
SETTING_HEADER = ("setting", "default", "unit", "description")
LIMIT_HEADER = ("action", "counted", "at once", "in the long run")
CONSTANT_HEADER = ("constant", "value", "unit")
#: What stands for an argument of a key in the table, by its name, if not the name itself: ``<id>``. Several make rows.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "order": (Order.TIME.value, Order.SCORE.value),
    "names": (("<a>", "<b>"),),
    "member": ("<member id>",),
    "who": ("<moderator>",),
}
#: "A type: meaning; lifetime."
DOCSTRING = re.compile(r"An? (?P<type>[a-z ]+): (?P<meaning>.+); (?P<lifetime>[^;]+)\.", re.DOTALL)


def key_functions() -> Iterator[Callable[..., str]]:
    """Yield each function of Keys that spells a key."""
    for name, function in vars(Keys).items():
        is_public = inspect.isfunction(function) and not name.startswith("_")
        if is_public and inspect.signature(function).return_annotation is str:
            yield function


def key_rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of keys."""
    for function in key_functions():
        match = DOCSTRING.fullmatch(inspect.getdoc(function) or "")
        assert match, f"the docstring of Keys.{function.__name__} is not 'A type: meaning; lifetime.'"
        _, *names = inspect.signature(function).parameters
        for values in product(*(ARGUMENTS.get(name, (f"<{name}>",)) for name in names)):
            key = function(Keys(), *values)
            noun, _ = Keys().split(key)
            yield f"`{key}`", *match.groups(), NOUNS[noun].part


def setting_rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of settings; a setting without a fixed default shows a dash."""
    for field in fields(Settings):
        has_default = field.default or not isinstance(field.default, str | float)
        default = f"`{field.default}`" if has_default else "–"
        yield f"`{env_name(field.name)}`", default, field.metadata["unit"], field.metadata["description"]


def limit_rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of rate limits."""
    counted = {
        LimitScope.MEMBER: "per member",
        LimitScope.NEWCOMER: "per new member",
        LimitScope.ADDRESS: "per address",
        LimitScope.NETWORK: "per network",
        LimitScope.WIDE_NETWORK: "per wide network",
        LimitScope.NAME: "per name",
    }
    spans = {HOUR: "an hour", DAY: "a day"}
    for limit in sorted(LIMITS, key=lambda limit: list(LimitScope).index(limit.scope)):
        yield limit.acts, counted[limit.scope], str(limit.burst), f"{limit.times:,} {spans[limit.seconds]}"


def table(header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """Return the Markdown of a table."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def table_lines(file: str, header: tuple[str, ...]) -> list[str]:
    """Return the lines of the one table with this *header* in a *file* of docs/."""
    _, *tables = (ROOT / "docs" / file).read_text("utf-8").split(f"| {' | '.join(header)} |\n")
    assert len(tables) == 1, f"docs/{file} needs one table {header}"
    lines = tables[0].splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return lines[:end]


@pytest.mark.parametrize(
    ("file", "header", "rows"),
    [
        ("data.md", KEY_HEADER, key_rows),
        ("settings.md", SETTING_HEADER, setting_rows),
        ("settings.md", LIMIT_HEADER, limit_rows),
    ],
    ids=["keys", "settings", "rate limits"],
)
def test_tables_are_those_of_the_code(
    file: str, header: tuple[str, ...], rows: Callable[[], Iterator[tuple[str, ...]]]
) -> None:
    wanted = table(header, rows())
    assert table_lines(file, header) == wanted.splitlines()[1:], f"the table in docs/{file} should be:\n{wanted}"


def test_constants_have_the_value_that_the_table_gives() -> None:
    _, *lines = table_lines("settings.md", CONSTANT_HEADER)
    assert lines
    for line in lines:
        name, value, _ = (cell.strip() for cell in line.strip("|").split("|"))
        assert value == f"{getattr(config, name.strip('`')):,}", name


def test_every_key_is_a_noun_and_an_id() -> None:
    spelled = [key for key, *_ in key_rows()]
    assert all(re.fullmatch(r"`[a-z-]+:[^`]*`", key) for key in spelled)
    assert len(spelled) == len(set(spelled))
