"""Print the answers of commands, as columns for people or JSON lines, and progress bars on a terminal."""

import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import count, islice
from typing import IO, Any, TypeVar

import click

from voteweb.core.models import Page
from voteweb.core.names import is_visible

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., None])

#: Rows that a list prints, unless it is told to print more or fewer, and the most that it prints.
DEFAULT_LIMIT, MAX_LIMIT = 25, 10_000
#: Characters of a cell; --json has all of it.
MAX_CELL_LENGTH = 60

#: The fields of one thing, in the order in which they are printed.
Fields = dict[str, Any]

json_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON object on each line.")


def list_options(command: Command) -> Command:
    """Give a command that prints a list the options --limit, --skip and --json."""
    limits = click.IntRange(1, MAX_LIMIT)
    command = json_option(command)
    command = click.option("--skip", type=click.IntRange(0, 10**9), default=0, help="Leave out so many rows.")(command)
    return click.option("--limit", type=limits, default=DEFAULT_LIMIT, show_default=True, help="Rows to print.")(
        command
    )


def read_pages(read: Callable[[int], Page[T]], size: int, skip: int, limit: int) -> list[T]:
    """Return *limit* rows after the first *skip* of a list of which *read* returns a page by its number, from 1.

    A page has *size* rows. Says on standard error if there are more rows.
    """

    def rows() -> Iterator[T]:
        for number in count(skip // size + 1):
            page = read(number)
            yield from page.rows
            if not page.more:
                return

    return bounded(rows(), skip, limit, already_skipped=skip - skip % size)


def bounded(rows: Iterable[T], skip: int, limit: int, already_skipped: int = 0) -> list[T]:
    """Return *limit* rows after the first *skip* of a list, of which *rows* lacks the first *already_skipped*.

    Says on standard error if there are more rows.
    """
    found = list(islice(rows, skip - already_skipped, skip - already_skipped + limit + 1))
    if len(found) > limit:
        click.echo(f"There are more: --skip {skip + limit}", err=True)
    return found[:limit]


def pick(thing: object, *names: str) -> Fields:
    """Return the fields of a *thing* with these names."""
    return {name: getattr(thing, name) for name in names}


def print_rows(rows: Sequence[Fields], as_json: bool) -> None:
    """Print a list: the names of the fields above columns, or a JSON object for each row."""
    if as_json:
        for row in rows:
            click.echo(json.dumps(row))
        return
    if rows:
        headings = [name.replace("_", " ").upper() for name in rows[0]]
        print_columns([headings, *([_cell(name, value) for name, value in row.items()] for row in rows)])


def print_columns(lines: Sequence[Sequence[str]]) -> None:
    """Print *lines* of cells, those of each column below one another."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_fields(fields: Fields, as_json: bool) -> None:
    """Print one thing: a line for each field that is not empty, or one JSON object."""
    if as_json:
        click.echo(json.dumps(fields))
        return
    for name, value in fields.items():
        if text := _text(name, value):
            click.echo(f"{name.replace('_', ' ')}: {text}")


def warn(message: object) -> None:
    """Print a warning on standard error."""
    click.echo(f"Warning: {message}", err=True)


def confirm(question: str, is_confirmed: bool) -> None:
    """Ask *question* unless *is_confirmed* by an option; raise Abort unless the answer is yes."""
    if not is_confirmed:
        if not sys.stdin.isatty():
            raise click.UsageError(f"{question} There is no terminal to ask: use --yes.")
        click.confirm(question, abort=True)


yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


def _cell(name: str, value: Any) -> str:
    text = " ".join(_text(name, value).split())
    return text if len(text) <= MAX_CELL_LENGTH else f"{text[: MAX_CELL_LENGTH - 1]}…"


def _text(name: str, value: Any) -> str:
    """Return a value for people: the times, in fields of these names, in UTC."""
    if name in ("time", "since", "until", "edited"):
        return f"{datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M}" if value else ""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    # Characters that control a terminal must not reach it: another program may have written them.
    return "".join(c for c in str(value) if c in "\n\t" or is_visible(c))


#: How often a bar is redrawn at most.
_MAX_UPDATES = 200


def progress_bar(label: str, length: int) -> Any:
    """Return a progress bar of *length* steps, which only a terminal shows."""
    steps = length // _MAX_UPDATES + 1
    hidden = not sys.stderr.isatty()
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=hidden, update_min_steps=steps)


def track(
    items: Iterable[T], label: str, length: int, steps: Callable[[T], int] = lambda _: 1
) -> Generator[T, None, None]:
    """Yield *items* under a progress bar of *length* steps; *steps* returns how many an item took."""
    with progress_bar(label, length) as bar:
        for item in items:
            yield item
            bar.update(steps(item))


def track_file(items: Iterable[T], label: str, stream: IO[bytes]) -> Generator[T, None, None]:
    """Yield *items*, which are read from the file *stream*, under a progress bar of the bytes read."""
    position = 0

    def bytes_read(_: T) -> int:
        nonlocal position
        position, before = stream.tell(), position
        return position - before

    return track(items, label, os.fstat(stream.fileno()).st_size, bytes_read)
