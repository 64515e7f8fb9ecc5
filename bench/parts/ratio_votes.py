"""The contenders of the main table that vote."""

from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice

from bench.constants import VOTED_ON
from bench.contenders import requests
from bench.contenders.contender import FORM_ACCEPTED, PAGE_OR_FORM, PAGE_SHOWN, Contender
from bench.contenders.requests import MemberSession
from bench.contenders.workloads import VoteWorkload
from bench.load.measurement import Request
from bench.parts.ratio_baselines import LOGIN
from bench.processes import Server
from bench.sites.queries import front_ids, newest_ids, votable_ids
from voteweb.store import Store

#: Front pages of other members that follow a vote and the voter's next page.
OTHER_PAGES = 9
#: Articles of the front page that each member has voted for before the measurement.
OWN_VOTES = 2
#: The newest articles, among which those of the front page are.
MAX_OPEN = 5_000


def cast_own_votes(store: Store, members: Sequence[MemberSession]) -> None:
    """Cast votes of every member for some articles of the front page, as members of a real site have."""
    articles = cycle(_open_front_ids(store)[::2])
    for member in members:
        for id in islice(articles, OWN_VOTES):
            store.votes.cast(id, store.users.get(member.name))


def _open_front_ids(store: Store) -> list[int]:
    """Return the ids of the articles on the front page whose voting is open, in ascending order."""
    return sorted(set(front_ids(store)).intersection(votable_ids(store, MAX_OPEN)))


def vote_contenders(server: Server, store: Store, members: Sequence[MemberSession]) -> list[Contender]:
    """Return votes for articles that are not on the front page, and votes on the front page with pages between."""
    articles = ids_off_front(store)
    form = VoteWorkload(store, members, articles[::2], requests.vote_form_request)
    script = VoteWorkload(store, members, articles[1::2], requests.vote_script_request)
    return [
        Contender("vote-form", "vote by form", server, form.make_requests, FORM_ACCEPTED, LOGIN, form.count_mismatches),
        Contender(
            "vote-script", "vote by script", server, script.make_requests, PAGE_SHOWN, LOGIN, script.count_mismatches
        ),
        _mixed_contender(server, store, members),
    ]


def ids_off_front(store: Store) -> list[int]:
    """Return the ids of some of the newest articles that are not on the front page."""
    on_front = set(front_ids(store))
    return [id for id in newest_ids(store, 2 * VOTED_ON + len(on_front)) if id not in on_front]


def _mixed_contender(server: Server, store: Store, members: Sequence[MemberSession]) -> Contender:
    """Return votes by form on the front page, each followed by the voter's next page and those of other members."""
    articles = _open_front_ids(store)[1::2]
    cookies = [requests.read_cookie_after_vote(server.origin, member, articles[0]) for member in members]
    pages = {
        member.name: [
            Request("/", headers={"Cookie": cookie})
            for cookie in (cookies[n], *(other.cookie for other in islice(cycle(members), n + 1, n + 1 + OTHER_PAGES)))
        ]
        for n, member in enumerate(members)
    }
    votes = VoteWorkload(
        store,
        members,
        articles,
        partial(requests.vote_form_request, page="/"),
        lambda member: pages[member.name],
        brief=True,
    )
    return Contender(
        "mixed",
        f"a vote, the voter's next page, {OTHER_PAGES} of others",
        server,
        votes.make_requests,
        PAGE_OR_FORM,
        LOGIN,
        votes.count_mismatches,
        expected_text="Your vote has been taken back.",
    )
