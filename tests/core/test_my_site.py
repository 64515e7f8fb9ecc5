"""A member's choice of what to read: what is hidden, and the merged list of several groups."""

from voteweb.core.models import Article
from voteweb.core.my_site import Hidden, HiddenKind, MySite, hidden_member, merged, parse_hidden

ARTICLE = Article("A title", "https://www.Example.com/x", "", ("go", "编程"), id=7, poster="Ann", time=1.0, votes=1)


def test_an_article_is_hidden_by_id_member_domain_or_group() -> None:
    for entry in ("a7", "mann", "dexample.com", "g编程"):
        site = MySite(hides=frozenset({entry, "gother"}))
        assert site.is_hidden(ARTICLE)
        assert not site.is_hidden(ARTICLE, shown=entry)  # on the page of what is hidden
        assert [hidden.entry for hidden in site.reasons(ARTICLE)] == [entry]
    assert not MySite(hides=frozenset(("a70", "mannie", "dwww.example.com", "gg", "dexample.co"))).is_hidden(ARTICLE)


def test_what_is_no_entry_hides_nothing() -> None:
    assert [parse_hidden(entry) for entry in ("", "ax", "a７", "d" + "x" * 254)] == [None] * 4
    assert parse_hidden("go", 5.0) == Hidden(HiddenKind.GROUP, "o", 5.0)


def test_a_member_is_hidden_however_the_name_is_spelled() -> None:
    assert hidden_member("ANN") == hidden_member("ann")


def test_merged_rankings_have_no_doubles_and_newest_first_in_ties() -> None:
    first, second = {1: 30.0, 4: 10.0}, {2: 30.0, 1: 30.0, 3: 20.0}
    assert merged([first, second], 0, 10) == [2, 1, 3, 4]
    assert merged([first, second], 1, 3) == [1, 3]
    assert merged([], 0, 10) == []
