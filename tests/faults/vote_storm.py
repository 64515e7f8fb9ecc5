"""A storm of votes and comments over HTTP, and what became of those that were answered."""

import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple
from urllib.parse import urlencode

from tests import factories
from tests.faults.supervised_site import SupervisedSite
from tests.helpers import until
from tests.storm import Storm
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.doctor import Doctor
from voteweb.store.schema.nodes import VOTER_FACTOR

MEMBERS, ARTICLES, THREADS = 60, 120, 6
#: Acts that must be answered as done before a fault begins, and again after it.
ENOUGH = 200
#: Statuses of an act that is done: now, or by an attempt whose answer was lost. A comment leads to its place.
DONE = {"vote": (200, 409), "vote for a comment": (200, 409), "comment": (303,)}

#: Codes of the refusal of a vote that was counted before.
ALREADY = ("already-voted", "comment-already-voted")


class Act(NamedTuple):
    """A member's vote on an article, vote for comment 1 on it, or comment on it."""

    kind: str
    member: User
    article: int

    @property
    def path(self) -> str:
        """The address of the form."""
        return f"/a/{self.article}/" + {"vote": "vote", "comment": "comment"}.get(self.kind, "c/1/vote")

    @property
    def text(self) -> str:
        """The text of the comment, which no other has."""
        return f"By member {self.member.id} on article {self.article}."


class Times(NamedTuple):
    """When a vote was sent and answered, in seconds of the monotonic clock."""

    sent: float
    answered: float


class Outcome(NamedTuple):
    """The effect of a fault on a storm."""

    #: How many acts of each kind were answered as done.
    answered: Counter[str]
    #: How many seconds before the fault the lost ones among them were answered.
    lost: list[float]
    #: By how many the counts of articles and comments exceed their voters, and how many comments are there again.
    counted_twice: int
    #: What the doctor finds.
    broken: list[object]
    #: How many acts were refused, by status.
    refused: Counter[int]
    #: Refusals with status 503 that did not say when to try again.
    without_retry_after: int
    #: What the site has written.
    log: str


class Crowd:
    """Members who are logged in, articles with a comment each, and what each member does with each, in random order."""

    def __init__(self, site: SupervisedSite) -> None:
        self.site = site
        with site.open_store() as store:
            members = factories.users(store, MEMBERS)
            self.articles = [factories.article(store, link="").id for _ in range(ARTICLES)]
            for article in self.articles:
                factories.comment(store, article)
            app = create_app(site.settings, store)
            self.headers = {member: _headers(Browser(app).start_session(member)) for member in members}
        acts = [Act(*parts) for parts in product(DONE, members, self.articles)]
        random.Random(1).shuffle(acts)
        self.acts = iter(acts)


def _headers(browser: Browser) -> Mapping[str, str]:
    """Return the headers of the acts of a member in *browser*."""
    token = browser.csrf_token()
    cookie = browser.client.get_cookie(browser.client.application.config["SESSION_COOKIE_NAME"])
    assert cookie
    return {"Accept": "application/json", "Cookie": f"{cookie.key}={cookie.value}", "X-CSRFToken": token}


class VoteStorm(Storm):
    """Members who vote and comment once on every article, and press again until they are answered that it is done."""

    def __init__(self, crowd: Crowd) -> None:
        super().__init__(THREADS)
        self._crowd = crowd
        self.answered: dict[Act, Times] = {}
        self.refused: Counter[int] = Counter()
        self.without_retry_after = 0

    def start(self) -> None:
        """Start the acts, and return when enough of them are done."""
        super().start()
        until(lambda: len(self.answered) > ENOUGH)

    def act(self, number: int) -> None:
        connection = self._crowd.site.connect()
        while act := self._next_act():
            token = factories.token()
            while not self.is_stopped and not self._press(connection, act, token):
                time.sleep(0.02)
        connection.close()

    def _next_act(self) -> Act | None:
        with self.lock:
            return None if self.is_stopped else next(self._crowd.acts, None)

    def _press(self, connection: http.client.HTTPConnection, act: Act, token: str) -> bool:
        """Press the button once; tell whether the answer says that the act is done."""
        sent = time.monotonic()
        try:
            self._send(connection, act, token)
            response = connection.getresponse()
            body = response.read()
            payload = json.loads(body) if response.status == 409 else {}
        except (OSError, http.client.HTTPException, ValueError):
            connection.close()
            return False
        with self.lock:
            if response.status in DONE[act.kind]:
                assert response.status != 409 or payload["error"]["code"] in ALREADY, payload
                self.answered[act] = Times(sent, time.monotonic())
                return True
            self.refused[response.status] += 1
            self.without_retry_after += response.status == 503 and not response.getheader("Retry-After")
        return False

    def _send(self, connection: http.client.HTTPConnection, act: Act, token: str) -> None:
        headers = self._crowd.headers[act.member]
        if act.kind != "comment":
            connection.request("POST", act.path, headers=headers)
            return
        form = {"csrf_token": headers["X-CSRFToken"], "text": act.text, "once": token}
        headers = {"Cookie": headers["Cookie"], "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", act.path, urlencode(form), headers)

    def count_sent_after(self, moment: float) -> int:
        """Return how many of the answered acts were sent after *moment*."""
        with self.lock:
            return sum(times.sent > moment for times in self.answered.values())


def run_fault(crowd: Crowd, fault: Callable[[], None]) -> Outcome:
    """Cause *fault* in the middle of a storm, wait until the site serves again, and return what happened."""
    site, storm = crowd.site, VoteStorm(crowd)
    storm.start()
    began = time.monotonic()
    try:
        fault()
        until(lambda: storm.count_sent_after(began) > ENOUGH)
    except BaseException:
        print(storm.refused, site.log[-8000:])  # pytest shows it
        raise
    finally:
        storm.stop()
    with site.open_store() as store:
        return Outcome(
            answered=Counter(act.kind for act in storm.answered),
            lost=[began - times.answered for act, times in storm.answered.items() if not _is_stored(store, act)],
            counted_twice=sum(_excess(store, id) for id in crowd.articles),
            broken=list(Doctor(store.context).examine()),
            refused=storm.refused,
            without_retry_after=storm.without_retry_after,
            log=site.log,
        )


def _is_stored(store: Store, act: Act) -> bool:
    keys = store.keys
    if act.kind == "vote":
        return bool(store.connection.command("SISMEMBER", keys.voted(act.article), act.member.id))
    if act.kind == "comment":
        return act.text in store.connection.command("HVALS", keys.words(act.article))
    vote = VOTER_FACTOR + act.member.id
    return bool(store.connection.command("SISMEMBER", keys.voted_comments(act.article, 0), vote))


def _excess(store: Store, id: int) -> int:
    """Return how many votes an article and its comment 1 have more than voters, and how many comments came twice."""
    votes, base = store.connection.command("HMGET", store.keys.article(id), "votes", "base")
    of_article = abs(int(votes) - int(base) - store.connection.command("SCARD", store.keys.voted(id)))
    # The set of voters holds one member more, 0.
    voters = store.connection.command("SCARD", store.keys.voted_comments(id, 0)) - 1
    of_comment = abs(factories.thread(store, id).nodes[1].votes - voters)
    texts = store.connection.command("HVALS", store.keys.words(id))
    return int(of_article + of_comment + len(texts) - len(set(texts)))
