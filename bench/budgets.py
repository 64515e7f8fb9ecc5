"""The budgets, and whether a figure meets them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.tables import Figure, Table

MET_AIM, MET_MUST, MISSED, UNKNOWN = "aim met", "must met", "MISSED", "not measured"


@dataclass(frozen=True, slots=True)
class Budget:
    """What is asked of one figure: *must* at the least, *aim* to be content; as a floor or, ``is_most``, a ceiling."""

    key: str
    what: str
    must: float
    aim: float
    unit: str = ""
    is_most: bool = True

    def holds(self, value: float, bound: float) -> bool:
        """Tell whether *value* keeps within *bound*."""
        return value <= bound if self.is_most else value >= bound


@dataclass(frozen=True, slots=True)
class Verdict:
    """A budget beside the figure that was measured, without a value where it was not or was not valid."""

    budget: Budget
    figure: Figure

    @property
    def word(self) -> str:
        """One of MET_AIM, MET_MUST, MISSED, UNKNOWN."""
        value = self.figure.value
        if value is None:
            return UNKNOWN
        if self.budget.holds(value, self.budget.aim):
            return MET_AIM
        return MET_MUST if self.budget.holds(value, self.budget.must) else MISSED


BUDGETS = (
    Budget("front-reader", "front page, reader, of bare WSGI with the same bytes", 0.7, 0.9, is_most=False),
    Budget("front-member", "front page, member, of Flask with session and login", 0.4, 0.6, is_most=False),
    Budget("vote-form", "vote by form, of the same floor", 0.38, 0.6, is_most=False),
    Budget("flat-page", "a list page, largest site against smallest", 1.2, 1.05, "times"),
    Budget("flat-vote", "a vote, largest site against smallest", 1.2, 1.05, "times"),
    Budget("blocked", "longest time that one command blocks Redis", 5.0, 1.0, "ms"),
    Budget("memory", "memory per article, 10 voters, one group", 1_100, 900, "bytes"),
    Budget("bytes", "a list page, reader or member", 30_000, 30_000, "bytes"),
    Budget("gzip", "the same, compressed", 8_000, 8_000, "bytes"),
    Budget("requests", "requests of a page without script", 3, 3, ""),
)


def judge(figures: Mapping[str, Figure], budgets: Iterable[Budget] = BUDGETS) -> list[Verdict]:
    """Return the verdict on each of *budgets* by *figures*, which go by the budgets' keys."""
    return [Verdict(each, figures.get(each.key, Figure(None))) for each in budgets]


def table(verdicts: Sequence[Verdict]) -> Table:
    """Return the verdicts as a table."""
    return Table(
        "verdicts",
        "Budgets",
        ("what", "verdict", "measured", "must", "aim", "unit", "of"),
        [
            (each.budget.what, each.word, each.figure.value, *_bounds(each.budget), each.budget.unit, each.figure.of)
            for each in verdicts
        ],
    )


def _bounds(budget: Budget) -> tuple[str, str]:
    sign = "≤" if budget.is_most else "≥"
    return f"{sign} {budget.must:g}", f"{sign} {budget.aim:g}"
