"""The index finds what was put into it: as a list of all documents would, whatever happened to them before."""

from collections.abc import Iterator
from itertools import chain, repeat
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.rows import check_results
from tests.search.conftest import Machine, article, comment
from tests.search.test_grammar import TYPED
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.search import connections, index
from voteweb.search.grammar import parse
from voteweb.search.models import Found, Kind, Note, Order, SearchBusy, SearchTooSlow

#: What is typed, and the articles that are found.
FOUND = [
    ("rust", [3, 1]),
    ('"async rust"', []),
    ('"rust async"', [3]),
    ("rus* OR python", [3, 2, 1]),
    ("c++", [2]),
    ("c", []),
    ("程语", [4]),
    ("title:text", []),
    ("text", [2]),
    ("domain:example.com", [1]),
    ("by:ALICE group:ask", [3]),
    ("-group:ask rust", [1]),
    ("http://www.example.com/page/?utm_source=x", [1]),
    ("after:1970-01-01 before:1970-01-02 -rust", [4, 2]),
]


def test_each_kind_of_term_finds_its_articles(machine: Machine, subtests: pytest.Subtests) -> None:
    machine.writer.apply(
        [
            article(1, "Rust", link="https://example.com/page"),
            article(2, "C++ and Python", text="A text."),
            article(3, "Rust async", poster="Alice", groups=("ask", "show")),
            article(4, "编程语言"),
        ]
    )
    check_results(subtests, {machine.find: FOUND})


def test_articles_of_one_link_are_found_by_it(machine: Machine) -> None:
    links = ["https://a.example/x", "http://www.a.example/x/", "https://b.example/", "", "https://a.example/x#top", ""]
    machine.writer.apply([article(id, "word", link=link) for id, link in enumerate(links, 1)])
    assert machine.index.same_link(2, count=3) == [5, 1]
    assert machine.index.same_link(link="https://a.example/x", count=2) == [5, 2]
    assert [machine.index.same_link(id, count=3) for id in (3, 4, 99)] == [[], [], []]
    machine.writer.apply([article(2, "word", link="https://b.example/")], gone=[5])
    assert [machine.index.same_link(id, count=3) for id in (1, 2)] == [[], [3]]


def test_articles_and_comments_are_found_apart(machine: Machine) -> None:
    machine.writer.apply([article(1, "word"), comment(1, 2, "word"), comment(2, 1, "a word")])
    assert machine.find("word") == [1]
    assert machine.find("word OR title:word -title:a", Kind.COMMENTS) == [CommentId(2, 1), CommentId(1, 2)]
    assert machine.find("word title:word", Kind.COMMENTS) == []
    assert machine.writer.comments_of(1) == [CommentId(1, 2)]
    assert machine.writer.has(CommentId(2, 1))
    assert not machine.writer.has(2)


def test_results_have_weights_and_times_by_relevance(machine: Machine) -> None:
    machine.writer.apply([article(1, "word"), article(2, "other", text="a word " * 5), article(3, "many words")])
    found = machine.index.find(parse("word"), Kind.ARTICLES, Order.RELEVANCE, 10)
    assert (found.ids, found.times) == ((1, 3, 2), (1.0, 3.0, 2.0))
    assert found.weights == tuple(sorted(found.weights, reverse=True))
    newest = machine.index.find(parse("word"), Kind.ARTICLES, Order.NEW, 10)
    assert newest == Found((3, 2, 1), 3)


def test_thousands_of_the_same_time_are_all_found(machine: Machine) -> None:
    documents = [article(id, "word", time=5.0) for id in range(1, 1_500)]
    machine.writer.apply(documents)
    machine.writer.apply(documents[1:], gone=[1])
    found = machine.index.find(parse("word"), Kind.ARTICLES, Order.NEW, 1_000)
    assert (len(set(found.ids)), found.total) == (1_000, 1_001)
    assert machine.writer.state().articles == 1_498


def test_documents_go_on_in_further_tables(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SHARD_ROWS", 3)
    for id in (*range(1, 21), 0):
        machine.writer.apply([article(id, f"word {id % 2 and 'odd'}")])
    machine.writer.apply([article(5, "word even")], gone=[7])
    assert machine.find("word") == [id for id in range(20, -1, -1) if id != 7]
    assert set(machine.find("odd", order=Order.RELEVANCE)) == {19, 17, 15, 13, 11, 9, 3, 1}
    assert machine.find("before:1970-01-02 -odd") == [20, 18, 16, 14, 12, 10, 8, 6, 5, 4, 2, 0]
    assert machine.writer.check()


STEPS = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.sampled_from(["rust", "rust async", "编程语言", "c++ google+", "gone"]),
        st.sampled_from([1.0, 1.05, 10.0]),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60)
