"""What one page costs, counted: round trips to Redis, time inside it, bytes, requests of a browser without script."""

import gzip
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from bench import booksite, looks, pages
from bench.inside import Person, counted, made
from bench.looks import opened
from bench.processes import copied
from bench.run import Run
from bench.settings import DATABASE_URL
from bench.sites import Site, voters
from bench.slowlog import asked_for, watched
from bench.tables import Cell, Figure, Table
from voteweb.core.validation import new_form_token
from voteweb.store import Store

#: How often each is asked for; the median of the time inside Redis is told.
TIMES = 7
#: As proxies compress by default.
GZIP_LEVEL = 6
#: What a browser without script asks for besides a page: style sheets, icons, pictures.
_BESIDES = re.compile(r'<link rel="(?:icon|stylesheet)"[^>]* href="([^"]+)"|<img[^>]* src="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Cost:
    """What one page or act cost; ``inside`` Redis in microseconds."""

    label: str
    who: str
    trips: int
    inside: int | None
    size: int = 0
    packed: int = 0
    requests: int = 0
    is_list: bool = False


def part(run: Run) -> list[Table]:
    """Return the costs on every site: the most of round trips and bytes, the time inside Redis on each."""
    built = [*run.generated, *([run.stories] if run.stories else [])]
    by_site = []
    for each in built:
        run.tell(f"counting on {each.name}")
        by_site.append(_on(each, run))
    rows = [_row(same) for same in zip(*by_site, strict=True)]
    lists = [cost for costs in by_site for cost in costs if cost.is_list]
    return [
        Table(
            "counts",
            "Costs of one request: microseconds inside Redis on each site, the most of all else",
            ("what", "who", "round trips", *(f"µs, {each.name}" for each in built), "bytes", "gzip", "requests"),
            rows,
            figures={
                "bytes": _most(lists, lambda cost: cost.size),
                "gzip": _most(lists, lambda cost: cost.packed),
                "requests": _most(lists, lambda cost: cost.requests),
            },
        )
    ]


def _row(same: Sequence[Cost]) -> tuple[Cell, ...]:
    first = same[0]
    most = (max(each.size for each in same), max(each.packed for each in same), max(each.requests for each in same))
    trips = max(each.trips for each in same)
    return (first.label, first.who, trips, *(each.inside for each in same), *(number or None for number in most))


def _most(lists: Sequence[Cost], what: Callable[[Cost], int]) -> Figure:
    worst = max(lists, key=what)
    return Figure(float(what(worst)), f"{worst.label}, {worst.who}")


def _on(built: Site, run: Run) -> list[Cost]:
    with copied(built.folder, run.copy("counts"), run.engine) as url:
        store, app = opened(url), made(url)
        reader, member = Person(app), Person(app, voters()[0])
        costs = [
            _page(store, person, each)
            for each in pages.all_pages(built, store)
            for person in (reader, member)
            if person is reader or each.is_list
        ]
        costs += [_act(store, *each) for each in _acts(store, member, built.survey.group)]
        os.environ[DATABASE_URL] = url
        book = Person(booksite.create_app())
        book.take_token("/log-in/1")
        costs += [_act(store, *each, who="the book") for each in _book_acts(store, book)]
        store.connection.client.close()
    return costs


def _page(store: Store, person: Person, page: pages.Page) -> Cost:
    found: list[bytes] = []
    trips, inside = _cost(store, lambda: found.append(person.get(page.path)))
    besides = {address for pair in _BESIDES.findall(found[-1].decode()) for address in pair if address}
    return Cost(
        page.label,
        "member" if person.name else "reader",
        trips,
        inside,
        len(found[-1]),
        len(gzip.compress(found[-1], GZIP_LEVEL)),
        1 + len(besides),
        page.is_list,
    )


def _acts(store: Store, member: Person, group: str) -> list[tuple[str, Callable[[], object]]]:
    articles = iter(looks.newest(store, TIMES + 1))

    def post() -> None:
        once = new_form_token()
        member.post("/submit", title=f"Title {once}", link=f"https://example.com/{once}", groups=group, once=once)

    return [
        ("a vote by form", lambda: member.post(f"/a/{next(articles)}/vote")),
        ("post an article", post),
        ("the account with the votes of a week", lambda: member.get("/account")),
    ]


def _book_acts(store: Store, book: Person) -> list[tuple[str, Callable[[], object]]]:
    articles = iter(looks.newest(store, TIMES + 1))
    return [
        ("front page", lambda: book.get("/page")),
        ("a vote by form", lambda: book.post(f"/a/{next(articles)}/vote")),
    ]


def _act(store: Store, label: str, do: Callable[[], object], who: str = "member") -> Cost:
    return Cost(label, who, *_cost(store, do))


def _cost(store: Store, do: Callable[[], object]) -> tuple[int, int | None]:
    """Return the round trips and the microseconds inside Redis of doing this; done once before, unmeasured.

    What asks for more than the log holds has no time.
    """
    do()
    times: list[float] = []
    for _ in range(TIMES):
        with watched(store.connection.client) as commands, counted() as trips:
            do()
        own = asked_for(commands, trips.names)
        if len(own) == len(trips.names):
            times.append(sum(each.seconds for each in own) * 1e6)
    return trips.count, round(median(times)) if times else None
