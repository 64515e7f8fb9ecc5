"""Mark the words of a query in titles and texts of results."""

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from voteweb.core import config, markup
from voteweb.search.grammar import Query
from voteweb.search.words import Term, located, normalized, stem

#: Signs of Markdown: of links, all but the label; at the beginning of lines; around words.
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_LINE_SIGN = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[> \t]*|[-*+][ \t]+|```.*$|[-*_]{3,}[ \t]*$)", re.MULTILINE)
_WORD_SIGN = re.compile(r"\*+(?=\S)|(?<=\S)\*+|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|~~|\\(?=[^\w\s])")
#: The part of a snippet that stands before its first marked word.
_BEFORE = 0.3


def mark_title(query: Query, title: str) -> Markup:
    """Return *title* as HTML with ``<mark>`` around the words that *query* looks for in titles."""
    return markup.mark(title, _ranges(query.words, title))


def mark_snippet(query: Query, text: str) -> Markup:
    """Return about SNIPPET_LENGTH characters of the Markdown *text* as HTML, around the first words of *query*.

    It begins at the beginning of the text if none of them is in it.
    """
    plain = _plain(text[: config.MAX_MARKED_LENGTH])
    ranges = _ranges([term for term in query.words if term.field != "title"], plain)
    start = _begin(plain, ranges[0][0]) if ranges else 0
    end = _end(plain, start)
    shown = [(first - start, last - start) for first, last in ranges if start <= first and last <= end]
    snippet = markup.mark(plain[start:end], shown)
    has_more = end < len(plain) or len(text) > config.MAX_MARKED_LENGTH
    return markup.join([markup.trusted("… " if start else ""), snippet, markup.trusted(" …" if has_more else "")])


def _plain(text: str) -> str:
    """Return the Markdown *text* as one line without most of its signs."""
    text = _LINE_SIGN.sub("", _LINK.sub(r"\1", text))
    return " ".join(_WORD_SIGN.sub("", text).split())


def _begin(text: str, hit: int) -> int:
    """Return where a snippet begins that shows the place *hit*: at a word, or nearly so where there are no blanks."""
    begin = max(0, min(hit - int(_BEFORE * config.SNIPPET_LENGTH), len(text) - config.SNIPPET_LENGTH))
    blank = text.find(" ", begin, hit)
    return begin if begin == 0 or blank < 0 else blank + 1


def _end(text: str, start: int) -> int:
    end = start + config.SNIPPET_LENGTH
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", start + config.SNIPPET_LENGTH // 2, end + 1)
    return end if blank < 0 else blank


def _ranges(terms: Sequence[Term], text: str) -> list[tuple[int, int]]:
    """Return where in *text* any of *terms* is, as begins and ends, in order and without overlaps."""
    folded = normalized(text)
    terms = [term for term in terms if all(token[: 2 if term.stem else None] in folded for token in term.tokens)]
    places = list(located(text)) if terms else []  # 25 times as slow as to normalize a Chinese text at once
    tokens = [token for token, _, _ in places]
    found: list[tuple[int, int]] = []
    for term in terms:
        size = len(term.tokens)
        for at in range(len(tokens) - size + 1):
            if _is_form(tokens[at + size - 1], term) and tuple(tokens[at : at + size - 1]) == term.tokens[:-1]:
                found.append((places[at][1], max(end for _, _, end in places[at : at + size])))
    return list(_merged(found))


def _is_form(token: str, term: Term) -> bool:
    """Tell whether *token* is one by which the last word of *term* is found."""
    last = term.tokens[-1]
    return (
        token == last or (term.is_prefix and token.startswith(last)) or (term.stem != "" and stem(token) == term.stem)
    )


def _merged(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield *ranges* in order, those that overlap as one."""
    start = end = -1
    for first, last in sorted(ranges):
        if first >= end:
            if end > 0:
                yield start, end
            start = first
        end = max(end, last)
    if end > 0:
        yield start, end
