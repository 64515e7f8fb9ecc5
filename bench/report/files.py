"""The files that a run writes: all tables as JSON, the ratios as a chart."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from bench.report.bar_chart import render_chart
from bench.report.tables import Table


def write_files(facts: Mapping[str, str], tables: Sequence[Table], json_file: Path, chart_file: Path) -> None:
    """Write *facts* and all *tables* as JSON, and the bars of the table that has any as SVG."""
    report = {"about": facts, "tables": {table.key: table.as_json() for table in tables}}
    json_file.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    for table in tables:
        if table.bars:
            chart_file.write_text(render_chart(f"voteweb, {table.title}", table.bars))


def find_problems(tables: Sequence[Table], json_file: Path, chart_file: Path) -> list[str]:
    """Return what is wrong with a run: rows with errors, and rows that are missing in the files."""
    problems = [f"{label}: not valid, it met errors" for table in tables for label in table.invalid]
    written_tables = json.loads(json_file.read_text())["tables"]
    for table in tables:
        rows = written_tables.get(table.key, {}).get("rows", [])
        if not table.rows or len(rows) != len(table.rows):
            problems.append(f"{json_file} does not hold every row of: {table.title}")
        if table.bars:
            texts = {element.text for element in ElementTree.parse(chart_file).iter()}
            problems += [f"{chart_file} lacks: {bar.label}" for bar in table.bars if bar.label not in texts]
    return problems
