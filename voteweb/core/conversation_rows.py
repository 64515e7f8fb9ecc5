"""Choose the comments of one page of a conversation, and flatten them into rows for a template with a single loop."""

import heapq
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import NamedTuple

from voteweb.core.comment_tree import Tree
from voteweb.core.comments import Node
from voteweb.core.config import LEVELS_ON_PAGE


class ListEnd(NamedTuple):
    """The end of a list of replies: of comment ``number``, which has ``more`` visible replies that are not shown."""

    number: int
    more: int


@dataclass(frozen=True, slots=True)
class Row:
    """A comment on a page.

    ``node.status`` is not VISIBLE where one line stands for a comment with something visible below. ``level`` is that
    on this page, from 1. ``replies`` are the visible comments below it, anywhere; ``more`` those of them that belong to
    the gap below it, 0 without a gap: they are on the page of this comment, even where it is deleted itself.
    ``opens``: the next row is the first of its list of replies. ``ends`` are the lists of replies that end after it,
    innermost first, without the outermost one. ``answers`` is the author of its parent, "" for none or one that nobody
    can read.
    """

    node: Node
    level: int
    replies: int
    more: int = 0
    opens: bool = False
    ends: tuple[ListEnd, ...] = ()
    is_covered: bool = False
    answers: str = ""

    @property
    def closes(self) -> int:
        """The number of lists that end after it."""
        return len(self.ends)


def with_all_below(tree: Tree, tops: tuple[int, ...]) -> set[int]:
    """Return *tops* and everything below them that has a row."""
    found = list(tops)
    for number in found:  # grows meanwhile
        found += tree.children.get(number, ())
    return set(found)


def choose(tree: Tree, tops: tuple[int, ...], size: int) -> set[int]:
    """Return *tops* and the replies that are shown with them, *size* in all: the first of those whose parent is shown.

    The queue holds one reply of each list, the first that is not shown: the others can only come after it.
    """
    children, ranks = tree.children, tree.ranks
    shown = set(tops)
    # rank, level, parent, index in its list
    queue = [(ranks[children[parent][0]], 2, parent, 0) for parent in tops if parent in children]
    heapq.heapify(queue)
    while queue and len(shown) < size:
        _, level, parent, index = heapq.heappop(queue)
        number = children[parent][index]
        shown.add(number)
        if index + 1 < len(children[parent]):
            heapq.heappush(queue, (ranks[children[parent][index + 1]], level, parent, index + 1))
        if level < LEVELS_ON_PAGE and number in children:
            heapq.heappush(queue, (ranks[children[number][0]], level + 1, number, 0))
    return shown


def build_rows(tree: Tree, tops: tuple[int, ...], shown: set[int]) -> tuple[Row, ...]:
    """Return the rows of *shown* comments, from *tops* down, each followed by its replies."""
    order: list[tuple[int, int]] = []  # number, level
    more: dict[int, int] = {}
    opened: set[int] = set()
    stack = [(number, 1) for number in reversed(tops)]
    while stack:
        number, level = entry = stack.pop()
        order.append(entry)
        replies = tuple(takewhile(shown.__contains__, tree.children.get(number, ())))
        more[number] = tree.below.get(number, 0) - sum(map(tree.visible_from, replies))
        if replies:
            opened.add(number)
            stack += [(reply, level + 1) for reply in reversed(replies)]
    rows = []
    for (number, level), (_, next_level) in pairwise([*order, (0, 1)]):
        ends, above = [], number
        for _ in range(level - next_level):
            above = tree.parents[above]
            ends.append(ListEnd(above, more[above]))
        rows.append(build_row(tree, number, level, more[number], number in opened, tuple(ends)))
    return tuple(rows)


def build_row(
    tree: Tree,
    number: int,
    level: int,
    more: int = 0,
    opens: bool = False,
    ends: tuple[ListEnd, ...] = (),
) -> Row:
    parent = tree.parents[number]
    return Row(
        node=tree.nodes[number],
        level=level,
        replies=tree.below.get(number, 0),
        more=more,
        opens=opens,
        ends=ends,
        is_covered=number in tree.covered,
        answers=tree.nodes[parent].author if tree.is_visible(parent) else "",
    )
