"""README's tables of keys and settings say what the code says.

A test that fails prints the table as it should stand.
"""

import inspect
import re
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

from voteweb.core.config import Settings, env_name
from voteweb.core.models import Order
from voteweb.core.rate_limits import DAY, HOUR, LIMITS, By
from voteweb.store import keys

README = Path(__file__).parent.parent / "README.md"
KEY_HEADER = ("key", "type", "what", "lifetime")
SETTING_HEADER = ("setting", "default", "unit", "why")
LIMIT_HEADER = ("what", "whose", "at once", "in the long run")
#: What stands for an argument of a key in the table, by the argument's name; several values make several rows.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "id": ("<id>",),
    "name": ("<name>",),
    "order": (Order.TIME.value, Order.SCORE.value),
    "names": (("<a>", "<b>"),),
    "member": ("<member id>",),
    "token": ("<token>",),
    "digest": ("<digest>",),
    "who": ("<moderator>",),
    "kind": ("<kind>",),
}
#: "A type: meaning; lifetime."
DOCSTRING = re.compile(r"An? (?P<type>[a-z ]+): (?P<what>.+); (?P<lifetime>[^;]+)\.", re.DOTALL)


def key_rows() -> list[tuple[str, ...]]:
    """Return the rows of the table of keys, from the functions of keys.py that return one."""
    rows = []
    for function in vars(keys).values():
        if inspect.isfunction(function) and inspect.signature(function).return_annotation is str:
            said = DOCSTRING.fullmatch(inspect.getdoc(function) or "")
            assert said, f"keys.{function.__name__} does not say type, meaning and lifetime"
            rest = tuple(said.groups())
            names = list(inspect.signature(function).parameters)
            for values in product(*(ARGUMENTS[name] for name in names)):
                rows.append((f"`{function(*values)}`", *rest))
    return rows


def setting_rows() -> list[tuple[str, ...]]:
    """Return the rows of the table of settings; a setting without a default of its own shows a dash."""
    return [
        (
            f"`{env_name(each.name)}`",
            f"`{each.default}`" if each.default else _zero(each.default),
            *_said(each.metadata),
        )
        for each in fields(Settings)
    ]


def limit_rows() -> list[tuple[str, ...]]:
    """Return the rows of the table of abuse limits."""
    of = {By.MEMBER: "a member's", By.ADDRESS: "from an address", By.NAME: "under a name"}
    spans = {HOUR: "an hour", DAY: "a day"}
    return [
        (each.acts, of[each.by], str(each.burst), f"{each.times:,} {spans[each.seconds]}")
        for each in sorted(LIMITS, key=lambda each: list(By).index(each.by))
    ]


def _zero(default: object) -> str:
    return "–" if default == "" or isinstance(default, float) else f"`{default}`"


def _said(metadata: Any) -> tuple[str, str]:
    return metadata["unit"], metadata["why"]


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return the Markdown of a table."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def assert_in_readme(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Fail, and print the table, unless README holds exactly this table."""
    wanted = table(header, rows)
    found = README.read_text("utf-8").split(wanted.partition("\n")[0] + "\n")
    assert len(found) == 2, f"README needs this table once:\n{wanted}"
    lines = found[1].splitlines()
    end = next((at for at, line in enumerate(lines) if not line.startswith("|")), len(lines))
    assert lines[:end] == wanted.splitlines()[1:], f"README's table should be:\n{wanted}"


def test_readme_lists_every_key_with_type_meaning_and_lifetime() -> None:
    assert_in_readme(KEY_HEADER, key_rows())


def test_readme_lists_every_setting_with_default_unit_and_reason() -> None:
    assert_in_readme(SETTING_HEADER, setting_rows())


def test_readme_lists_every_limit() -> None:
    assert_in_readme(LIMIT_HEADER, limit_rows())


def test_every_key_is_a_noun_and_an_id() -> None:
    for key, *_ in key_rows():
        assert re.fullmatch(r"`[a-z-]+:[^`]*`", key)
    spelled = [key for key, *_ in key_rows()]
    assert len(spelled) == len(set(spelled))


def test_every_path_that_readme_names_is_there() -> None:
    text = README.read_text("utf-8")
    for path in re.findall(r"`((?:voteweb|templates|static|tests|bench|deploy)/[\w./-]+)`", text):
        assert (README.parent / path).exists(), path
