"""List pages: one round trip for a reader, one or two for a member, whatever is listed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from flask import render_template, request

from voteweb import rules
from voteweb.errors import NoSuchPage
from voteweb.login import ask_viewer, page_trip, store, viewer_id
from voteweb.models import Article, Page, User
from voteweb.store.listings import Ranking
from voteweb.store.trip import Reply, Trip
from voteweb.store.votes import marked

#: Digits of the highest page number that is looked up at all.
_DIGITS_MOST = 9

T = TypeVar("T")
Question = Callable[[Trip], Reply[Any]]


def page_number() -> int:
    """Return the page that the address asks for, 1 when it asks for none; raise NoSuchPage when it is none."""
    asked = request.args.get("page", "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) <= _DIGITS_MOST and asked[0] != "0"):
        raise NoSuchPage()
    return int(asked)


def show(
    template: str,
    which: Ranking,
    *,
    check: Callable[[dict[str, Any]], None] = lambda answers: None,
    questions: dict[str, Question] | None = None,
    **context: Any,
) -> str:
    """Return *template* rendered with ``page``, the page of the ranking *which* that the address asks for.

    *questions* are asked in the same round trip, and the template is given their answers by name;
    *check* is given them first and may raise what is wrong with them.
    """
    number = page_number()
    trip = page_trip()
    viewer = ask_viewer(trip)
    asked = {name: question(trip) for name, question in (questions or {}).items()}
    listed = store().listings.ask(trip, which, number)
    own = ask_own(trip, store().listings.likely(which, number))
    trip.go()
    answers = {name: reply.value for name, reply in asked.items()}
    check(answers)
    page = refuse_past_end(listed.value)
    rows, names = with_own(page.rows, viewer.value, own.value)
    return render_template(template, page=replace(page, rows=rows), all_groups=names, **answers, **context)


def refuse_past_end(page: Page[T]) -> Page[T]:
    """Return *page*; raise NoSuchPage when it lies past the end of its list."""
    if page.number > 1 and page.first > page.total:
        raise NoSuchPage()
    return page


def ask_own(trip: Trip, ids: Sequence[int]) -> Reply[dict[int, bool]]:
    """Queue the question for which of the articles *ids* the viewer has voted, before it is known who that is."""
    voter = viewer_id()
    return store().votes.ask_own(trip, ids if voter else (), voter)


def with_own(
    articles: tuple[Article, ...], viewer: User | None, own: Mapping[int, bool] | None = None
) -> tuple[tuple[Article, ...], tuple[str, ...]]:
    """Return *articles* with the votes of *viewer* marked and, for a moderator, the names of all groups.

    *own* are the votes that were asked for already. One round trip for what is missing, none for a reader.
    """
    if viewer is None:
        return articles, ()
    known = own or {}
    trip = store().trip()
    more = store().votes.ask_own(trip, [each.id for each in articles if each.id not in known], viewer.id)
    names = store().groups.ask_names(trip) if rules.may_moderate(viewer) else None
    trip.go()
    return marked(articles, {**known, **more.value}), names.value if names else ()
