"""Where little is found, another query is made, which finds more."""

import pytest

from tests.rows import check_results
from tests.search.conftest import Machine, article, comment
from voteweb.core import config
from voteweb.search.grammar import parse
from voteweb.search.models import Kind

#: What is typed, and what is suggested.
SUGGESTIONS = [
    ("pyt by:ann", "pyt* by:ann"),
    ("pyt* boo", "pyt* boo*"),
    ("PYTHO", "PYTHO*"),
    ("pyhton", "python"),
    ("Pythn -draft by:ann", "python -draft by:ann"),
    ("what is the pyt", "what is the pyt*"),
    ("ruby", None),
    ("py", None),
    ('"pyt"', None),
    ("title:pyt", None),
    ('"pyhton book"', None),
    ("the", None),
]


def test_words_are_begun_or_corrected(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    def suggested(typed: str) -> str | None:
        query = machine.index.suggest(parse(typed), Kind.ARTICLES)
        return query and query.text

    monkeypatch.setattr(config, "SHARD_ROWS", 2)
    machine.writer.apply([
        article(1, "Python book", poster="ann"), article(2, "Python", poster="ann"), article(3, "Pythonx pythop"),
        comment(1, 1, "ruby"),
    ])  # fmt: skip
    check_results(subtests, {suggested: SUGGESTIONS})


def test_beginnings_of_words_are_looked_for_in_all_tables(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SHARD_ROWS", 1)
    machine.writer.apply([article(1, "needling"), *(article(id, "hay") for id in range(2, 9))])
    query = machine.index.suggest(parse("needl"), Kind.ARTICLES)
    assert (query and query.text) == "needl*"
    assert machine.index.suggest(parse("needle"), Kind.ARTICLES, found=1) is None
