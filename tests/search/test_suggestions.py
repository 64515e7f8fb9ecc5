"""Where nothing is found, another query is suggested, which finds something."""

import pytest

from tests.search.conftest import Machine, article, comment
from voteweb.core import config
from voteweb.search.grammar import parse
from voteweb.search.models import Kind


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("pyhton", "python"),
        ("Pythn -draft by:ann", "python -draft by:ann"),
        ("what is the best python book", "python book"),
        ("the pythom book", "python book"),
        ("ruby", None),
        ("pyt", None),
        ("title:pyhton", None),
        ('"pyhton book"', None),
        ("编程语言", None),
        ("the", None),
        ("", None),
    ],
)
def test_misspelt_words_are_corrected_and_those_of_questions_left_out(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, typed: str, suggested: str | None
) -> None:
    monkeypatch.setattr(config, "SHARD_ROWS", 2)
    machine.writer.apply([
        article(1, "Python book", poster="ann"), article(2, "Python", poster="ann"), article(3, "Pythonx pythop"),
        comment(1, 1, "ruby"),
    ])  # fmt: skip
    query = machine.index.suggest(parse(typed), Kind.ARTICLES)
    assert (query and query.text) == suggested
