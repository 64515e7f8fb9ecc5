"""Lay out conversations: the tree of a thread, which comments a page shows, and how many more replies each gap holds.

The tree is computed in passes over the numbers, never by recursion: a stored chain can be as long as a thread. A
comment answers one written before it, so that its parent has a lower number. Where that is not so (a missing parent, a
cycle, a comment that answers itself), it is treated as a top-level comment: nothing that somebody wrote is lost, and
``voteweb doctor`` names it.

Up to COMMENTS_ON_PAGE visible comments are on one page. Of more, a page has TOP_LEVEL_ON_PAGE comments of the first
level, and replies up to COMMENTS_ON_PAGE rows: the first in the order of the conversation among those whose parent is
shown. Either page is at most LEVELS_ON_PAGE levels deep. What a gap holds is on the page of the comment that is
answered, where the same rule begins anew with its replies: every comment can be reached, however large and deep the
conversation. note_visit.lua knows which comments are shown of a conversation on one page.
"""

import heapq
from collections import defaultdict
from itertools import pairwise, takewhile
from math import inf
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import CommentOrder, CommentStatus, Node, Thread
from voteweb.core.ranking import comment_score, comment_votes


def climb(nodes: dict[int, Node]) -> tuple[dict[int, int], dict[int, int], set[int]]:
    """Return the parents and levels of *nodes*, which are by ascending number, and those that are covered."""
    parents: dict[int, int] = {}
    levels = {0: 0}
    covered: set[int] = set()
    for number, node in nodes.items():
        parent = node.parent if node.parent in levels else 0  # those before it are in it, and 0
        parents[number] = parent
        levels[number] = levels[parent] + 1
        if parent and (parent in covered or nodes[parent].removes_replies):
            covered.add(number)
    return parents, levels, covered


def _count(nodes: dict[int, Node], parents: dict[int, int], covered: set[int]) -> dict[int, int]:
    """Return how many comments are visible below each comment and 0."""
    below: dict[int, int] = {}
    for number in reversed(nodes):
        visible = below.get(number, 0) + (nodes[number].status is CommentStatus.VISIBLE and number not in covered)
        if visible:
            below[parents[number]] = below.get(parents[number], 0) + visible
    return below


def _sorted(numbers: list[int], nodes: dict[int, Node], order: CommentOrder, worth: float, now: float) -> list[int]:
    """Return *numbers* in this *order*; of one score the newer comes first, of one time the higher number."""
    if order is CommentOrder.SCORE:
        return sorted(
            numbers,
            key=lambda n: (comment_score((node := nodes[n]).time, node.votes, worth, now), node.time, n),
            reverse=True,
        )
    return sorted(numbers, key=lambda n: (nodes[n].time, n), reverse=order is CommentOrder.NEW)


class ListEnd(NamedTuple):
    """The end of a shortened list of replies: comment ``number`` has ``more`` visible replies that are not shown."""

    number: int
    more: int


class Row(NamedTuple):
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


class ConversationPage(NamedTuple):
    """Page ``number`` of ``pages``. ``total`` visible comments are on all of them, with gaps; ``elsewhere`` on others.

    The visible rows, all ``more`` and ``elsewhere`` make up ``total``. ``skipped`` ones of the first level are newer
    than the first page, and count as ``elsewhere``.
    """

    rows: tuple[Row, ...]
    number: int
    pages: int
    total: int
    elsewhere: int = 0
    skipped: int = 0


#: Pages that a conversation keeps, at up to 20 kilobytes each.
PAGES_KEPT = 4


class Place(NamedTuple):
    """The page on which a comment is shown: ``page`` of the article (``root`` is 0) or of the comment ``root``."""

    root: int
    page: int


class CommentScore(NamedTuple):
    """A comment, the votes that it stands with, and its score: the unix time at which one without votes would do so."""

    node: Node
    votes: int
    equivalent_time: float


class CommentExplanation(NamedTuple):
    """Why a comment stands where it does: its score, and those of its visible neighbours among its siblings."""

    own: CommentScore
    before: CommentScore | None
    after: CommentScore | None


