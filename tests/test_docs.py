"""The tables in docs/ agree with the code: keys, fields, settings and rate limits."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("tables", ROOT / ".ci/tables.py")
assert _spec is not None
assert _spec.loader is not None
tables = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tables)


def test_tables_are_those_of_the_code() -> None:
    texts = [file.read_text("utf-8") for file in tables.DOCS.glob("*.md")]
    assert texts == [tables.with_tables(text) for text in texts], "run make tables"
    assert sorted(match["name"] for text in texts for match in tables.TABLE.finditer(text)) == sorted(tables.tables())
