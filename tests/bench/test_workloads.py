"""The votes of the benchmark, and the pages between them."""

from bench.contenders.requests import MemberSession, vote_form_request
from bench.contenders.workloads import VoteWorkload
from bench.http_session import HttpSession
from bench.load.measurement import Request
from tests import factories
from voteweb.store import Store


def test_brief_votes_are_taken_back_once_each_article_has_one(store: Store) -> None:
    articles = [factories.article(store).id for _ in range(2)]
    members = [MemberSession(factories.user(store, name).name, "", "") for name in ("bob", "cem")]
    votes = VoteWorkload(store, members, articles, vote_form_request, lambda _: [Request("/")], brief=True)
    actions = [request.path for request in votes.make_requests()]
    assert actions[1::2] == ["/"] * 8
    assert actions[::2] == [f"/a/{id}/{action}" for action in ("vote", "unvote") for id in articles] * 2


def test_cookies_that_expire_soon_are_not_lasting() -> None:
    session = HttpSession("http://127.0.0.1", "session=a; gone=b")
    session.keep_cookies([("Set-Cookie", "fresh=1; Max-Age=3; Path=/"), ("Set-Cookie", "gone=; Max-Age=0")])
    assert session.cookie == "session=a; fresh=1"
    assert session.lasting_cookie == "session=a"
