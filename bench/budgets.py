"""The performance budgets, and the verdict of measured values on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The result of comparing a measured value with its budget."""

    AIM_MET = "aim met"
    MET = "met"
    MISSED = "missed"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Budget:
    """The bound *must* on one measured value, and the goal *aim*, if there is one.

    Both are maxima, or minima if *is_minimum*. The *note* is shown with the verdict.
    """

    key: str
    description: str
    must: float
    aim: float | None = None
    unit: str = ""
    is_minimum: bool = False
    note: str = ""

    def allows(self, value: float, bound: float) -> bool:
        """Tell whether *value* keeps within *bound*."""
        return value >= bound if self.is_minimum else value <= bound


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A value that a budget judges, None if its measurement is not valid; *row* names the row of the table."""

    value: float | None
    row: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A budget and the value that was measured for it."""

    budget: Budget
    measured: MeasuredValue

    @property
    def status(self) -> Status:
        """Whether the value meets the aim, the bound or neither."""
        budget, value = self.budget, self.measured.value
        if value is None:
            return Status.NOT_MEASURED
        if budget.aim is not None and budget.allows(value, budget.aim):
            return Status.AIM_MET
        return Status.MET if budget.allows(value, budget.must) else Status.MISSED


BUDGETS = (
    Budget("front-reader", "front page, reader, of bare WSGI with the same bytes", 0.80, 0.9, is_minimum=True),
    Budget("front-member", "front page, member, of Flask with session and login", 0.50, 0.6, is_minimum=True),
    Budget("vote-form", "vote by form, of the same baseline", 0.45, 0.52, is_minimum=True),
    Budget("mixed", "a vote, the voter's next page, nine pages of others", 0.45, 0.53, is_minimum=True),
    Budget("thread-member", "a conversation of 100 comments, member", 0.30, is_minimum=True),
    Budget(
        "front-member-unshared",
        "front page, member, with VOTEWEB_PAGE_SECONDS=0",
        0.11,
        is_minimum=True,
        note="as before members shared lists",
    ),
    Budget("scaling-page", "a list page, largest site against smallest", 1.15, 1.05, "times"),
    Budget("scaling-vote", "a vote, largest site against smallest", 1.15, 1.05, "times"),
    Budget("blocking", "longest time that one command blocks Redis", 2.0, 1.0, "ms"),
    Budget(
        "memory",
        "memory per article with 10 voters and one group, a week after posting, without the features",
        1_000,
        850,
        "bytes",
    ),
    Budget("memory-all", "the same, with the features", 1_150, unit="bytes"),
    Budget("list-bytes", "a list page of 25 rows, reader or member", 30_000, unit="bytes"),
    Budget("list-gzip", "the same, compressed", 8_000, unit="bytes"),
    Budget("long-list-bytes", "a list page of 50 rows, reader or member", 45_000, unit="bytes"),
    Budget("long-list-gzip", "the same, compressed", 10_000, unit="bytes"),
    Budget("comment-memory", "memory per comment of 345 characters with 3 votes", 650, unit="bytes"),
    Budget("thread-read", "time inside Redis of reading a conversation of 10,000", 2.0, unit="ms"),
    Budget("thread-trips", "round trips of a page of a conversation", 2),
    Budget("thread-bytes", "a page of 100 comments of 300 characters", 120_000, unit="bytes"),
    Budget("thread-gzip", "the same, compressed", 30_000, unit="bytes"),
    Budget("search-new", "a search, newest first, p50", 5.0, unit="ms"),
    Budget("search-relevance", "a search by relevance, p99", 50.0, unit="ms"),
    Budget("search-articles-bytes", "the index of search, for an article", 420, unit="bytes"),
    Budget("search-comments-bytes", "the index of search, for a comment", 280, unit="bytes"),
    Budget("search-visible", "from posted to found by another process, p99", 1.0, unit="s"),
    Budget("search-lists", "list pages with search, of the same without", 1.05, unit="times"),
    Budget("cluster-vote", "vote by form on a cluster, of the same on one server", 0.9, 0.97, is_minimum=True),
    Budget("cluster-front", "front page, member, on a cluster, of the same on one server", 0.9, 0.97, is_minimum=True),
    Budget("list-requests", "requests of a list page without script", 3),
)


def judge(measured: Mapping[str, MeasuredValue], budgets: Iterable[Budget] = BUDGETS) -> list[Verdict]:
    """Return the verdict on each of *budgets* from the *measured* values by its key."""
    return [Verdict(budget, measured.get(budget.key, MeasuredValue(None))) for budget in budgets]
