"""The requests that contenders get: pages with or without a member's cookie, votes, articles, log-ins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from bench.constants import PASSWORD
from bench.http_session import HttpSession
from bench.load.measurement import Request
from voteweb.core.validation import new_submission_token

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, slots=True)
class MemberSession:
    """A logged-in member: the header Cookie and the token of the member's forms."""

    name: str
    cookie: str
    csrf_token: str


def log_in_members(origin: str, names: Sequence[str]) -> list[MemberSession]:
    """Log these members in to voteweb."""
    members = []
    for name in names:
        session = HttpSession(origin)
        csrf_token = session.log_in(name)
        members.append(MemberSession(name, session.lasting_cookie, csrf_token))
    return members


def log_in_without_password(origin: str, names: Sequence[str]) -> list[MemberSession]:
    """Log these members in to one of the apps in bench/apps, which need no password."""
    members = []
    for name in names:
        session = HttpSession(origin)
        csrf_token = session.get(f"/log-in/{name}").csrf_token
        members.append(MemberSession(name, session.cookie, csrf_token))
    return members


def page_requests(paths: Sequence[str], members: Sequence[MemberSession] = ()) -> list[Request]:
    """Return requests for *paths*, by the *members* in turn, or by a reader if there are none."""
    if not members:
        return [Request(path) for path in paths]
    count = max(len(paths), len(members))
    return [Request(paths[n % len(paths)], headers={"Cookie": members[n % len(members)].cookie}) for n in range(count)]


def vote_pairs(members: Sequence[MemberSession], articles: Sequence[int]) -> Iterator[tuple[MemberSession, int]]:
    """Yield every pair of a member and an article once; both change with each pair."""
    for offset in range(len(members)):
        for index, article in enumerate(articles):
            yield members[(offset + index) % len(members)], article


def read_cookie_after_vote(origin: str, member: MemberSession, article: int) -> str:
    """Return the header Cookie of the page that *member* reads after a vote: cast one, and take it back."""
    session = HttpSession(origin, member.cookie)
    for action in ("vote", "unvote"):
        session.post(f"/a/{article}/{action}", {"csrf_token": member.csrf_token})
    return session.cookie


def vote_form_request(member: MemberSession, article: int, action: str = "vote", page: str = "/new") -> Request:
    """Return a vote as the form on *page* sends it; *action* is "vote" or "unvote"."""
    body = urlencode({"csrf_token": member.csrf_token, "next": page}).encode()
    return Request(f"/a/{article}/{action}", "POST", {**FORM, "Cookie": member.cookie}, body)


def vote_script_request(member: MemberSession, article: int, action: str = "vote") -> Request:
    """Return a vote as the site's script sends it; *action* is "vote" or "unvote"."""
    headers = {"Accept": "application/json", "X-CSRFToken": member.csrf_token, "Cookie": member.cookie}
    return Request(f"/a/{article}/{action}", "POST", headers)


def submit_request(member: MemberSession, group: str) -> Request:
    """Return a new article in *group*, with a link of its own."""
    form_token = new_submission_token()
    fields = {
        "csrf_token": member.csrf_token,
        "once": form_token,
        "title": f"An article as many others, but for {form_token}",
        "link": f"https://example.com/articles/{form_token}",
        "text": "",
        "groups": group,
    }
    return Request("/submit", "POST", {**FORM, "Cookie": member.cookie}, urlencode(fields).encode())


def login_request(session: HttpSession, name: str) -> Request:
    """Return the log-in of the member *name* with the form that *session* gets."""
    token = session.get("/login").csrf_token
    fields = {"csrf_token": token, "username": name, "password": PASSWORD}
    return Request("/login", "POST", {**FORM, "Cookie": session.cookie}, urlencode(fields).encode())
