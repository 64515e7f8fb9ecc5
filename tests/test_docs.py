"""The tables in docs/ agree with the code: keys, fields, settings, rate limits and constants."""

import importlib.util
import re
from pathlib import Path

import pytest

from voteweb.core import config

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("tables", ROOT / ".ci/tables.py")
assert _spec is not None
assert _spec.loader is not None
tables = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tables)

#: A row of the table of constants.
CONSTANT = re.compile(r"^\| `([A-Z_]+)` \| ([0-9.,]+) \| [^|]+ \|$", re.MULTILINE)


@pytest.mark.parametrize("file", sorted(tables.DOCS.glob("*.md")), ids=lambda file: file.name)
def test_tables_are_those_of_the_code(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text == tables.with_tables(text), "run make tables"


def test_every_table_stands_in_a_document() -> None:
    texts = [file.read_text("utf-8") for file in tables.DOCS.glob("*.md")]
    assert sorted(match["name"] for text in texts for match in tables.TABLE.finditer(text)) == sorted(tables.tables())


def test_constants_have_the_value_that_the_table_gives() -> None:
    rows = CONSTANT.findall((tables.DOCS / "settings.md").read_text("utf-8"))
    assert rows
    assert rows == [(name, f"{getattr(config, name):,}") for name, _ in rows]
