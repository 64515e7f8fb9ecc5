"""Lay out conversations on pages: which comments a page shows, and how many more replies each gap holds.

Up to *size* visible comments on up to LEVELS_ON_PAGE levels are all on one page. Otherwise a page has TOP_LEVEL_ON_PAGE
comments of the first level, and replies up to *size* rows: the first in the order of the conversation among those whose
parent is shown, at most LEVELS_ON_PAGE levels deep. What a gap holds is on the page of the comment that is answered,
where the same rule begins anew with its replies: every comment can be reached, however large and deep the conversation.
"""

from dataclasses import dataclass
from typing import NamedTuple

from voteweb.core.comment_tree import Tree, build_tree
from voteweb.core.comments import CommentOrder, Node, Thread
from voteweb.core.config import LEVELS_ON_PAGE, TOP_LEVEL_ON_PAGE
from voteweb.core.conversation_rows import Row, build_row, build_rows, choose, with_all_below
from voteweb.core.ranking import comment_score


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Page ``number`` of ``pages``. ``total`` visible comments are on all of them, with gaps; ``elsewhere`` on others.

    The visible rows, all ``more`` and ``elsewhere`` make up ``total``.
    """

    rows: tuple[Row, ...]
    number: int
    pages: int
    total: int
    elsewhere: int = 0


#: Pages that a conversation keeps, at up to 20 kilobytes each.
PAGES_KEPT = 4


class Place(NamedTuple):
    """The page on which a comment is shown: ``page`` of the article (``root`` is 0) or of the comment ``root``."""

    root: int
    page: int


class CommentScore(NamedTuple):
    """The parts of a comment's score: ``bonus`` is votes × seconds; times are unix times.

    ``equivalent_time`` is the score: the time of a new comment without votes that would stand at this place.
    """

    number: int
    author: str
    votes: int
    bonus: float
    time: float
    equivalent_time: float


class CommentExplanation(NamedTuple):
    """Why a comment stands where it does: its score, and those of its visible neighbours among its siblings."""

    own: CommentScore
    before: CommentScore | None
    after: CommentScore | None


class Conversation:
    """The comments of a thread in one order; built once for each revision of it, then only read."""

    def __init__(self, thread: Thread, order: CommentOrder, comment_vote_score: float) -> None:
        self._tree: Tree = build_tree(thread, order, comment_vote_score)
        self._vote_score = comment_vote_score
        self._pages: dict[tuple[int, int, int], ConversationPage] = {}

    @property
    def visible(self) -> int:
        """The number of comments that anybody can read."""
        return self._tree.below.get(0, 0)

    def page(self, number: int, size: int) -> ConversationPage:
        """Return page *number* of the whole conversation; beyond the last one, that is the last."""
        return self.below(0, number, size)

    def below(self, root: int, number: int, size: int) -> ConversationPage:
        """Return page *number* of the replies to comment *root*, without itself: the same object for the same page."""
        page = self._pages.get((root, number, size))
        if page is None:
            page = self._build_page(root, number, size)
            if len(self._pages) >= PAGES_KEPT:
                self._pages.pop(next(iter(self._pages)), None)
            page = self._pages.setdefault((root, page.number, size), page)
        return page

    def _build_page(self, root: int, number: int, size: int) -> ConversationPage:
        tops = self._tree.children.get(root, ())
        total = self._tree.below.get(root, 0)
        if self._fits(root, size):
            return ConversationPage(build_rows(self._tree, tops, with_all_below(self._tree, tops)), 1, 1, total)
        step = _step(size)
        pages = -(-len(tops) // step)
        number = min(max(number, 1), pages)
        tops = tops[(number - 1) * step : number * step]
        here = sum(map(self._tree.visible_from, tops))
        return ConversationPage(
            build_rows(self._tree, tops, choose(self._tree, tops, size)), number, pages, total, total - here
        )

    def place(self, number: int, size: int) -> Place:
        """Return where the comment is shown; if it is nowhere, that is the place of the next one above that is."""
        path = [n for n in self._path(number) if n in self._tree.ranks]
        place = Place(0, 1)
        while path:
            root = place.root
            siblings = self._tree.children[root]
            fits = self._fits(root, size)
            page = 1 if fits else siblings.index(path[0]) // _step(size) + 1
            place = Place(root, page)
            if fits:
                return place
            tops = siblings[(page - 1) * _step(size) : page * _step(size)]
            shown = choose(self._tree, tops, size)
            hidden = next((i for i, n in enumerate(path) if n not in shown), None)
            if hidden is None:
                return place
            place = Place(path[hidden - 1], 1)
            path = path[hidden:]
        return place

    def ancestors(self, number: int) -> tuple[Node, ...]:
        """Return the comments above this one, the top-level one first."""
        return tuple(self._tree.nodes[n] for n in self._path(number)[:-1])

    def row(self, number: int) -> Row | None:
        """Return the comment as it stands alone or as an ancestor, None if there is none."""
        return build_row(self._tree, number, 0) if number in self._tree.nodes else None

    def is_covered(self, number: int) -> bool:
        """Tell whether a comment above was removed together with its replies."""
        return number in self._tree.covered

    def is_shown(self, number: int) -> bool:
        """Tell whether the comment has a row: it or something below it is visible."""
        return number in self._tree.ranks

    def is_visible(self, number: int) -> bool:
        """Tell whether anybody can read the comment."""
        return self._tree.is_visible(number)

    def level(self, number: int) -> int:
        """Return the level of the comment in the whole conversation, 1 for a top-level one, 0 if there is none."""
        return self._tree.levels.get(number, 0)

    def explain(self, number: int) -> CommentExplanation | None:
        """Explain the place of a comment that has a row; None for others."""
        if number not in self._tree.ranks:
            return None
        siblings = self._tree.children[self._tree.parents[number]]
        at = siblings.index(number)
        before = next(filter(self._tree.is_visible, reversed(siblings[:at])), None)
        after = next(filter(self._tree.is_visible, siblings[at + 1 :]), None)
        return CommentExplanation(
            self._score(number),
            None if before is None else self._score(before),
            None if after is None else self._score(after),
        )

    def _score(self, number: int) -> CommentScore:
        node = self._tree.nodes[number]
        equivalent_time = comment_score(node.time, node.votes, self._vote_score)
        return CommentScore(number, node.author, node.votes, self._vote_score * node.votes, node.time, equivalent_time)

    def _path(self, number: int) -> list[int]:
        """Return the numbers from the top-level comment down to this one; none if there is no such comment."""
        path = []
        while number in self._tree.nodes:
            path.append(number)
            number = self._tree.parents[number]
        return path[::-1]

    def _fits(self, root: int, size: int) -> bool:
        """Tell whether everything below *root* is on one page."""
        return self._tree.below.get(root, 0) <= size and self._tree.heights.get(root, 0) <= LEVELS_ON_PAGE


def _step(size: int) -> int:
    """Return how many comments of the first level are on a page of *size*."""
    return min(TOP_LEVEL_ON_PAGE, max(size, 1))
