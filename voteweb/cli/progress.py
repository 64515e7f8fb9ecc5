"""Progress bars on standard error, shown only if it is a terminal."""

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
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


@contextmanager
def track_share(label: str) -> Iterator[Callable[[float], None]]:
    """Show a progress bar from the first call of the function that this yields, with the share that is done."""
    with ExitStack() as stack:
        bar = None

        def show(share: float) -> None:
            nonlocal bar
            if bar is None:
                bar = stack.enter_context(
                    click.progressbar(length=100, label=label, file=sys.stderr, hidden=not sys.stderr.isatty())
                )
            bar.update(int(100 * share) - bar.pos)

        yield show
