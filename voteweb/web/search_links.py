"""Links of the page of a search: its orders and kinds, what narrows it, and what widens it."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from flask_babel import lazy_gettext as _l

from voteweb.core import config
from voteweb.core.comments import ListedComment
from voteweb.core.models import Article, Page
from voteweb.search.grammar import Query
from voteweb.search.models import Kind, Order
from voteweb.search.suggestions import exactly, with_beginnings
from voteweb.web.context import now
from voteweb.web.i18n.formatting import format_number
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.search_results import Matches, Search

ORDER_NAMES = {Order.RELEVANCE: _l("Relevance"), Order.NEW: _l("Newest"), Order.VOTES: _l("Most votes")}
KIND_NAMES = {Kind.ARTICLES: _l("Articles"), Kind.COMMENTS: _l("Comments")}
#: Groups and people that are offered at most.
_MAX_OFFERED = 5
#: Results from which on a search can be narrowed, and below which it may be widened.
_MIN_NARROWED, _FEW = 5, 10
#: The fields that limit a search.
_LIMITING = ("group", "by", "domain", "after", "before")


class Link(NamedTuple):
    """A link to another search, or to this one."""

    label: str
    address: str
    is_current: bool = False


class Links(NamedTuple):
    """The links of a page of results.

    ``typed`` finds only the words that were typed, None if the results are theirs. ``limits`` are limits of the query,
    each with the address of the search without it; ``wider`` finds words that begin with those of the query, None where
    that makes no sense. ``parameters`` are those of this search, encoded; ``feed`` is the query of its feed.
    """

    typed: Link | None
    kinds: tuple[Link, ...]
    orders: tuple[Link, ...]
    limits: tuple[Link, ...]
    groups: tuple[Link, ...]
    people: tuple[Link, ...]
    times: tuple[Link, ...]
    wider: Link | None
    parameters: str
    feed: str


def make(typed: Query, matches: Matches, page: Page[Article] | Page[ListedComment]) -> Links:
    """Return the links of *page*, for which a query was *typed*."""
    search = matches.search
    query, order = search.query, search.order
    can_narrow = page.total >= _MIN_NARROWED
    used = {part.field for part in query.parts}
    groups, people = _names(page.rows)
    wider = with_beginnings(query) if 0 < page.total < _FEW else query
    return Links(
        typed=None if typed == query else Link(typed.text, _address(exactly(typed).text, order)),
        kinds=tuple(_kind(query, order, kind, matches) for kind in Kind if kind in matches.totals),
        orders=tuple(Link(str(ORDER_NAMES[one]), _address(query.text, one), one is order) for one in Order),
        limits=tuple(
            Link(part.text, _address(query.without_field(part.field), order))
            for part in query.parts
            if part.field in _LIMITING and not part.is_excluded
        ),
        groups=_offer(search, "group", groups, page.total) if can_narrow and "group" not in used else (),
        people=_offer(search, "by", people, page.total) if can_narrow and "by" not in used else (),
        times=_times(search) if can_narrow and not used & {"after", "before"} else (),
        wider=Link(wider.text, _address(wider.text, order)) if wider.parts != query.parts else None,
        parameters=parameters(query.text, order),
        feed=f"?{parameters(_text_of_feed(query, matches.kind))}",
    )


def _address(typed: str, order: Order) -> str:
    return f"/search?{parameters(typed, order)}"


def parameters(typed: str, order: Order = Order.RELEVANCE) -> str:
    """Return the parameters of the address of a search, encoded."""
    return urlencode({"q": typed} | ({} if order is Order.RELEVANCE else {"sort": order.value}), errors="replace")


def _text_of_feed(query: Query, kind: Kind) -> str:
    """Return the text whose feed has results of this *kind*: without one it has articles."""
    return query.text if kind is (query.kind or Kind.ARTICLES) else query.with_term(f"in:{kind}")


def _kind(query: Query, order: Order, kind: Kind, matches: Matches) -> Link:
    total = matches.totals[kind]
    count = format_number(total) if total <= config.MAX_COUNTED else f"{format_number(config.MAX_COUNTED)}+"
    return Link(f"{KIND_NAMES[kind]} ({count})", _address(query.with_term(f"in:{kind}"), order), kind is matches.kind)


def _names(rows: Iterable[Article | ListedComment]) -> tuple[Counter[str], Counter[str]]:
    """Return how many of *rows* are in each group, and by each poster or author."""
    groups: Counter[str] = Counter()
    people: Counter[str] = Counter()
    for row in rows:
        if isinstance(row, Article):
            groups.update(row.groups)
        people[row.poster if isinstance(row, Article) else row.node.author] += 1
    return groups, people


def _offer(search: Search, field: str, names: Counter[str], total: int) -> tuple[Link, ...]:
    """Return links to the most frequent *names* that more than one result has, and not all of them."""
    wanted = [name for name, count in names.most_common() if 1 < count < total and name]
    return tuple(
        Link(name, _address(search.query.with_term(f"{field}:{name}"), search.order)) for name in wanted[:_MAX_OFFERED]
    )


def _times(search: Search) -> tuple[Link, ...]:
    today = datetime.fromtimestamp(now(), UTC).date()
    spans = ((_("this week"), 7), (_("this month"), 30), (_("this year"), 365))
    return tuple(
        Link(label, _address(search.query.with_term(f"after:{today - timedelta(days)}"), search.order))
        for label, days in spans
    )
