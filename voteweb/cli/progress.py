"""Progress bars on standard error, shown only if it is a terminal."""

import os
import sys
from collections.abc import Callable, Generator, Iterable
from typing import IO, TypeVar

import click

T = TypeVar("T")

#: How often a bar is redrawn at most.
_MAX_UPDATES = 200


def track(
    items: Iterable[T], label: str, length: int, steps: Callable[[T], int] = lambda _: 1
) -> Generator[T, None, None]:
    """Yield *items* under a progress bar of *length* steps; *steps* returns how many an item took."""
    with click.progressbar(
        length=length,
        label=label,
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
        update_min_steps=length // _MAX_UPDATES + 1,
    ) as bar:
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
