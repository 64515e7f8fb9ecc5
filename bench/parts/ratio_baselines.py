"""The baselines of the main table, and the servers between them and the site."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.constants import DATABASE_URL, STATIC_RESPONSE
from bench.contenders import requests
from bench.contenders.contender import Contender, page_contender
from bench.contenders.requests import MemberSession
from bench.http_session import HttpSession
from bench.processes import Server, serve_app, serve_site
from bench.run_context import RunContext
from bench.sites.prepare import voter_names

STATIC, PLAIN, LOGIN = "baseline-static", "baseline-plain", "baseline-login"
UNSHARED = "front-member-unshared"


def start_baselines(stack: ExitStack, site_server: Server, context: RunContext) -> list[Contender]:
    """Start the apps that do only a part of the work, the one with log-in as the last."""
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


def start_variants(
    stack: ExitStack, url: str, members: Sequence[MemberSession], context: RunContext
) -> list[Contender]:
    """Start the login baseline as voteweb sets up Flask, and with its queries; and the site without kept pages."""
    queries = stack.enter_context(
        serve_app("bench.apps.baselines:flask_with_queries", context.logs / "queries.log", **{DATABASE_URL: url})
    )
    uncached = stack.enter_context(serve_site(url, context.logs / "uncached.log", VOTEWEB_PAGE_SECONDS="0"))
    tuned = stack.enter_context(serve_app("bench.apps.baselines:tuned_flask_with_login", context.logs / "tuned.log"))
    visitors = requests.log_in_without_password(queries.origin, voter_names())
    tuned_visitors = requests.log_in_without_password(tuned.origin, voter_names())
    return [
        page_contender("tuned", "the same, with voteweb's Flask", tuned, ["/"], tuned_visitors, baseline=LOGIN),
        page_contender("queries", "the same, with the front page's queries", queries, ["/"], visitors, baseline=LOGIN),
        page_contender("front-uncached", "front page, reader, not cached", uncached, ["/"], baseline=PLAIN),
        page_contender(UNSHARED, "front page, member, not shared", uncached, ["/"], members, baseline=LOGIN),
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
