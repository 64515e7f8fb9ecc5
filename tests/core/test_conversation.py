"""Conversations: order, pages, gaps and places of comments, and damaged threads."""

from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voteweb.core import config
from voteweb.core.comments import CommentOrder, CommentStatus, Node, Thread
from voteweb.core.config import LEVELS_ON_PAGE, TOP_LEVEL_ON_PAGE
from voteweb.core.conversation import Conversation, ConversationPage, Place

VOTE_SCORE = 8_640.0
SIZE = 100


def node(number: int, parent: int = 0, *, votes: int = 0, time: float | None = None, state: str = "") -> Node:
    return Node(
        number=number,
        parent=parent,
        votes=votes,
        base=0,
        time=1_000.0 + number if time is None else time,
        author="" if state == "d" else f"member{number}",
        status={"d": CommentStatus.DELETED, "": CommentStatus.VISIBLE}.get(state, CommentStatus.REMOVED),
        removes_replies=state == "R",
    )


def conversation(*nodes: Node, order: CommentOrder = CommentOrder.SCORE, now: float = 10**9) -> Conversation:
    thread = Thread(article=1, last=max((n.number for n in nodes), default=0), nodes={n.number: n for n in nodes})
    return Conversation(thread, order, VOTE_SCORE, now)


def numbers(page: ConversationPage) -> list[int]:
    return [row.node.number for row in page.rows]


def shown(page: ConversationPage) -> list[int]:
    return [row.node.number for row in page.rows if row.node.status is CommentStatus.VISIBLE]


def parents_of(page: ConversationPage) -> dict[int, int]:
    """Return the parent of each row as a template nests them, by ``opens`` and ``closes`` alone."""
    parents, path = {}, [0]
    for row in page.rows:
        assert row.level == len(path)
        parents[row.node.number] = path[-1]
        if row.opens:
            path.append(row.node.number)
        for end in row.ends:
            assert end.number == path.pop()
    assert path == [0]
    return parents


def crawl(talk: Conversation) -> dict[Place, list[int]]:
    """Follow every link from page 1, to other pages and from gaps; return the visible comments of each page."""
    found: dict[Place, list[int]] = {}
    links = [Place(0, 1)]
    while links:
        place = links.pop()
        if place in found:
            continue
        page = talk.below(place.root, place.page)
        found[place] = shown(page)
        links += [Place(place.root, number) for number in range(1, page.pages + 1)]
        links += [Place(row.node.number, 1) for row in page.rows if row.more]
    return found


def test_siblings_stand_by_score_or_time() -> None:
    # Of one score the newer comes first, then the higher number.
    for other in (node(100, time=1_000 + VOTE_SCORE), node(100, votes=1, time=1_000)):
        assert numbers(conversation(node(99, votes=1, time=1_000), other).below(0, 1)) == [100, 99]
    scored = node(1, votes=2), node(2, votes=3), node(3), node(4, 2), node(5, 2, votes=1)
    assert numbers(conversation(*scored).below(0, 1)) == [2, 5, 4, 1, 3]
    nodes = node(1, time=20, votes=9), node(2, time=10), node(3, 1, time=40), node(4, 1, time=30)
    assert numbers(conversation(*nodes, order=CommentOrder.TIME).below(0, 1)) == [2, 1, 4, 3]
    assert numbers(conversation(*nodes, order=CommentOrder.NEW).below(0, 1)) == [1, 3, 4, 2]


def test_only_conversations_above_100_comments_have_pages_of_25() -> None:
    page = conversation(*map(node, range(1, 101))).below(0, 1)
    assert (len(page.rows), page.pages, page.total, page.elsewhere) == (100, 1, 100, 0)
    talk = conversation(*map(node, range(1, 102)))
    assert [len(talk.below(0, page).rows) for page in (1, 2, 5)] == [25, 25, 1]
    assert (talk.below(0, 5).pages, talk.below(0, 5).elsewhere) == (5, 100)
    assert [talk.below(0, asked).number for asked in (-1, 0, 6, 10**9)] == [1, 1, 5, 5]
    assert talk.below(0, 2) is talk.below(0, 2)


def test_pages_of_the_newest_begin_at_a_time() -> None:
    top_level = [node(n) for n in range(1, 150)]
    talk = conversation(*top_level, node(150, 140), order=CommentOrder.NEW)
    later = conversation(*top_level, node(150, 140), *(node(n) for n in range(151, 155)), order=CommentOrder.NEW)
    for number in range(1, 7):
        before, after = talk.below(0, number), later.below(0, number, newest=1_149.0)
        assert (numbers(after), after.pages, after.skipped) == (numbers(before), 6, 4)
        assert len(shown(after)) + after.elsewhere == after.total == 154
    short = conversation(*top_level[:9], order=CommentOrder.NEW)
    assert numbers(short.below(0, 1, newest=1_003.0)) == numbers(short.below(0, 1)), "it is on one page"


def test_best_replies_fill_the_page() -> None:
    """75 of 100 replies to one comment are shown, and the best reply to one of them before the worst of them."""
    replies = [node(n, 1, votes=n) for n in range(2, 102)]
    talk = conversation(node(1), *replies, node(200, 101, votes=50), node(201, 2, votes=50))
    page = talk.below(0, 1)

    assert len(page.rows) == SIZE
    assert set(numbers(page)) == {1, 200, *range(4, 102)}
    assert [(row.node.number, row.more) for row in page.rows if row.more] == [(1, 3)]
    assert page.rows[0].replies == 102


