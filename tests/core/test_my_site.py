"""A member's choice of what to read: what is hidden, and the merged list of several groups."""

import pytest

from voteweb.core.models import Article
from voteweb.core.my_site import Hidden, HiddenKind, MySite, hidden_member, merged, parse_hidden

ARTICLE = Article(7, "A title", "https://www.Example.com/x", "", "Ann", 1.0, 1, groups=("go", "编程"))


@pytest.mark.parametrize("entry", ["a7", "mann", "dexample.com", "g编程"])
def test_an_article_is_hidden_by_id_member_domain_or_group(entry: str) -> None:
    site = MySite(hides=frozenset({entry, "gother"}))
    assert site.is_hidden(ARTICLE)
    assert not site.is_hidden(ARTICLE, shown=entry)  # on the page of what is hidden
    hidden = parse_hidden(entry, 5.0)
    assert hidden
    assert hidden.entry == entry


@pytest.mark.parametrize("entry", ["a70", "mannie", "dwww.example.com", "gg", "dexample.co"])
def test_others_are_not_hidden(entry: str) -> None:
    assert not MySite(hides=frozenset({entry})).is_hidden(ARTICLE)


@pytest.mark.parametrize("entry", ["", "ax", "a７", "go", "d" + "x" * 254])
def test_what_is_no_entry_hides_nothing(entry: str) -> None:
    assert parse_hidden(entry) in (None, Hidden(HiddenKind.GROUP, "o"))


def test_a_member_is_hidden_however_the_name_is_spelled() -> None:
    assert hidden_member("ANN") == hidden_member("ann")


def test_rankings_are_merged_without_doubles_and_newest_first_of_a_tie() -> None:
    first, second = {1: 30.0, 4: 10.0}, {2: 30.0, 1: 30.0, 3: 20.0}
    assert merged([first, second], 0, 10) == [2, 1, 3, 4]
    assert merged([first, second], 1, 3) == [1, 3]
    assert merged([], 0, 10) == []
