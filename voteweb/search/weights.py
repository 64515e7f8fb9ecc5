"""How well the words of a document are those of a query."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from voteweb.search.grammar import Query
from voteweb.search.models import Kind
from voteweb.search.words import Term, stem_token

#: What a word counts that stands as it was typed, in another form, or as the beginning of one; or elsewhere, as in the
#: text of an article, of which only the title is weighed.
_EXACT, _STEM, _BEGINNING, _ELSEWHERE = 1.0, 0.65, 0.5, 0.3
#: What a small word counts, which need not be found.
_SMALL = 0.2
#: The factors of all words that were typed, in a row, and of a title that begins with them: it is about them.
_IN_A_ROW, _AT_THE_BEGINNING = 1.15, 1.3
#: The words of a usual title or comment, and how much less twice as many words weigh.
_USUAL_LENGTH = {Kind.ARTICLES: 8, Kind.COMMENTS: 60}
_LENGTH_SHARE = 0.1


class _Wanted(NamedTuple):
    """A part of a query: its forms with their values, the highest first, and the share of the part in the weight."""

    forms: tuple[tuple[str, float], ...]
    otherwise: float
    share: float


def weigher(query: Query, kind: Kind) -> Callable[[str], float]:
    """Return the function that weighs a document of this *kind* by its tokens: those of the title, or of the comment.

    The exact word weighs more than its stem, that more than a beginning, and each of them more among few words.
    """
    wanted, rows = tuple(_wanted(query)), tuple(_rows(query))
    shares, usual = sum(part.share for part in wanted), _USUAL_LENGTH[kind]

    def weigh(tokens: str) -> float:
        text = f" {tokens} "
        value = sum(
            share * next((value for form, value in forms if form in text), otherwise)
            for forms, otherwise, share in wanted
        )
        end = text.find(" ~")  # stems stand after the words
        length = text.count(" ", 1, end if end >= 0 else None)
        factor = _AT_THE_BEGINNING if text.startswith(rows) else _IN_A_ROW if any(row in text for row in rows) else 1.0
        return value / shares * factor / (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / usual)

    return weigh


def _wanted(query: Query) -> Iterator[_Wanted]:
    for part in query.parts:
        terms = [term for term in part.terms if term.field in ("", "title")]
        if terms and not part.is_excluded:
            forms = sorted((form for term in terms for form in _forms(term)), key=lambda form: -form[1])
            yield _Wanted(tuple(forms), 0.0 if part.is_small else _ELSEWHERE, _SMALL if part.is_small else 1.0)


def _forms(term: Term) -> Iterator[tuple[str, float]]:
    words = " ".join(term.tokens)
    yield f" {words} ", _EXACT
    if term.stem:
        yield f" {term.stem} ", _STEM
        yield f" {stem_token(term.stem)} ", _STEM
    if term.is_prefix:
        yield f" {words}", _BEGINNING


def _rows(query: Query) -> Iterator[str]:
    """Yield the typed words in a row, small ones too: as they were typed, and with the last in another form."""
    terms = [
        part.terms[0]
        for part in query.parts
        if len(part.terms) == 1 and part.terms[0].field in ("", "title") and not part.is_excluded
    ]
    if terms:
        tokens = [token for term in terms for token in term.tokens]
        yield f" {' '.join(tokens)} "
        if terms[-1].stem:
            yield f" {' '.join([*tokens[:-1], terms[-1].stem])}"
