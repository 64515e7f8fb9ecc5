"""Build the tree of a conversation from its thread: who answers whom, what is visible, how siblings stand.

Everything is computed in passes over the numbers, never by recursion: other programs write into Redis too, and a stored
chain can be as long as a thread. A comment answers one written before it, so that its parent has a lower number. Where
that is not so (a missing parent, a cycle, a comment that answers itself), it is treated as a top-level comment: nothing
that somebody wrote is lost, and ``voteweb doctor`` names it.
"""

from dataclasses import dataclass

from voteweb.core.comments import CommentOrder, CommentStatus, Node, Thread
from voteweb.core.ranking import comment_score


@dataclass(frozen=True, slots=True)
class Tree:
    """The comments of a thread by number, and how they stand; the number 0 is the article.

    ``parents`` and ``levels`` (1: top-level) are of every comment. ``covered``: one above was removed together with its
    replies. ``below`` are numbers of visible comments below, where there are any, and ``heights`` their levels.
    ``children`` are those that are shown, in their order: the visible ones, and those with something visible below, for
    which one line stands. ``ranks`` are their positions among all comments in the order.
    """

    nodes: dict[int, Node]
    parents: dict[int, int]
    levels: dict[int, int]
    covered: frozenset[int]
    below: dict[int, int]
    heights: dict[int, int]
    children: dict[int, tuple[int, ...]]
    ranks: dict[int, int]

    def is_visible(self, number: int) -> bool:
        """Tell whether anybody can read the comment."""
        node = self.nodes.get(number)
        return node is not None and node.status is CommentStatus.VISIBLE and number not in self.covered

    def visible_from(self, number: int) -> int:
        """Return how many comments are visible from this one down."""
        return self.below.get(number, 0) + self.is_visible(number)


def build_tree(thread: Thread, order: CommentOrder, comment_vote_score: float) -> Tree:
    """Return the tree of *thread* with siblings in this *order*; it costs milliseconds for thousands of comments."""
    nodes = {number: thread.nodes[number] for number in sorted(thread.nodes) if number > 0}
    parents, levels, covered = climb(nodes)
    below, heights = _count(nodes, parents, covered)
    ranked = _sorted(
        [n for n, node in nodes.items() if n in below or (node.status is CommentStatus.VISIBLE and n not in covered)],
        nodes,
        order,
        comment_vote_score,
    )
    children: dict[int, list[int]] = {}
    for number in ranked:
        children.setdefault(parents[number], []).append(number)
    return Tree(
        nodes=nodes,
        parents=parents,
        levels=levels,
        covered=frozenset(covered),
        below=below,
        heights=heights,
        children={parent: tuple(numbers) for parent, numbers in children.items()},
        ranks={number: rank for rank, number in enumerate(ranked)},
    )


def climb(nodes: dict[int, Node]) -> tuple[dict[int, int], dict[int, int], set[int]]:
    """Return the parents and levels of *nodes*, which are by ascending number, and those that are covered."""
    parents: dict[int, int] = {}
    levels = {0: 0}
    covered: set[int] = set()
    for number, node in nodes.items():
        parent = node.parent if 0 < node.parent < number and node.parent in levels else 0
        parents[number] = parent
        levels[number] = levels[parent] + 1
        if parent and (parent in covered or nodes[parent].removes_replies):
            covered.add(number)
    return parents, levels, covered


def _count(nodes: dict[int, Node], parents: dict[int, int], covered: set[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many comments are visible below each comment and 0, and on how many levels."""
    below: dict[int, int] = {}
    heights: dict[int, int] = {}
    for number in reversed(nodes):
        visible = below.get(number, 0) + (nodes[number].status is CommentStatus.VISIBLE and number not in covered)
        if visible:
            parent = parents[number]
            below[parent] = below.get(parent, 0) + visible
            heights[parent] = max(heights.get(parent, 0), heights.get(number, 0) + 1)
    return below, heights


def _sorted(numbers: list[int], nodes: dict[int, Node], order: CommentOrder, comment_vote_score: float) -> list[int]:
    """Return *numbers* in this *order*; of one score the newer comes first, of one time the higher number."""
    if order is CommentOrder.SCORE:
        return sorted(
            numbers,
            key=lambda n: (comment_score((node := nodes[n]).time, node.votes, comment_vote_score), node.time, n),
            reverse=True,
        )
    return sorted(numbers, key=lambda n: (nodes[n].time, n), reverse=order is CommentOrder.NEW)
