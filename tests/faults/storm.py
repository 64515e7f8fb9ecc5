"""A storm of votes over HTTP, and what became of those that were answered."""

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

from flask import make_response, session
from flask_wtf.csrf import generate_csrf

from tests import factories
from tests.faults.site import Site, opened
from tests.helpers import until
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.web.auth.login import Viewer

MEMBERS, ARTICLES, THREADS = 60, 120, 6
#: Answers that tell a member that the vote is counted: now, or by an attempt whose answer was lost.
COUNTED = (200, 409)


class Vote(NamedTuple):
    """One member's vote on one article."""

    member: User
    article: int


class Answered(NamedTuple):
    """When a vote was sent and when it was answered, by the clock of this machine in seconds."""

    sent: float
    at: float


@dataclass(frozen=True)
class Outcome:
    """What a fault did to a storm; *lost* are the moments at which the lost votes were answered."""

    answered: int
    lost: tuple[float, ...]
    twice: int
    broken: tuple[object, ...]
    refused: Counter[int]
    #: Refusals that did not say when to come back.
    unsaid: int
    #: The longest time in seconds, from the fault on, in which no vote was answered as counted.
    silent: float
    #: When the fault began.
    began: float
    #: What the site has said.
    log: str


class Storm:
    """Members who vote for every article, each once, and press again whenever they are not told that it counts."""

    def __init__(self, site: Site) -> None:
        self._site = site
        with opened(site) as store:
            self._members = factories.users(store, MEMBERS)
            self.articles = [factories.article(store, link="").id for _ in range(ARTICLES)]
        self._ways_in = ways_in(site.settings, self._members)
        votes = [Vote(*pair) for pair in product(self._members, self.articles)]
        random.Random(1).shuffle(votes)
        self._votes = iter(votes)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(THREADS)]
        self.answered: dict[Vote, Answered] = {}
        self.refused: Counter[int] = Counter()
        self.unsaid = 0

    def _run(self) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self._site.port, timeout=20)
        while vote := self._next():
            while not self._over.is_set() and not self._press(line, vote):
                time.sleep(0.02)
        line.close()

    def _next(self) -> Vote | None:
        with self._lock:
            return None if self._over.is_set() else next(self._votes, None)

    def _press(self, line: http.client.HTTPConnection, vote: Vote) -> bool:
        """Press the button once; tell whether the answer says that the vote counts."""
        cookie, token = self._ways_in[vote.member.name]
        headers = {"Accept": "application/json", "Cookie": cookie, "X-CSRFToken": token}
        sent = time.monotonic()
        try:
            line.request("POST", f"/a/{vote.article}/vote", headers=headers)
            answer = line.getresponse()
            words = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            line.close()
            return False
        with self._lock:
            if answer.status in COUNTED:
                assert answer.status == 200 or words["error"]["code"] == "already-voted", words
                self.answered[vote] = Answered(sent, time.monotonic())
                return True
            self.refused[answer.status] += 1
            self.unsaid += answer.status == 503 and not answer.getheader("Retry-After")
        return False

    def start(self) -> None:
        """Let everybody vote, and return when the storm is in full swing."""
        for thread in self._threads:
            thread.start()
        until(lambda: len(self.answered) > 200, patience=60)

    def stop(self) -> None:
        """End the storm; a vote under way is still waited for."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def since(self, moment: float) -> list[Answered]:
        """Return the answers to votes sent after *moment*."""
        with self._lock:
            return [each for each in self.answered.values() if each.sent > moment]


def endure(site: Site, fault: Callable[[Site], None]) -> Outcome:
    """Let *fault* happen in the middle of a storm, wait until the site serves again, and count what is left."""
    storm = Storm(site)
    storm.start()
    began = time.monotonic()
    try:
        fault(site)
        until(lambda: len(storm.since(began)) > 200, patience=60)
    finally:
        storm.stop()
    moments = [began, *sorted(each.at for each in storm.answered.values() if each.at > began)]
    with opened(site) as store:
        lost = tuple(answer.at for vote, answer in storm.answered.items() if not is_counted(store, vote))
        return Outcome(
            answered=len(storm.answered),
            lost=lost,
            twice=sum(counted_twice(store, id) for id in storm.articles),
            broken=tuple(store.doctor.examine()),
            refused=storm.refused,
            unsaid=storm.unsaid,
            silent=max(after - before for before, after in pairwise(moments)),
            began=began,
            log=site.log,
        )


def is_counted(store: Store, vote: Vote) -> bool:
    return bool(store.connection.command("SISMEMBER", f"voted:{vote.article}", vote.member.id))


def counted_twice(store: Store, id: int) -> int:
    """Return by how many the count of an article exceeds its voters."""
    votes, base = store.connection.command("HMGET", f"article:{id}", "votes", "base")
    return abs(int(votes) - int(base) - store.connection.command("SCARD", f"voted:{id}"))


def ways_in(settings: Settings, members: list[User]) -> dict[str, tuple[str, str]]:
    """Return the cookie and the token of a session of each of *members*, as logging in gives them."""
    app = create_app(settings)
    found = {}
    for member in members:
        with app.test_request_context():
            session["_user_id"] = Viewer(member).get_id()
            token = generate_csrf()
            answer = make_response("")
            app.session_interface.save_session(app, session, answer)
            found[member.name] = (answer.headers["Set-Cookie"].partition(";")[0], token)
    return found
