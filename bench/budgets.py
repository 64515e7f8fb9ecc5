"""The performance budgets, and the verdict of measured values on them."""

from typing import NamedTuple


class Measured(NamedTuple):
    """A value that a budget judges, None if its measurement is not valid; *row* names the row of the table."""

    value: float | None
    row: str = ""


class Budget(NamedTuple):
    """A bound on one measured value: a maximum, or the minimum of a ratio if there is no *unit*."""

    key: str
    description: str
    bound: float
    unit: str = ""

    def verdict(self, value: float | None) -> str:
        """Return whether *value* keeps within the bound."""
        if value is None:
            return "not measured"
        return "met" if (value <= self.bound if self.unit else value >= self.bound) else "missed"


BUDGETS = (
    Budget("front-reader", "front page, reader, of bare WSGI with the same bytes", 0.80),
    Budget("front-member", "front page, member, of Flask with session and login", 0.50),
    Budget("vote-form", "vote by form, of the same baseline", 0.45),
    Budget("mixed", "a vote, the voter's next page, nine pages of others", 0.44),
    Budget("thread-member", "a conversation of 100 comments, member", 0.30),
    Budget("front-member-unshared", "front page, member, with VOTEWEB_PAGE_SECONDS=0", 0.11),
    Budget("scaling-page", "a list page, largest site against smallest", 1.15, "times"),
    Budget("scaling-vote", "a vote, largest site against smallest", 1.15, "times"),
    Budget("blocking", "longest time that one command blocks Redis", 2.0, "ms"),
    Budget("memory", "an article with 10 voters and one group, a week after posting", 1_150, "bytes"),
    Budget("comment-memory", "a comment of 345 characters with 3 votes", 650, "bytes"),
    Budget("list-bytes", "a list page of 25 rows, reader or member", 30_000, "bytes"),
    Budget("list-gzip", "the same, compressed", 8_000, "bytes"),
    Budget("long-list-bytes", "a list page of 50 rows, reader or member", 45_000, "bytes"),
    Budget("long-list-gzip", "the same, compressed", 10_000, "bytes"),
    Budget("thread-bytes", "a page of 100 comments of 300 characters", 120_000, "bytes"),
    Budget("thread-gzip", "the same, compressed", 30_000, "bytes"),
    Budget("thread-trips", "the same", 2, "round trips"),
    Budget("thread-read", "time inside Redis of reading a conversation of 10,000", 2.0, "ms"),
    Budget("list-requests", "a list page without script", 3, "requests"),
)
