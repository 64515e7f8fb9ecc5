"""Backups with one changed value: each is read and checked without an unexpected error, and what passes is written."""

from collections.abc import Iterator
from typing import Any

from tests.store.backup.copying import back_up
from voteweb.core.config import Settings
from voteweb.core.errors import Invalid
from voteweb.store import Store
from voteweb.store.backup import BackupRecord, References, field_faults, parse_record
from voteweb.store.backup.restore_batch import RestoreBatch
from voteweb.store.keys import Keys

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


def largest(backup: list[BackupRecord]) -> list[dict[str, Any]]:
    """Return the record with the most content of each kind, and of whole keys of each noun."""
    chosen: dict[str, dict[str, Any]] = {}
    for json in sorted((record.as_json() for record in backup), key=lambda json: len(str(json))):
        if len(str(json)) < MAX_LENGTH:
            chosen[json["name"].partition(":")[0] if json["kind"] == "key" else f"a {json['kind']}"] = json
    return list(chosen.values())


def restore(json: dict[str, Any]) -> bool:
    """Read, check and write a record as a restore does; tell whether it was written."""
    try:
        record = parse_record(json)
    except Invalid:
        return False
    references = References()
    references.add(record)
    list(references.faults())
    if list(field_faults(record)):
        return False
    batch = RestoreBatch(Keys(), Settings())
    batch.add(record)
    list(batch.commands())
    return True


def test_mutated_records_are_restored_or_refused(site: Store) -> None:
    records = largest([*back_up(site), *site.backup.key_records()])
    assert all(map(restore, records))
    written = [
        restore(mutation | {"kind": json["kind"]})
        for json in records
        for mutation in mutations(json)
        if isinstance(mutation, dict)
    ]
    assert len(written) > 4_418
    assert sum(written) < len(written) / 4
