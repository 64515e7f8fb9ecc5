"""The places where pages of lists begin, as ``next`` names them: of lists by time, and of others."""

import re
from typing import Annotated, NamedTuple

from msgspec import Meta

from voteweb.core import config, errors
from voteweb.web.api.operations import Input

#: Digits of the number of a page, and the time of the last row of the page before with its id.
_NUMBER = re.compile(f"[1-9][0-9]{{0,{config.MAX_PAGE_DIGITS - 1}}}")
_PLACE = re.compile(rf"({config.TIME_PATTERN})-([0-9]{{1,15}})")


class AnyPage(Input, kw_only=True):
    """The page of a list: the first unless ``next`` says what it was in the page before."""

    next: Annotated[str, Meta(max_length=100, description="The field `next` of the page before.")] = ""


class SizedPage(AnyPage, kw_only=True):
    """The page of a list, with ``limit`` rows at most."""

    limit: Annotated[int, Meta(ge=1, le=config.MAX_API_ROWS, description="Rows on a page.")] = config.API_ROWS


class Place(NamedTuple):
    """The row after which a page of a list by time begins, by unix time, then id."""

    time: float
    id: int

    def __str__(self) -> str:
        return f"{self.time!r}-{self.id}"


def parse_place(next: str) -> Place | None:
    """Return the place in the parameter *next*, None if it is empty; raises NoSuchPage."""
    match = _PLACE.fullmatch(next)
    if next and not match:
        raise errors.NoSuchPage()
    return Place(float(match[1]), int(match[2])) if match else None


def parse_number(next: str) -> int:
    """Return the number of the page in the parameter *next*, 1 if it is empty; raises NoSuchPage."""
    if next and not _NUMBER.fullmatch(next):
        raise errors.NoSuchPage()
    return int(next or 1)
