"""Other queries where one finds little or nothing: beginnings of words, or misspelt words replaced."""

from collections.abc import Callable, Iterator

from voteweb.core import config
from voteweb.search.grammar import Query
from voteweb.search.words import IS_UNSPACED, Part, Term, read_terms

#: Lengths of words that are corrected: too many words differ from a shorter one by a letter, and a longer one from
#: too many.
_LENGTHS = range(4, 17)
#: Words that are corrected at most: each takes some 10 ms.
_MAX_CORRECTED = 2
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def alternatives(query: Query, count: Callable[[Query], int]) -> Iterator[Query]:
    """Yield queries like *query*, the most alike first: perhaps one of them finds more.

    *count* tells how many documents a query finds, up to some number.
    """
    yield with_beginnings(query)
    corrected = _corrected(query, count)
    yield from (corrected, with_beginnings(corrected))


def with_beginnings(query: Query) -> Query:
    """Return *query* with a star after the first words that can have one."""
    stars = config.MAX_PREFIXES - query.prefixes
    parts: list[Part] = []
    for part in query.parts:
        if stars > 0 and len(part.text) >= config.MIN_PREFIX_LENGTH and _is_word(part) and not part.is_small:
            stars -= 1
            part = part._replace(text=f"{part.text}*", terms=(part.terms[0]._replace(is_prefix=True),))
        parts.append(part)
    return _query_of(*parts)


def exactly(query: Query) -> Query:
    """Return *query* with quotes around its words, so that no other words are searched in their place."""
    return _query_of(*(part._replace(text=f'"{part.text}"') if _is_word(part) else part for part in query.parts))


def _is_word(part: Part) -> bool:
    """Tell whether a part is one word of letters, without a field or a sign, in a text with blanks between words."""
    return part.text.isalpha() and not IS_UNSPACED.search(part.text)


def _corrected(query: Query, count: Callable[[Query], int]) -> Query:
    """Return *query* with words that no document has replaced by the most frequent ones that differ by a letter."""
    parts: list[Part] = []
    corrected = 0
    for part in query.parts:
        word = "" if part.is_small else part.plain_word
        if len(word) in _LENGTHS and corrected < _MAX_CORRECTED and not count(_query_of(part)):
            corrected += 1
            others = [part._replace(text=one, terms=(Term("", (one,)),)) for one in sorted(_neighbours(word))]
            best = max(others, key=lambda other: count(_query_of(other)))
            part = best._replace(terms=read_terms("", best.text, is_phrase=False))
        parts.append(part)
    return _query_of(*parts)


def _query_of(*parts: Part) -> Query:
    return Query(" ".join(part.text for part in parts), parts)


def _neighbours(word: str) -> set[str]:
    """Return all words that one letter less, more or other, or two letters exchanged, make of *word*."""
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {begin + end[1:] for begin, end in splits if end}
    found |= {begin + end[1] + end[0] + end[2:] for begin, end in splits if len(end) > 1}
    found |= {begin + letter + end[1:] for begin, end in splits if end for letter in _LETTERS}
    found |= {begin + letter + end for begin, end in splits for letter in _LETTERS}
    return found - {word}