class Conversation:
    """The comments of a thread in one order; built once for each revision of it, then only read.

    Parents and levels (1: top-level) are by number, and the number 0 is the article. Covered are those of which one
    above was removed together with its replies. ``_below`` has the numbers of visible comments below, where there are
    any. ``_children`` are those that are shown, in their order: the visible ones, and those with something visible
    below, for which one line stands. ``_ranks`` are their positions among all comments in the order. It is
    another one from the unix time ``until`` on, when a comment is no longer new.
    """

    def __init__(self, thread: Thread, order: CommentOrder, comment_vote_score: float, now: float) -> None:
        """Lay out *thread* with siblings in this *order*, which costs milliseconds for thousands of comments."""
        self._vote_score, self._now = comment_vote_score, now
        self._pages: BoundedCache[tuple[int, int, int], ConversationPage] = BoundedCache(PAGES_KEPT)
        self._nodes = nodes = {number: thread.nodes[number] for number in sorted(thread.nodes) if number > 0}
        self._parents, self._levels, self._covered = climb(nodes)
        self._below = _count(nodes, self._parents, self._covered)
        below, covered = self._below, self._covered
        shown = [
            n for n, node in nodes.items() if n in below or (node.status is CommentStatus.VISIBLE and n not in covered)
        ]
        ranked = _sorted(shown, nodes, order, comment_vote_score, now)
        children: defaultdict[int, list[int]] = defaultdict(list)
        for number in ranked:
            children[self._parents[number]].append(number)
        self._children = {parent: tuple(numbers) for parent, numbers in children.items()}
        self._ranks = {number: rank for rank, number in enumerate(ranked)}
        begin, least = now - config.NEW_COMMENT_SECONDS, config.NEW_COMMENT_VOTES
        lifted = (node.time for node in nodes.values() if node.time > begin and node.votes < least)
        self.until = min(lifted, default=inf) + config.NEW_COMMENT_SECONDS

    @property
    def visible(self) -> int:
        """The number of comments that anybody can read."""
        return self._below.get(0, 0)

    @property
    def ranked(self) -> tuple[int, ...]:
        """The numbers of all comments that have a row, in the order of the conversation, whatever they answer."""
        return tuple(self._ranks)

    def below(self, root: int, number: int, newest: float = inf) -> ConversationPage:
        """Return page *number* of the replies to comment *root*, without itself: the same object for the same page.

        If the newest come first, those of the first level that are newer than the unix time *newest* are on no page.
        """
        children, total = self._children.get(root, ()), self._below.get(root, 0)
        newer = takewhile(lambda number: self._nodes[number].time > newest, children)
        skipped = sum(1 for _ in newer) if total > config.COMMENTS_ON_PAGE else 0
        key = root, number, skipped
        return self._pages.get(key) or self._pages.put(key, self._build_page(root, number, skipped))

    def _build_page(self, root: int, number: int, skipped: int) -> ConversationPage:
        total = self._below.get(root, 0)
        pages = max(-(-(len(self._children.get(root, ())) - skipped) // self._limits(root)[0]), 1)
        number = min(max(number, 1), pages)
        tops, shown = self._chosen(root, number, skipped)
        here = sum(map(self._visible_from, tops))
        return ConversationPage(self._build_rows(tops, shown), number, pages, total, total - here, skipped)

    def place(self, number: int) -> Place:
        """Return where the comment is shown; if it is nowhere, that is the place of the next one above that is."""
        path = [n for n in self._path(number) if n in self._ranks]
        place = Place(0, 1)
        while path:
            page = self._children[place.root].index(path[0]) // self._limits(place.root)[0] + 1
            place = Place(place.root, page)
            shown = self._chosen(*place)[1]
            hidden = next((i for i, n in enumerate(path) if n not in shown), None)
            if hidden is None:
                return place
            place = Place(path[hidden - 1], 1)
            path = path[hidden:]
        return place

    def ancestors(self, number: int) -> tuple[Node, ...]:
        """Return the comments above this one, the top-level one first."""
        return tuple(self._nodes[n] for n in self._path(number)[:-1])

    def row(self, number: int) -> Row | None:
        """Return the comment as it stands alone or as an ancestor, None if there is none."""
        return self._build_row(number, 0) if number in self._nodes else None

    def is_covered(self, number: int) -> bool:
        """Tell whether a comment above was removed together with its replies."""
        return number in self._covered

    def is_shown(self, number: int) -> bool:
        """Tell whether the comment has a row: it or something below it is visible."""
        return number in self._ranks

    def is_visible(self, number: int) -> bool:
        """Tell whether anybody can read the comment."""
        node = self._nodes.get(number)
        return node is not None and node.is_visible and number not in self._covered

    def _visible_from(self, number: int) -> int:
        """Return how many comments are visible from this one down."""
        return self._below.get(number, 0) + self.is_visible(number)

    def level(self, number: int) -> int:
        """Return the level of the comment in the whole conversation, 1 for a top-level one, 0 if there is none."""
        return self._levels.get(number, 0)

    def explain(self, number: int) -> CommentExplanation | None:
        """Explain the place of a comment that has a row; None for others."""
        if number not in self._ranks:
            return None
        siblings = self._children[self._parents[number]]
        at = siblings.index(number)
        before = map(self._score, filter(self.is_visible, reversed(siblings[:at])))
        after = map(self._score, filter(self.is_visible, siblings[at + 1 :]))
        return CommentExplanation(self._score(number), next(before, None), next(after, None))

    def _limits(self, root: int) -> tuple[int, int]:
        """Return how many replies to *root* a page has, and how many rows."""
        if self._below.get(root, 0) <= config.COMMENTS_ON_PAGE:
            everything = len(self._nodes) + 1
            return everything, everything
        return config.TOP_LEVEL_ON_PAGE, config.COMMENTS_ON_PAGE

    def _chosen(self, root: int, page: int, skipped: int = 0) -> tuple[tuple[int, ...], set[int]]:
        """Return the replies to *root* at the top of this *page*, after some *skipped*, and all that it shows of them.

        These are the first of those whose parent is shown. The queue holds one reply of each list, the first that is
        not shown: the others can only come after it.
        """
        children, ranks, (step, most) = self._children, self._ranks, self._limits(root)
        tops = children.get(root, ())[skipped + (page - 1) * step : skipped + page * step]
        shown = set(tops)
        # rank, level, parent, index in its list
        queue = [(ranks[children[parent][0]], 2, parent, 0) for parent in tops if parent in children]
        heapq.heapify(queue)
        while queue and len(shown) < most:
            _, level, parent, index = heapq.heappop(queue)
            number = children[parent][index]
            shown.add(number)
            if index + 1 < len(children[parent]):
                heapq.heappush(queue, (ranks[children[parent][index + 1]], level, parent, index + 1))
            if level < config.LEVELS_ON_PAGE and number in children:
                heapq.heappush(queue, (ranks[children[number][0]], level + 1, number, 0))
        return tops, shown

    def _build_rows(self, tops: tuple[int, ...], shown: set[int]) -> tuple[Row, ...]:
        """Return the rows of *shown* comments, from *tops* down, each followed by its replies."""
        order: list[tuple[int, int]] = []  # number, level
        more: dict[int, int] = {}
        opened: set[int] = set()
        stack = [(number, 1) for number in reversed(tops)]
        while stack:
            number, level = entry = stack.pop()
            order.append(entry)
            replies = tuple(takewhile(shown.__contains__, self._children.get(number, ())))
            more[number] = self._below.get(number, 0) - sum(map(self._visible_from, replies))
            if replies:
                opened.add(number)
                stack += [(reply, level + 1) for reply in reversed(replies)]
        rows = []
        for (number, level), (_, next_level) in pairwise([*order, (0, 1)]):
            ends, above = [], number
            for _ in range(level - next_level):
                above = self._parents[above]
                ends.append(ListEnd(above, more[above]))
            rows.append(self._build_row(number, level, more[number], number in opened, tuple(ends)))
        return tuple(rows)

    def _build_row(
        self, number: int, level: int, more: int = 0, opens: bool = False, ends: tuple[ListEnd, ...] = ()
    ) -> Row:
        parent = self._parents[number]
        return Row(
            node=self._nodes[number],
            level=level,
            replies=self._below.get(number, 0),
            more=more,
            opens=opens,
            ends=ends,
            is_covered=number in self._covered,
            answers=self._nodes[parent].author if self.is_visible(parent) else "",
        )

    def _score(self, number: int) -> CommentScore:
        node = self._nodes[number]
        votes = comment_votes(node.time, node.votes, self._now)
        return CommentScore(node, votes, comment_score(node.time, node.votes, self._vote_score, self._now))

    def _path(self, number: int) -> list[int]:
        """Return the numbers from the top-level comment down to this one; none if there is no such comment."""
        path = []
        while number in self._nodes:
            path.append(number)
            number = self._parents[number]
        return path[::-1]
