"""Who takes part in the main table, and everything that has to run for it."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import looks, shots
from bench.contenders import SENT, SHOWN, Ballots, BookVotes, Contender, Postings, page
from bench.looks import opened
from bench.processes import Server, app, copied, site
from bench.run import Run
from bench.settings import ANSWER, DATABASE_URL, VOTED_ON
from bench.shots import Member
from bench.sites import Site, voters
from bench.visitor import Visitor
from voteweb.store import Store, keys

#: Requests a second that no contender for acts comes near: so many are made ready.
ACTS_MOST = 5_000
#: Articles that the book's members vote on, each of them once.
BOOK_VOTED_ON = 500
BARE, HELLO, MEMBERS = "floor-bare", "floor-hello", "floor-members"


@contextmanager
def lineup(built: Site, run: Run) -> Iterator[tuple[list[Contender], list[Contender]]]:
    """Start everything and yield the contenders: those that leave the site as it is, and those that add to it."""
    logs = run.logs
    with ExitStack() as stack:
        start = stack.enter_context
        url = start(copied(built.folder, run.copy("site"), run.engine))
        store = opened(url)
        stack.callback(store.connection.client.close)
        ours = start(site(url, logs / "site.log"))
        rendered = start(site(url, logs / "rendered.log", VOTEWEB_PAGE_SECONDS="0"))
        floor = start(app("bench.floors:members", logs / "members.log"))
        asking = start(app("bench.floors:asking", logs / "asking.log", **{DATABASE_URL: url}))
        answer = _kept(Visitor(ours.origin), run.copy("answer"))
        bare = start(app("bench.floors:bare", logs / "bare.log", **{ANSWER: str(answer)}))
        hello = start(app("bench.floors:hello", logs / "hello.log"))
        people = shots.logged_in(ours.origin, voters())
        floors = [
            page(BARE, "bare WSGI, the front page's bytes", bare, ["/"]),
            page(HELLO, "bare Flask", hello, ["/"]),
            page(MEMBERS, "Flask, session, login, CSRF", floor, ["/"], shots.known(floor.origin, voters())),
        ]
        reading = [
            *floors,
            page(
                "asking",
                "the same, asking what the front page asks",
                asking,
                ["/"],
                shots.known(asking.origin, voters()),
                floor=MEMBERS,
            ),
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


def _pages(server: Server, built: Site, store: Store, people: Sequence[Member]) -> list[Contender]:
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
        rows.append(page(f"{key}-reader", f"{label}, reader", server, paths, floor=BARE))
        rows.append(page(f"{key}-member", f"{label}, member", server, paths, people, floor=MEMBERS))
    return rows


def _votes(server: Server, store: Store, people: Sequence[Member]) -> list[Contender]:
    articles = looks.newest(store, 2 * VOTED_ON)
    forms = Ballots(store, people, articles[::2], shots.vote_form)
    scripts = Ballots(store, people, articles[1::2], shots.vote_json)
    return [
        Contender("vote-form", "vote by form", server, forms.requests, SENT, MEMBERS, forms.undone),
        Contender("vote-json", "vote by script", server, scripts.requests, SHOWN, MEMBERS, scripts.undone),
    ]


def _posts(server: Server, built: Site, store: Store, people: Sequence[Member], run: Run) -> list[Contender]:
    postings = Postings(store, people, built.survey.group, _acts_most(run))
    logins = [shots.log_in(Visitor(server.origin), each.name) for each in people]
    return [
        Contender("submit", "post an article", server, postings.requests, SENT, MEMBERS, postings.undone),
        # One password at a time: each hash keeps the core busy for a fiftieth of a second.
        Contender("login", "log in (argon2)", server, lambda: logins, SENT, MEMBERS, connections=1),
    ]


@contextmanager
def _book(built: Site, run: Run) -> Iterator[list[Contender]]:
    """Yield the book's contenders, on a database of their own that holds the same articles."""
    with copied(built.folder, run.copy("book"), run.engine) as url:
        store = opened(url)
        _forget_group_rankings(store)
        with app("bench.booksite:create_app", run.logs / "book.log", **{DATABASE_URL: url}) as server:
            articles = looks.open_to_votes(store, BOOK_VOTED_ON)
            count = math.ceil(_acts_most(run) / len(articles))
            people = shots.known(server.origin, [f"voter{i}" for i in range(count)])
            votes = BookVotes(store, people, articles)
            group = f"/g/{built.survey.group}"
            sent = (SENT, MEMBERS, votes.undone)
            yield [
                page("book-front", "the book's way: a page", server, ["/page"], people, floor=MEMBERS, shows="<li>"),
                page("book-group", "the book's way: a group", server, [group], people, floor=MEMBERS, shows="<li>"),
                Contender("book-vote", "the book's way: a vote", server, votes.requests, *sent),
            ]
        store.connection.client.close()


def _acts_most(run: Run) -> int:
    """Return how many acts to make ready for one measurement."""
    return round(ACTS_MOST * max(run.seconds, 1))


def _forget_group_rankings(store: Store) -> None:
    """Remove the rankings of groups, which the book's program makes when it wants one."""
    pipeline = store.pipeline()
    names = store.groups.queue_names(pipeline)
    pipeline.execute()
    found = [spell(name) for name in names.result for spell in (keys.group_by_score, keys.group_by_time)]
    store.connection.command("UNLINK", *found)
