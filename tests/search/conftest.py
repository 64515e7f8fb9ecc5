"""An index in a folder of its own, and documents for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import parse
from voteweb.search.index import SearchIndex
from voteweb.search.models import Kind, Order
from voteweb.search.writer import IndexWriter


def article(id: int, title: str, time: float | None = None, **fields: Any) -> Document:
    """Return article *id*, published *id* seconds after the beginning unless there is a *time*."""
    values = {"text": "", "link": "", "poster": "", "groups": ()} | fields
    return Document(id=id, time=float(id) if time is None else time, title=title, **values)


def comment(id: int, number: int, text: str) -> Document:
    return Document(CommentId(id, number), id + number / 1000, "", text, "", "", ())


class Machine:
    """One machine's index, with the writer of its indexer."""

    def __init__(self, path: Path) -> None:
        self.folder = IndexFolder(path)
        self.index = SearchIndex(path)
        with self.folder.locked():
            self.writer: IndexWriter = self.folder.start_rebuild("epoch")
            self.folder.publish(self.writer)

    def find(self, typed: str, kind: Kind = Kind.ARTICLES, order: Order = Order.NEW) -> list[DocumentId]:
        """Return the first 100 results, newest first unless there is another *order*."""
        return list(self.index.find(parse(typed), kind, order, 100).ids)


@pytest.fixture(autouse=True, scope="module")
def _patience() -> Iterator[None]:
    """Give searches as much time as a busy machine needs, unless a test sets another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "SEARCH_SECONDS", 60.0)
        yield


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """An empty index."""
    machine = Machine(tmp_path / "search")
    yield machine
    machine.writer.close()
