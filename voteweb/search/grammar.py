"""Read what a person typed into a search form: words, phrases, exclusions, fields, dates.

No text is refused: what cannot be understood becomes one of the ``problems`` of the query, beside what was understood.
"""

from dataclasses import dataclass, field

from voteweb.core.errors import Invalid
from voteweb.search.documents import Kind


@dataclass(frozen=True, slots=True)
class Term:
    """A word, a phrase, or the beginning of a word, in a field ("" for all): its ``tokens`` stand in a row.

    ``text`` is the term as it can be typed, such as ``-title:"open source"``. ``is_prefix``: the last token is the
    beginning of one.
    """

    text: str
    field: str
    tokens: tuple[str, ...]
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query: one term of each tuple of ``required`` must be found, none of ``excluded``.

    ``after`` and ``before`` are unix times, a half-open interval. ``problems`` are messages about the parts that were
    not understood, which are left out.
    """

    text: str = ""
    required: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    after: float | None = None
    before: float | None = None
    kind: Kind | None = None
    problems: tuple[Invalid, ...] = field(default=(), compare=False)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be looked for."""
        return not self.required and self.after is None and self.before is None

    @property
    def understood(self) -> tuple[str, ...]:
        """The parts of the query as they can be typed, such as ``group:ask`` and ``-"open source"``."""
        raise NotImplementedError

    @property
    def words(self) -> tuple[Term, ...]:
        """The terms that are marked in titles and texts."""
        raise NotImplementedError

    def with_term(self, typed: str) -> str:
        """Return the text of this query and *typed*, such as ``group:ask``, which replaces a term of its field."""
        raise NotImplementedError

    def without_field(self, name: str) -> str:
        """Return the text of this query without terms of the field *name*."""
        raise NotImplementedError


def parse(typed: str) -> Query:
    """Return the query that *typed* means. Never raises."""
    raise NotImplementedError
