"""The contenders of the main table, and all servers that have to run for them."""

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from bench.constants import DATABASE_URL, VOTED_ON
from bench.contenders import requests
from bench.contenders.contender import FORM_ACCEPTED, Contender, page_contender
from bench.contenders.requests import MemberSession
from bench.contenders.workloads import BookVoteWorkload, SubmitWorkload
from bench.http_session import HttpSession
from bench.parts.ratio_baselines import LOGIN, STATIC, start_baselines, start_variants
from bench.parts.ratio_votes import cast_own_votes, vote_contenders
from bench.processes import Server, database_copy, serve_app, serve_site
from bench.run_context import RunContext
from bench.sites.prepare import Site, voter_names
from bench.sites.queries import newest_ids, open_store_at, votable_ids
from bench.sites.threads import write_thread
from voteweb.store import Store

#: Writes a second that no contender reaches: requests for so many are prepared.
MAX_WRITE_RATE = 5_000
#: Articles that the book's members vote on, each of them once.
BOOK_VOTED_ON = 500
#: Comments of the conversation whose page is measured, and characters of each.
THREAD_SIZE, THREAD_TEXT_LENGTH = 100, 300


@contextmanager
def start_contenders(site: Site, context: RunContext) -> Iterator[tuple[list[Contender], list[Contender]]]:
    """Start all servers and yield the contenders that leave the site as it is, and those that add to it.

    The baseline of the latter is in both lists.
    """
    with ExitStack() as stack:
        url = stack.enter_context(database_copy(site.folder, context.scratch_folder("site"), context.engine))
        store = open_store_at(url)
        stack.callback(store.connection.client.close)
        server = stack.enter_context(serve_site(url, context.logs / "site.log"))
        members = requests.log_in_members(server.origin, voter_names())
        cast_own_votes(store, members)
        baselines = start_baselines(stack, server, context)
        yield (
            [
                *baselines,
                *start_variants(stack, url, members, context),
                *_page_contenders(server, site, store, members),
                *vote_contenders(server, store, members),
                *stack.enter_context(_book_contenders(site, context)),
            ],
            [baselines[-1], *_posting_contenders(server, site, store, members, context)],
        )


def _page_contenders(server: Server, site: Site, store: Store, members: Sequence[MemberSession]) -> list[Contender]:
    pages = {
        "front": ("front page", ["/"]),
        "new": ("/new", ["/new"]),
        "group": ("a group", [f"/g/{site.profile.group}"]),
        "combined": ("two groups combined", [f"/g/{site.profile.combined}"]),
        "article": ("an article", [f"/a/{id}" for id in newest_ids(store, VOTED_ON // 2)]),
    }
    thread = newest_ids(store, VOTED_ON)[0]
    write_thread(store, thread, THREAD_SIZE, THREAD_TEXT_LENGTH)
    pages["thread"] = (f"a conversation of {THREAD_SIZE}", [f"/a/{thread}"])
    contenders = []
    for key, (label, paths) in pages.items():
        contenders += [
            page_contender(f"{key}-reader", f"{label}, reader", server, paths, baseline=STATIC),
            page_contender(f"{key}-member", f"{label}, member", server, paths, members, baseline=LOGIN),
        ]
    return contenders


def _posting_contenders(
    server: Server, site: Site, store: Store, members: Sequence[MemberSession], context: RunContext
) -> list[Contender]:
    submit = SubmitWorkload(store, members, site.profile.group, _max_writes(context))
    logins = [requests.login_request(HttpSession(server.origin), member.name) for member in members]
    return [
        Contender(
            "submit", "post an article", server, submit.make_requests, FORM_ACCEPTED, LOGIN, submit.count_mismatches
        ),
        # One connection: a password hash keeps the core of the server busy for a fiftieth of a second.
        Contender("login", "log in (argon2)", server, lambda: logins, FORM_ACCEPTED, LOGIN, connections=1),
    ]


@contextmanager
def _book_contenders(site: Site, context: RunContext) -> Iterator[list[Contender]]:
    """Start the book's program on another copy of the site and yield its contenders."""
    with database_copy(site.folder, context.scratch_folder("book"), context.engine) as url:
        store = open_store_at(url)
        _delete_group_rankings(store)
        with serve_app("bench.apps.book_site:create_app", context.logs / "book.log", **{DATABASE_URL: url}) as server:
            articles = votable_ids(store, BOOK_VOTED_ON)
            names = [f"voter{number}" for number in range(math.ceil(_max_writes(context) / len(articles)))]
            members = requests.log_in_without_password(server.origin, names)
            votes = BookVoteWorkload(store, members, articles)
            group = f"/g/{site.profile.group}"
            pages = {"book-front": ("a page", "/page"), "book-group": ("a group", group)}
            yield [
                *(
                    page_contender(
                        key,
                        f"the book's program: {label}",
                        server,
                        [path],
                        members,
                        baseline=LOGIN,
                        expected_text="<li>",
                    )
                    for key, (label, path) in pages.items()
                ),
                Contender(
                    "book-vote",
                    "the book's program: a vote",
                    server,
                    votes.make_requests,
                    FORM_ACCEPTED,
                    LOGIN,
                    votes.count_mismatches,
                ),
            ]
        store.connection.client.close()


def _max_writes(context: RunContext) -> int:
    """Return how many writes to prepare for one measurement."""
    return round(MAX_WRITE_RATE * max(context.seconds, 1))


def _delete_group_rankings(store: Store) -> None:
    """Delete the rankings of groups, which the book's program builds when a page needs them."""
    names = store.read(store.groups.queue_names)
    rankings = [key(name) for name in names for key in (store.keys.group_by_score, store.keys.group_by_time)]
    store.connection.command("UNLINK", *rankings)
