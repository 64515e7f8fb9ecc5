"""Write the tables of docs/ that are made from the code. `make tables` runs this."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from voteweb.core.rate_limits import DAY, HOUR, LIMITS, LimitScope
from voteweb.core.settings import env_name, variables
from voteweb.store.schema.fields import (
    COMMENT_FIELDS,
    GROUP_FIELDS,
    INVITATION_FIELDS,
    LOG_FIELDS,
    MEMBER_FIELDS,
    OWN_ARTICLE_FIELDS,
    THREAD_FIELDS,
    Field,
)
from voteweb.store.schema.keys import FORMS

DOCS = Path(__file__).parent.parent / "docs"
#: A table stands below a comment with its name.
TABLE = re.compile(r"(?<=^<!-- table: )(?P<name>[a-z ]+) -->\n(?:\n\|.*(?:\n\|.*)*\n)?", re.MULTILINE)
TYPES = {"zset": "sorted set"}
COUNTED = {
    LimitScope.MEMBER: "per member",
    LimitScope.NEWCOMER: "per new member",
    LimitScope.ADDRESS: "per address",
    LimitScope.NETWORK: "per network",
    LimitScope.WIDE_NETWORK: "per wide network",
    LimitScope.NAME: "per name",
}
SPANS = {HOUR: "an hour", DAY: "a day"}

Rows = Iterator[tuple[str, ...]]


def key_rows() -> Rows:
    yield "key", "type", "meaning", "expires", "in a backup"
    for form in FORMS:
        holds = form.holds
        yield f"`{form.text}`", TYPES.get(holds.type, holds.type), form.meaning, form.expiry, holds.part


def field_rows(table: Mapping[str, Field]) -> Rows:
    yield "field", "meaning", "ends with"
    for name, field in table.items():
        yield f"`{name}`", field.meaning, field.ends or ""


def setting_rows() -> Rows:
    """Yield the rows of the table of settings; a setting without a fixed default shows a dash."""
    yield "setting", "default", "unit", "description"
    for field in variables():
        has_default = field.default or not isinstance(field.default, str | float)
        default = f"`{field.default}`" if has_default else "–"
        yield f"`{env_name(field.name)}`", default, field.metadata["unit"], field.metadata["description"]


def limit_rows() -> Rows:
    yield "action", "counted", "at once", "in the long run"
    for limit in sorted(LIMITS, key=lambda limit: list(LimitScope).index(limit.scope)):
        yield limit.acts, COUNTED[limit.scope], str(limit.burst), f"{limit.times:,} {SPANS[limit.seconds]}"


def tables() -> dict[str, Rows]:
    """Return the rows of each table, the first of which is its header, by its name."""
    return {
        "keys": key_rows(),
        "fields of articles": field_rows(OWN_ARTICLE_FIELDS),
        "fields of members": field_rows(MEMBER_FIELDS),
        "fields of conversations": field_rows(THREAD_FIELDS),
        "fields of comments": field_rows(COMMENT_FIELDS),
        "fields of groups": field_rows(GROUP_FIELDS),
        "fields of log entries": field_rows(LOG_FIELDS),
        "fields of invitations": field_rows(INVITATION_FIELDS),
        "settings": setting_rows(),
        "rate limits": limit_rows(),
    }


def markdown(rows: Rows) -> str:
    header = next(rows)
    lines = [header, ("---",) * len(header), *rows]
    cells = ([cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def with_tables(text: str) -> str:
    """Return the *text* of a file of docs/ with its tables as they should be."""
    made = tables()
    return TABLE.sub(lambda match: f"{match['name']} -->\n\n{markdown(made[match['name']])}", text)


def main() -> None:
    for file in DOCS.glob("*.md"):
        file.write_text(with_tables(file.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
