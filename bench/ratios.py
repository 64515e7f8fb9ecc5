"""The main table: the site beside the floors and beside the book's own way, all on the same articles."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import figures, looks, rounds, shots
from bench.bars import Bar
from bench.contenders import SENT, Ballots, BookVotes, Contender, Postings, page
from bench.load import Sample
from bench.looks import opened
from bench.processes import app, copied, site
from bench.run import Run
from bench.settings import ANSWER, BOOK_URL, VOTED_ON
from bench.shots import Member
from bench.sites import Site, voters
from bench.tables import Figure, Table
from bench.visitor import Visitor
from voteweb.store import Store, keys

#: Requests a second that no contender for acts comes near: so many are made ready.
ACTS_MOST = 5_000
#: Articles that the book's members vote on: it cannot take votes back, so that there must be many.
BOOK_VOTED_ON = 5_000
BARE, HELLO, MEMBERS = "floor-bare", "floor-hello", "floor-members"


@dataclass(frozen=True, slots=True)
class Row:
    """One contender's figures: medians over the rounds, p50 and p99 in milliseconds.

    ``ratios`` of its rate to that of its floor in the same round: the median, the lowest, the highest. A floor has
    none, and neither has a row with errors, which is not valid.
    """

    key: str
    label: str
    floor: str
    rate: float
    p50: float
    p99: float
    errors: int
    ratios: tuple[float | None, float | None, float | None]


def part(run: Run) -> list[Table]:
    """Return the table of the real stories, or of the smallest generated site where there are none."""
    built = run.stories or run.generated[0]
    with _field(built, run) as (reading, posting):
        first, second = (rows(part, rounds.run(part, run)) for part in (reading, posting))
    found = first + [row for row in second if row.floor]
    return [_table(built, found)]


def _table(built: Site, found: Sequence[Row]) -> Table:
    labels = {row.key: row.label for row in found}
    return Table(
        "ratios",
        f"{built.survey.articles:,} articles: each beside its floor",
        ("contender", "ratio", "lowest", "highest", "requests/s", "p50 ms", "p99 ms", "errors", "floor"),
        [(row.label, *row.ratios, row.rate, row.p50, row.p99, row.errors, labels.get(row.floor, "")) for row in found],
        figures={row.key: Figure(row.ratios[0]) for row in found if row.floor},
        invalid=tuple(row.label for row in found if row.errors),
        bars=tuple(Bar(row.key, row.label, row.ratios[0]) for row in found if row.floor),
    )


def rows(taking_part: Sequence[Contender], samples: Sequence[dict[str, Sample]]) -> list[Row]:
    """Return the row of each contender over all rounds of *samples*."""
    by_key = figures.transposed(samples)
    return [_row(each, by_key[each.key], by_key.get(each.floor)) for each in taking_part]


def _row(each: Contender, mine: Sequence[Sample], floors: Sequence[Sample] | None) -> Row:
    middle = figures.middle(mine)
    found = figures.ratios(mine, floors) if floors and not middle.errors else []
    ratios = (median(found), min(found), max(found)) if found else (None, None, None)
    return Row(each.key, each.label, each.floor, middle.rate, middle.p50, middle.p99, middle.errors, ratios)


@contextmanager
def _field(built: Site, run: Run) -> Iterator[tuple[list[Contender], list[Contender]]]:
    """Start everything and yield the contenders: those that leave the site as it is, and those that add to it."""
    logs = run.logs
    with ExitStack() as stack:
        start = stack.enter_context
        url = start(copied(built.folder, run.copy("site"), run.engine))
        store = opened(url)
        stack.callback(store.connection.client.close)
        ours, rendered = (
            start(site(url, logs / "site.log")),
            start(site(url, logs / "rendered.log", VOTEWEB_PAGE_SECONDS="0")),
        )
        floor = start(app("bench.floors:members", logs / "members.log"))
        answer = _kept(Visitor(ours), run.copy("answer"))
        bare = start(app("bench.floors:bare", logs / "bare.log", **{ANSWER: str(answer)}))
        hello = start(app("bench.floors:hello", logs / "hello.log"))
        people = shots.logged_in(ours, voters())
        floors = [
            page(BARE, "bare WSGI, the front page's bytes", bare, ["/"]),
            page(HELLO, "bare Flask", hello, ["/"]),
            page(MEMBERS, "Flask, session, login, CSRF", floor, ["/"], shots.known(floor, voters())),
        ]
        reading = [
            *floors,
            page("front-rendered", "front page, reader, not cached", rendered, ["/"], floor=HELLO),
            *_pages(ours, built, store, people),
            *_votes(ours, store, people),
            *start(_book(built, run)),
        ]
        posting = [
            floors[-1],
            *_posts(ours, built, store, people, run),
        ]
        yield reading, posting


def _kept(visitor: Visitor, folder: Path) -> Path:
    """Put the front page, as a reader gets it, into *folder* for the bare contender, and return the folder."""
    found = visitor.open("/")
    folder.mkdir(parents=True, exist_ok=True)
    mine = [(name, value) for name, value in found.headers if name.lower() not in ("date", "server", "connection")]
    (folder / "headers.json").write_text(json.dumps(mine))
    (folder / "body").write_bytes(found.body)
    return folder


def _pages(origin: str, built: Site, store: Store, people: Sequence[Member]) -> list[Contender]:
    articles = [f"/a/{id}" for id in looks.newest(store, VOTED_ON // 2)]
    looked_at = {
        "front": ("front page", ["/"]),
        "new": ("/new", ["/new"]),
        "group": ("a group", [f"/g/{built.survey.group}"]),
        "combined": ("two groups combined", [f"/g/{built.survey.combined}"]),
        "article": ("an article", articles),
    }
    rows = []
    for key, (label, paths) in looked_at.items():
        rows.append(page(f"{key}-reader", f"{label}, reader", origin, paths, floor=BARE))
        rows.append(page(f"{key}-member", f"{label}, member", origin, paths, people, floor=MEMBERS))
    return rows


def _votes(origin: str, store: Store, people: Sequence[Member]) -> list[Contender]:
    ballots = Ballots(store, people, looks.newest(store, VOTED_ON))
    forms, jsons = ballots.requests(shots.vote_form), ballots.requests(shots.vote_json)
    return [
        Contender("vote-form", "vote by form", origin, lambda: forms, SENT, MEMBERS, ballots.undone),
        Contender("vote-json", "vote by script", origin, lambda: jsons, floor=MEMBERS, undone=ballots.undone),
    ]


def _posts(origin: str, built: Site, store: Store, people: Sequence[Member], run: Run) -> list[Contender]:
    postings = Postings(store, people, built.survey.group, round(ACTS_MOST * max(run.seconds, 1)))
    logins = [shots.log_in(Visitor(origin), each.name) for each in people]
    return [
        Contender("submit", "post an article", origin, postings.requests, SENT, MEMBERS, postings.undone),
        # One password at a time: each hash keeps the core busy for a fiftieth of a second.
        Contender("login", "log in (argon2)", origin, lambda: logins, SENT, MEMBERS, connections=1),
    ]


@contextmanager
def _book(built: Site, run: Run) -> Iterator[list[Contender]]:
    """Yield the book's contenders, on a database of their own that holds the same articles."""
    with copied(built.folder, run.copy("book"), run.engine) as url:
        store = opened(url)
        _forget_group_rankings(store)
        with app("bench.booksite:create_app", run.logs / "book.log", **{BOOK_URL: url}) as origin:
            people = shots.known(origin, voters())
            articles = looks.newest(store, BOOK_VOTED_ON)
            votes = BookVotes(store, people, articles, round(ACTS_MOST * max(run.seconds, 1)))
            group = f"/g/{built.survey.group}"
            sent = (SENT, MEMBERS, votes.undone)
            yield [
                page("book-front", "the book's way: a page", origin, ["/page"], people, floor=MEMBERS, shows="<li>"),
                page("book-group", "the book's way: a group", origin, [group], people, floor=MEMBERS, shows="<li>"),
                Contender("book-vote", "the book's way: a vote", origin, votes.requests, *sent),
            ]
        store.connection.client.close()


def _forget_group_rankings(store: Store) -> None:
    """Remove the rankings of groups, which the book's program makes when it wants one."""
    trip = store.trip()
    names = store.groups.ask_names(trip)
    trip.go()
    found = [spell(name) for name in names.value for spell in (keys.group_by_score, keys.group_by_time)]
    store.connection.command("UNLINK", *found)
