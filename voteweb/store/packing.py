"""Pack the acts of the log into the texts that are stored, and unpack them."""

import json
from collections.abc import Mapping

#: The fields of an entry, in the order in which it is stored: a JSON array of strings, without empty ones at its end.
PACKED_FIELDS = (
    "kind", "who", "time", "about", "article", "title", "why", "added", "removed", "undoes", "undone",
    "comment", "articles", "comments", "until",
)  # fmt: skip


def pack(fields: Mapping[str, str]) -> str:
    """Return the text that stores an entry with these fields."""
    values = [fields.get(name, "") for name in PACKED_FIELDS]
    while values and not values[-1]:
        values.pop()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> dict[str, str]:
    """Return the fields that *text* stores, but empty ones; none for the place of an id that no act has."""
    try:
        values = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return {}
    return {name: value for name, value in zip(PACKED_FIELDS, values, strict=False) if value}