def test_line_stands_for_gone_comment_with_visible_below(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = node(1, state="r"), node(2, 1, state="r")

    monkeypatch.setattr(config, "COMMENTS_ON_PAGE", 1)
    assert numbers(conversation(*gone, node(3, 2)).below(0, 1)) == [1, 2, 3]  # lines do not count
    assert numbers(conversation(*gone, node(3, 2, state="d")).below(0, 1)) == []
    assert conversation(*gone, node(3, 2)).visible == 1
    assert conversation(*gone, node(3, 2)).below(0, 1).rows[1].answers == ""


def test_replies_of_one_removed_with_them_are_covered() -> None:
    talk = conversation(node(1), node(2, 1, state="R"), node(3, 2), node(4, 3))

    assert numbers(talk.below(0, 1)) == [1]
    assert [talk.is_covered(n) for n in (1, 2, 3, 4)] == [False, False, True, True]
    assert (talk.is_shown(4), talk.is_visible(4), talk.visible) == (False, False, 1)
    assert talk.place(4) == Place(0, 1)
    assert [n.number for n in talk.ancestors(4)] == [1, 2, 3]
    assert conversation(*(node(n, n - 1) for n in range(1, 3_001))).place(3_000) == Place(2_994, 1)


def test_explanation_has_sums_of_visible_neighbours() -> None:
    talk = conversation(node(1, votes=3), node(2, votes=2, state="d"), node(5, 2), node(3, votes=1), node(4))
    explanation = talk.explain(3)

    assert explanation is not None
    assert explanation.own == (node(3, votes=1), 1, 1_003.0 + VOTE_SCORE)
    assert explanation.before is not None
    assert explanation.after is not None
    assert (explanation.before.node.number, explanation.after.node.number) == (1, 4)
    assert talk.explain(9) is None


def test_new_comment_stands_as_with_two_votes() -> None:
    nodes = (node(1, votes=1), node(2), node(3, votes=3))
    end = 1_002.0 + config.NEW_COMMENT_SECONDS
    for now, order in ((end - 1.5, [3, 2, 1]), (end - 0.5, [3, 2, 1]), (end, [3, 1, 2])):
        talk = conversation(*nodes, now=now)
        assert (numbers(talk.below(0, 1)), talk.until > now) == (order, True)
    assert conversation(*nodes, now=end - 0.5).until == end
    explanation = conversation(*nodes, now=end - 0.5).explain(2)
    assert explanation is not None
    assert explanation.own.votes == 2


def test_unknown_numbers_have_no_place() -> None:
    talk = conversation()

    assert (talk.place(9), talk.ancestors(9), talk.row(9), talk.level(9)) == (Place(0, 1), (), None, 0)
    assert talk.below(9, 1) == ConversationPage((), 1, 1, 0)


def assert_each_met_once(talk: Conversation, pages: dict[Place, list[int]], visible: set[int]) -> None:
    met = Counter(n for place, found in pages.items() for n in found if talk.place(n) == place)
    assert met == Counter(visible)
    for place, found in pages.items():
        assert len(found) == len(set(found))
        for n in found:
            roots = {0, *(above.number for above in talk.ancestors(n))}
            assert place.root in roots


@st.composite
def threads(draw: st.DrawFn) -> list[Node]:
    """Trees of any shape, damaged or not, with gone comments among them."""
    count = draw(st.integers(0, 60))
    deep = draw(st.booleans())
    return [
        node(
            n,
            draw(st.integers(max(0, n - 2) if deep else 0, max(0, n - 1) + draw(st.sampled_from([0, 0, 1, 2])))),
            votes=draw(st.integers(0, 3)),
            time=draw(st.sampled_from([1_000.0, 1_000.0 + VOTE_SCORE, 2_000.0])),
            state=draw(st.sampled_from(["", "", "", "", "d", "r", "R"])),
        )
        for n in range(1, count + 1)
    ]


@given(threads(), st.sampled_from([1, 3, 10, 25, SIZE]), st.sampled_from(CommentOrder))
def test_invariants(nodes: list[Node], size: int, order: CommentOrder) -> None:
    with patch.multiple(config, COMMENTS_ON_PAGE=size, TOP_LEVEL_ON_PAGE=min(size, TOP_LEVEL_ON_PAGE)):
        talk = conversation(*nodes, order=order)
        visible = {n.number for n in nodes if talk.is_visible(n.number)}
        assert talk.visible == len(visible)

        pages = crawl(talk)
        assert_each_met_once(talk, pages, visible)
        for place in pages:
            page = talk.below(place.root, place.page)
            assert len(shown(page)) + sum(row.more for row in page.rows) + page.elsewhere == page.total
            if page.total > size:
                assert len(page.rows) <= size
            else:
                assert page.pages == 1
            assert max((row.level for row in page.rows), default=0) <= LEVELS_ON_PAGE
            assert sum(row.level == 1 for row in page.rows) <= max(TOP_LEVEL_ON_PAGE, size)
            nested = parents_of(page)
            for row in page.rows:
                above = talk.ancestors(row.node.number)
                assert nested[row.node.number] == (above[-1].number if row.level > 1 else 0)
                assert row.replies == sum(row.node.number in {n.number for n in talk.ancestors(v)} for v in visible)
                assert row.answers == (above[-1].author if above and talk.is_visible(above[-1].number) else "")


@given(threads())
def test_any_two_siblings_agree_with_their_sums(nodes: list[Node]) -> None:
    talk = conversation(*nodes)
    for n in nodes:
        explanation = talk.explain(n.number)
        if explanation and explanation.after and explanation.before:
            before, own, after = (
                (score.equivalent_time, score.node.time, score.node.number)
                for score in (explanation.before, explanation.own, explanation.after)
            )
            assert before > own > after
