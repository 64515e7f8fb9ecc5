"""Mark the words of a query in titles and texts of results."""

from collections.abc import Sequence

from markupsafe import Markup

from voteweb.search.grammar import Query


def mark_title(query: Query, title: str) -> Markup:
    """Return *title* as HTML with ``<mark>`` around the words that *query* looks for in titles."""
    raise NotImplementedError


def mark_snippet(query: Query, text: str) -> Markup:
    """Return about SNIPPET_LENGTH characters of the Markdown *text* as HTML, around the first words of *query*.

    It begins at the beginning of the text if none of them is in it.
    """
    raise NotImplementedError


def hit_ranges(query: Query, text: str, fields: Sequence[str]) -> list[tuple[int, int]]:
    """Return where in *text* the words of *query* are that are looked for in one of *fields*: begins and ends."""
    raise NotImplementedError
