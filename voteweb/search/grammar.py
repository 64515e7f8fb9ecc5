"""Read what a person typed into a search form: words, phrases, exclusions, fields, dates.

No text is refused: what cannot be understood becomes one of the ``problems`` of the query, beside what was understood.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from voteweb.core import config
from voteweb.core.errors import N_, Invalid
from voteweb.search.models import Kind
from voteweb.search.words import IS_UNSPACED, Part, Term, group_token, read_date, read_kind, read_terms

#: Other spellings of signs, from keyboards of other languages.
_SIGNS = str.maketrans("“”„‟«»「」『』＂：－＊", '"""""""""""' + ":-*")
_FIELDS = {
    "title": "title", "group": "group", "domain": "domain", "site": "domain", "by": "by", "author": "by",
    "before": "before", "after": "after", "in": "in",
}  # fmt: skip
#: Words of questions, which say nothing about the subject.
_SMALL_WORDS = frozenset(
    "a about am an and any are as at be best better but by can could did do does for from get good has have how i if "
    "in into is it its like me most my not of on or our should so some than that the their there these they this to "
    "use using versus vs was way we were what when where which who why will with would you your".split()
)
_PART = re.compile(rf'(-?)(?:({"|".join(_FIELDS)}):(?=\S))?(?:"([^"]*)"?|([^\s"]+))', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """The understood parts of a typed ``text``; ``problems`` are messages about those that were left out."""

    text: str = ""
    parts: tuple[Part, ...] = ()
    problems: tuple[Invalid, ...] = field(default=(), compare=False)

    @property
    def required(self) -> tuple[tuple[Term, ...], ...]:
        """The terms of which one in each tuple must be found."""
        return tuple(part.terms for part in self.parts if part.terms and not part.is_excluded and not part.is_small)

    @property
    def excluded(self) -> tuple[Term, ...]:
        return tuple(term for part in self.parts if part.is_excluded for term in part.terms)

    @property
    def after(self) -> float | None:
        """The unix time from which on documents are found."""
        return max(self._times("after"), default=None)

    @property
    def before(self) -> float | None:
        """The unix time before which documents are found."""
        return min(self._times("before"), default=None)

    def _times(self, field: str) -> list[float]:
        return [part.time for part in self.parts if part.field == field and part.time is not None]

    @property
    def kind(self) -> Kind | None:
        return next((part.kind for part in reversed(self.parts) if part.kind), None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be looked for."""
        return not self.required and self.after is None and self.before is None

    @property
    def understood(self) -> tuple[str, ...]:
        """The parts of the query as they can be typed."""
        return tuple(part.text for part in self.parts)

    @property
    def words(self) -> tuple[Term, ...]:
        """The terms that are marked in titles and texts."""
        return tuple(term for terms in self.required for term in terms if term.field in ("", "title"))

    @property
    def small_words(self) -> tuple[str, ...]:
        """The words that need not be found."""
        return tuple(part.text for part in self.parts if part.is_small)

    @property
    def prefixes(self) -> int:
        """The number of words that end with a star."""
        return sum(term.is_prefix for part in self.parts for term in part.terms)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups that are named, each once."""
        terms = (term for part in self.parts for term in part.terms if term.field == "group")
        return tuple(dict.fromkeys(_group_name(term) for term in terms))

    def with_groups(self, names: Mapping[str, str]) -> "Query":
        """Return a query that reads the same and looks for the group ``names[name]`` where this one names a group."""

        def resolved(term: Term) -> Term:
            if term.field != "group":
                return term
            name = _group_name(term)
            return term._replace(tokens=(group_token(names.get(name, name)),))

        parts = (part._replace(terms=tuple(map(resolved, part.terms))) for part in self.parts)
        return replace(self, parts=tuple(parts))

    def with_term(self, typed: str) -> str:
        """Return the text of this query and *typed*, such as ``group:ask``, which replaces parts of its field."""
        name = typed.partition(":")[0] if ":" in typed else ""
        return f"{self.without_field(name)} {typed}".strip() if name else " ".join((*self.understood, typed))

    def without_field(self, name: str) -> str:
        """Return the text of this query without parts of the field *name*, such as ``group``."""
        return " ".join(part.text for part in self.parts if part.field != name or part.is_excluded)


def parse(typed: str) -> Query:
    """Return the query that *typed* means. Never raises."""
    parts: list[Part] = []
    problems: list[Invalid] = []
    is_alternative = False
    text = typed.encode(errors="replace").decode().strip()
    if len(text) > config.MAX_QUERY_LENGTH:
        problems.append(
            Invalid(
                N_("A search can have at most %(max)s characters: the rest was left out."), max=config.MAX_QUERY_LENGTH
            )
        )
    matches = list(_PART.finditer(text[: config.MAX_QUERY_LENGTH].translate(_SIGNS)))
    for count, match in enumerate(matches):
        if count == config.MAX_TERMS:
            problems.append(
                Invalid(N_("A search can have at most %(max)s words: the rest was left out."), max=config.MAX_TERMS)
            )
            break
        if match[0] == "OR":
            is_alternative = bool(parts) and _has_alternatives(parts[-1])
            continue
        try:
            part = _read(match, Query(parts=tuple(parts)).prefixes, problems)
        except Invalid as problem:
            problems.append(problem)
            continue
        if part and is_alternative and _has_alternatives(part):
            last = parts.pop()
            part = Part("", f"{last.text} OR {part.text}", last.terms + part.terms)
        if part:
            parts.append(part)
            is_alternative = False
    query = Query(typed, _with_small_words(parts), tuple(problems))
    return replace(query, problems=(*problems, *_missing(query))) if query.is_empty and text else query


def _with_small_words(parts: list[Part]) -> tuple[Part, ...]:
    """Return *parts* with their small words marked, unless there is no other word."""
    small = [part.plain_word in _SMALL_WORDS for part in parts]
    words = [_has_alternatives(part) and part.field in ("", "title") for part in parts]
    if all(one for one, is_word in zip(small, words, strict=True) if is_word):
        return tuple(parts)
    return tuple(part._replace(is_small=one) for part, one in zip(parts, small, strict=True))


def _group_name(term: Term) -> str:
    return term.tokens[0].removeprefix("#")


def _has_alternatives(part: Part) -> bool:
    return bool(part.terms) and not part.is_excluded


def _missing(query: Query) -> list[Invalid]:
    if query.excluded:
        return [Invalid(N_("Please add a word that is to be found: here are only words that are not."))]
    if query.problems or query.kind:
        return []
    return [Invalid(N_("Please type a word with at least one letter or digit."))]


def _read(match: re.Match[str], prefixes: int, problems: list[Invalid]) -> Part | None:
    """Return one part of a query, None if there is nothing in it; raise Invalid if it has no meaning.

    *prefixes* is the number of earlier words that end with a star. *problems* takes messages about
    anything left out of it.
    """
    name = _FIELDS.get((match[2] or "").lower(), "")
    is_phrase = match[3] is not None
    value = match[3] if is_phrase else match[4]
    is_excluded = bool(match[1])
    if name in ("before", "after", "in"):
        if is_excluded:
            raise Invalid(N_("%(typed)s: this cannot be excluded. Please leave out the “-”."), typed=match[0])
        return read_kind(value) if name == "in" else read_date(name, value)
    star = "*" if value.endswith("*") and not is_phrase else ""
    value = value.rstrip("*") if star else value
    terms = read_terms(name, value, is_phrase)
    if not terms:
        return None
    if name not in ("", "title") or IS_UNSPACED.match(terms[0].tokens[-1]):
        star = ""
    if star:
        problem = _prefix_problem(terms[0], value, prefixes)
        if problem:
            problems.append(problem)
            star = ""
        else:
            terms = (terms[0]._replace(is_prefix=True, stem=""),)
    shown = f'"{value}"' if is_phrase else f"{value}{star}"
    return Part(name, f"{match[1]}{name}{':' if name else ''}{shown}", terms, is_excluded)


def _prefix_problem(term: Term, value: str, prefixes: int) -> Invalid | None:
    if len(term.tokens[-1]) < config.MIN_PREFIX_LENGTH:
        return Invalid(
            N_("%(typed)s: a star needs at least %(min)s letters before it, so it was left out."),
            typed=f"{value}*",
            min=config.MIN_PREFIX_LENGTH,
        )
    if prefixes == config.MAX_PREFIXES:
        return Invalid(
            N_("At most %(max)s words can end with a star: that of %(typed)s was left out."),
            max=config.MAX_PREFIXES,
            typed=f"{value}*",
        )
    return None
