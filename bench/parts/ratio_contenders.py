"""The contenders of the main table, and all servers that have to run for them."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.constants import DATABASE_URL, STATIC_RESPONSE, VOTED_ON
from bench.contenders import requests
from bench.contenders.contender import FORM_ACCEPTED, PAGE_SHOWN, Contender, page_contender
from bench.contenders.requests import MemberSession
from bench.contenders.workloads import BookVoteWorkload, SubmitWorkload, VoteWorkload
from bench.http_session import HttpSession
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
STATIC, PLAIN, LOGIN = "baseline-static", "baseline-plain", "baseline-login"


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
        baselines = _start_baselines(stack, server, context)
        yield (
            [
                *baselines,
                *_start_variants(stack, url, context),
                *_page_contenders(server, site, store, members),
                *_vote_contenders(server, store, members),
                *stack.enter_context(_book_contenders(site, context)),
            ],
            [baselines[-1], *_posting_contenders(server, site, store, members, context)],
        )


def _start_baselines(stack: ExitStack, site_server: Server, context: RunContext) -> list[Contender]:
    response = _save_front_page(HttpSession(site_server.origin), context.scratch_folder("response"))
    static = stack.enter_context(
        serve_app("bench.apps.baselines:static_response", context.logs / "static.log", **{STATIC_RESPONSE: response})
    )
    plain = stack.enter_context(serve_app("bench.apps.baselines:plain_flask", context.logs / "plain.log"))
    login = stack.enter_context(serve_app("bench.apps.baselines:flask_with_login", context.logs / "login.log"))
    members = requests.log_in_without_password(login.origin, voter_names())
    return [
        page_contender(STATIC, "bare WSGI, the front page's bytes", static, ["/"]),
        page_contender(PLAIN, "bare Flask", plain, ["/"]),
        page_contender(LOGIN, "Flask, session, login, CSRF", login, ["/"], members),
    ]


def _start_variants(stack: ExitStack, url: str, context: RunContext) -> list[Contender]:
    """Start the login baseline with the queries of the front page, and the site without cached pages."""
    queries = stack.enter_context(
        serve_app("bench.apps.baselines:flask_with_queries", context.logs / "queries.log", **{DATABASE_URL: url})
    )
    uncached = stack.enter_context(serve_site(url, context.logs / "uncached.log", VOTEWEB_PAGE_SECONDS="0"))
    members = requests.log_in_without_password(queries.origin, voter_names())
    return [
        page_contender("queries", "the same, with the front page's queries", queries, ["/"], members, baseline=LOGIN),
        page_contender("front-uncached", "front page, reader, not cached", uncached, ["/"], baseline=PLAIN),
    ]


def _save_front_page(session: HttpSession, folder: Path) -> str:
    """Save the front page of a reader in *folder* for the static baseline, and return the folder."""
    response = session.get("/")
    folder.mkdir(parents=True, exist_ok=True)
    added_by_server = ("date", "server", "connection")
    headers = [(name, value) for name, value in response.headers if name.lower() not in added_by_server]
    (folder / "headers.json").write_text(json.dumps(headers))
    (folder / "body").write_bytes(response.body)
    return str(folder)


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


def _vote_contenders(server: Server, store: Store, members: Sequence[MemberSession]) -> list[Contender]:
    articles = newest_ids(store, 2 * VOTED_ON)
    form = VoteWorkload(store, members, articles[::2], requests.vote_form_request)
    script = VoteWorkload(store, members, articles[1::2], requests.vote_script_request)
    return [
        Contender("vote-form", "vote by form", server, form.make_requests, FORM_ACCEPTED, LOGIN, form.count_mismatches),
        Contender(
            "vote-script", "vote by script", server, script.make_requests, PAGE_SHOWN, LOGIN, script.count_mismatches
        ),
    ]


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
    pipeline = store.pipeline()
    names = store.groups.queue_names(pipeline)
    pipeline.execute()
    rankings = [key(name) for name in names.result for key in (store.keys.group_by_score, store.keys.group_by_time)]
    store.connection.command("UNLINK", *rankings)
