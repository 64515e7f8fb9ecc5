"""Frames: pages rendered once for all members, cut where the parts go that are the viewer's own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from voteweb.web.i18n.locale import Language

#: HTML, and between every two pieces of it the name of a missing part.
Pieces = tuple[bytes | str, ...]
#: The HTML of such a part, in pieces that have not been joined.
Part = Sequence[bytes | memoryview]


class Content(Protocol):
    """The part of a page that is kept to fill in others; it takes ``size`` bytes."""

    @property
    def size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Frame:
    """A page of which some parts are missing.

    ``asked`` is when its data were asked for, in seconds of the monotonic clock. ``pieces`` are its HTML, and between
    every two of them the name of a missing part. ``inputs`` are the values that the pieces were rendered of, and
    ``content`` is what the page keeps for the parts that it fills in. ``shown`` is the entry with which members hide
    what it lists, "" for none, and ``route`` its endpoint. ``read`` queues what the page reads once more, None if only
    a view can do that.
    """

    asked: float
    inputs: Any
    pieces: Pieces
    content: Any
    language: Language
    shown: str
    route: str
    read: Callable[..., Any] | None = None


def fill(pieces: Pieces, parts: Mapping[str, Part]) -> bytes:
    """Return the page of *pieces* with its missing *parts* by name."""
    html: list[bytes | memoryview] = []
    for piece in pieces:
        if isinstance(piece, str):
            html += parts[piece]
        else:
            html.append(piece)
    return b"".join(html)


def part_mark(mark: str, name: str) -> str:
    """Return what stands for the part *name* in a page that is to be cut at *mark*."""
    return f"{mark}{name};"


def cut(page: str, mark: str) -> Pieces:
    """Return the pieces of *page* as a frame has them; *mark* must be random, so that nobody can post it."""
    first, *others = page.split(mark)
    pieces: list[bytes | str] = [first.encode()]
    for other in others:
        name, end, html = other.partition(";")
        if not end or not name.isidentifier():
            raise ValueError("Something of the viewer stands in a page for all members.")
        pieces += [name, html.encode()]
    return tuple(pieces)
