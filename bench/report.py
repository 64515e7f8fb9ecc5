"""What a run leaves behind: JSON for machines, a picture for people."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from bench import chart
from bench.tables import Table


def write(about: Mapping[str, str], tables: Sequence[Table], json_file: Path, chart_file: Path) -> None:
    """Write all *tables*, with what they are *about*, as JSON, and the bars of those that have any as SVG."""
    found = {"about": about, "tables": {table.key: table.as_json() for table in tables}}
    json_file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    for table in tables:
        if table.bars:
            chart_file.write_text(chart.draw(f"voteweb, {table.title}", table.bars))


def problems(tables: Sequence[Table], json_file: Path, chart_file: Path) -> list[str]:
    """Return what is wrong with a run: rows that met errors, rows that are missing in what was written."""
    found = [f"{label}: not valid, it met errors" for table in tables for label in table.invalid]
    written = json.loads(json_file.read_text())["tables"]
    for table in tables:
        rows = written.get(table.key, {}).get("rows", [])
        if not table.rows or len(rows) != len(table.rows):
            found.append(f"{json_file} does not hold every row of: {table.title}")
        if table.bars:
            drawn = {each.text for each in ElementTree.parse(chart_file).iter()}
            found += [f"{chart_file} lacks: {bar.label}" for bar in table.bars if bar.label not in drawn]
    return found
