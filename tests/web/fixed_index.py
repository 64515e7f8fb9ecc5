"""An index of search that finds the same for all words but some."""

import time
from collections.abc import Sequence
from pathlib import Path

from voteweb.core.comments import CommentId
from voteweb.core.search_documents import DocumentId
from voteweb.search.grammar import Query, parse
from voteweb.search.index import SearchIndex
from voteweb.search.models import Found, Kind, Note, Order, SearchError, State


class FixedIndex(SearchIndex):
    """Stands for the index of a site; ``asked`` are the queries with their kinds and orders.

    It finds nothing for ``unknown``, only the articles in ``few`` for some texts, and ``others`` by a link.
    ``error`` is raised by every search, ``counting_error`` by those that only count, and by suggestions.
    """

    def __init__(self) -> None:
        super().__init__(Path("nowhere"))
        self.articles: Sequence[int] = ()
        self.comments: Sequence[CommentId] = ()
        self.weights: Sequence[float] = ()
        self.times: Sequence[float] = ()
        self.unknown: str | None = None
        self.few: dict[str, Sequence[int]] = {}
        self.others: Sequence[int] = ()
        self.note = Note.NONE
        self.error: SearchError | None = None
        self.counting_error: SearchError | None = None
        self.age = 0.0
        self.suggestion = ""
        self.asked: list[tuple[str, Kind, Order]] = []

    def find(self, query: Query, kind: Kind, order: Order, count: int) -> Found:
        """Return what was put into this index."""
        if self.error:
            raise self.error
        if self.counting_error and not count:
            raise self.counting_error
        self.asked.append((query.text, kind, order))
        ids: Sequence[DocumentId] = self.articles if kind is Kind.ARTICLES else self.comments
        if kind is Kind.ARTICLES:
            ids = self.few.get(query.text, ids)
        if query.text == self.unknown:
            ids = ()
        shown = tuple(ids[:count])
        if order is Order.RELEVANCE:
            return Found(shown, len(ids), self.note, tuple(self.weights[: len(shown)]), tuple(self.times[: len(shown)]))
        return Found(shown, len(ids), self.note)

    def same_link(self, id: int = 0, link: str = "", *, count: int) -> list[int]:
        """Return the others that were put into this index."""
        if self.error:
            raise self.error
        return [other for other in self.others if other != id][:count]

    def suggest(self, query: Query, kind: Kind, found: int = 0) -> Query | None:
        """Return the suggestion that was put into this index, for what it does not find or finds little."""
        if self.counting_error:
            raise self.counting_error
        return parse(self.suggestion) if query.text in (self.unknown, *self.few) else None

    def state(self) -> State:
        """Return the state of a complete index of this age."""
        return State("epoch", "0-0", time.time() - self.age, len(self.articles), len(self.comments))