@given(steps=STEPS, is_repeated=st.booleans())
@example(steps=[(1, "rust", 1.0), (2, "rust", 1.0), (3, "rust", 10.0), (2, "rust async", 1.0)], is_repeated=False)
def test_the_index_has_the_documents_as_they_are_now(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, float]], is_repeated: bool
) -> None:
    """However documents were edited, moved and removed, and if each change is told twice."""
    machine = Machine(tmp_path_factory.mktemp("search"))
    now: dict[int, str] = {}
    times: dict[int, int] = {}
    for id, title, time in steps:
        now.pop(id, None)
        if title != "gone":
            now[id], times[id] = title, int(time * 10)
        for _ in range(1 + is_repeated):
            gone = [] if id in now else [id]
            machine.writer.apply([article(id, title, time)] if id in now else [], gone, position="1-1")
    for typed in ("rust", "async", "程语", "c++", "google", "gone"):
        expected = {id for id, title in now.items() if typed in title}
        found = [times[id] for id in machine.find(typed) if isinstance(id, int)]
        assert found == sorted(found, reverse=True)
        assert set(machine.find(typed)) == expected
        assert set(machine.find(typed, order=Order.RELEVANCE)) == expected
    assert machine.writer.state().articles == len(now)
    assert machine.writer.check()
    machine.writer.close()


@settings(deadline=None)
@given(typed=TYPED)
def test_anything_can_be_searched(everything: Machine, typed: str) -> None:
    for kind in Kind:
        for order in Order:
            assert everything.index.find(parse(typed), kind, order, 10).total <= 2


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """An index that is only searched."""
    machine = Machine(tmp_path_factory.mktemp("search"))
    machine.writer.apply(
        [article(1, "编程 go c++ NEAR 2016"), article(2, "x"), comment(1, 1, "编程"), comment(1, 2, "go")]
    )
    yield machine
    machine.writer.close()


@pytest.mark.parametrize("order", [Order.RELEVANCE, Order.VOTES])
def test_of_many_the_newest_and_the_most_voted_are_ranked(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, order: Order
) -> None:
    monkeypatch.setattr(config, "SHARD_ROWS", 3)
    monkeypatch.setattr(index, "LIMITS", {order: (2, 3)})
    levels = (0, 9, 4, 13, 0, 4, 11, 0)
    machine.writer.apply([article(id, "word", level=level) for id, level in enumerate(levels, 1)])
    machine.writer.apply([article(1, "word", level=3)])
    found = machine.index.find(parse("word -other"), Kind.ARTICLES, order, 10)
    assert (set(found.ids), found.total, found.note) == ({8, 7, 4, 2, 6}, 3, Note.BEST_RANKED)


def test_a_search_without_time_to_rank_finds_the_newest(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.writer.apply([article(id, "word word", text="word " * 50) for id in range(1, 2_000)])
    monkeypatch.setattr(config, "SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(config, "UNRANKED_SEARCH_SECONDS", 10.0)
    found = machine.index.find(parse("word"), Kind.ARTICLES, Order.RELEVANCE, 1)
    assert found == Found((1_999,), 1_001, Note.TOO_COMMON)
    monkeypatch.setattr(config, "UNRANKED_SEARCH_SECONDS", 0.0)
    with pytest.raises(SearchTooSlow):
        machine.index.find(parse("word"), Kind.ARTICLES, Order.RELEVANCE, 1)


@pytest.mark.parametrize(("seconds", "note"), [(100.0, Note.NONE), (300.0, Note.TOO_COMMON)])
def test_time_in_which_a_search_does_not_work_counts_less(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, seconds: float, note: Note
) -> None:
    machine.writer.apply([article(id, "word") for id in range(1, 100)])
    assert machine.find("word")
    clock = chain([0.0], repeat(seconds))
    monkeypatch.setattr(connections, "time", SimpleNamespace(monotonic=lambda: next(clock), thread_time=lambda: 0.0))
    assert machine.index.find(parse("word"), Kind.ARTICLES, Order.RELEVANCE, 1).note == note


def test_searches_wait_for_their_turn_and_short_ones_have_deadlines(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.writer.apply([article(id, "word") for id in range(30)])
    monkeypatch.setattr(config, "SEARCH_WAIT_SECONDS", 0.01)
    with machine.index.turn(), machine.index.turn(), pytest.raises(SearchBusy):
        machine.find("word")
    assert len(machine.find("word")) == 30
    monkeypatch.setattr(config, "SEARCH_SECONDS", 0.0)
    with pytest.raises(SearchTooSlow):
        machine.find("word")
