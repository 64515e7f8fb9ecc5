"""Backups with one changed value: each is read and checked without an unexpected error, and what passes is written."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.store.backup.copying import back_up
from voteweb.core.errors import Invalid
from voteweb.store import Store
from voteweb.store.backup import Backup, KeyLine, LineChecks, parse_line
from voteweb.store.backup.restore import line_writes

#: What takes the place of each value, and texts also of each name in an object.
HOSTILE: tuple[Any, ...] = (
    *("", "\n", ":", "-1", "1_0", "nan", "inf", "²", "9" * 5_000, "x" * 300_000, "[" * 9_000, "{}", "null", "a b c"),
    *("http://[", "javascript:0", "\u202e", "<b>"),
    *(None, True, -1, 1.5, 10**400, [], {}, [None]),
)  # fmt: skip
MAX_LENGTH = 2_000


def mutations(value: Any) -> Iterator[Any]:
    """Yield *value* with each of its parts replaced, one at a time, or left out."""
    yield from HOSTILE
    if isinstance(value, dict):
        for name in value:
            others = {other: part for other, part in value.items() if other != name}
            yield others
            yield from (others | {hostile: value[name]} for hostile in HOSTILE[:10])
            yield from (others | {name: part} for part in mutations(value[name]))
    elif isinstance(value, list) and value:
        yield [*value, value[0]]
        yield from ([part, *value[1:]] for part in mutations(value[0]))


def largest(lines: list[KeyLine]) -> list[KeyLine]:
    """Return the line with the most content of each noun."""
    chosen = {line.noun: line for line in sorted(lines, key=lambda line: len(str(line))) if len(str(line)) < MAX_LENGTH}
    return list(chosen.values())


def restore(json: dict[str, Any], *, is_whole: bool) -> bool:
    """Read, check and write a line as a restore does; tell whether it was written."""
    try:
        line = parse_line(json, is_whole=is_whole)
    except Invalid:
        return False
    if list(LineChecks(is_whole=is_whole).faults(line)):
        return False
    list(line_writes(line, "", is_whole=is_whole))
    return True


@pytest.mark.parametrize("is_whole", [False, True])
def test_mutated_lines_are_restored_or_refused(site: Store, is_whole: bool) -> None:
    lines = largest(list(Backup(site.context).all_lines()) if is_whole else back_up(site))
    assert [line for line in lines if not restore(line.as_json(), is_whole=is_whole)] == []
    written = [
        restore(mutation, is_whole=is_whole)
        for line in lines
        for mutation in mutations(line.as_json())
        if isinstance(mutation, dict)
    ]
    assert len(written) > 2_000
    assert sum(written) < len(written) / 4
