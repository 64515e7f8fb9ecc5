"""A storm of votes over HTTP, and what became of those that were answered."""

import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

from tests import factories
from tests.faults.supervised_site import SupervisedSite
from tests.helpers import until
from tests.storm import Storm
from tests.visitor import PASSWORD
from voteweb.core import passwords
from voteweb.core.models import User
from voteweb.store import Store

MEMBERS, ARTICLES, THREADS = 60, 120, 6
#: Votes that must be counted before a fault begins, and again after it.
ENOUGH = 200
#: Statuses of a vote that counts: it was counted now, or by an attempt whose answer was lost.
COUNTED = (200, 409)


class Vote(NamedTuple):
    """A member's vote on an article."""

    member: User
    article: int


class Times(NamedTuple):
    """When a vote was sent and answered, in seconds of the monotonic clock."""

    sent: float
    answered: float


@dataclass(frozen=True)
class Outcome:
    """The effect of a fault on a storm of votes; times are in seconds of the monotonic clock."""

    #: When the fault began.
    began: float
    #: How many votes were answered as counted.
    answered: int
    #: When the lost ones among them had been answered.
    lost: tuple[float, ...]
    #: By how many the counts of articles exceed their voters.
    counted_twice: int
    #: What the doctor finds.
    broken: tuple[object, ...]
    #: How many votes were refused, by status.
    refused: Counter[int]
    #: Refusals with status 503 that did not say when to try again.
    without_retry_after: int
    #: The longest time, from the fault on, in which no vote was answered as counted.
    longest_silence: float
    #: What the site has written.
    log: str


class VoteStorm(Storm):
    """Members who vote once on every article, and press again until they are answered that the vote counts."""

    def __init__(self, site: SupervisedSite) -> None:
        super().__init__(THREADS)
        self._site = site
        with site.open_store() as store:
            members = factories.users(store, MEMBERS)
            self.articles = [factories.article(store, link="").id for _ in range(ARTICLES)]
            password_hash = passwords.hash_password(PASSWORD)
            for member in members:
                store.users.set_password(member.name, password_hash)
        with ThreadPoolExecutor(THREADS) as pool:
            headers = pool.map(self._log_in, members)
            self._headers: dict[User, Mapping[str, str]] = dict(zip(members, headers, strict=True))
        votes = [Vote(*pair) for pair in product(members, self.articles)]
        random.Random(1).shuffle(votes)
        self._votes = iter(votes)
        self.answered: dict[Vote, Times] = {}
        self.refused: Counter[int] = Counter()
        self.without_retry_after = 0

    def _log_in(self, member: User) -> Mapping[str, str]:
        """Log *member* in and return the headers of the member's votes."""
        visitor = self._site.visitor()
        visitor.log_in(member.name)
        token = visitor.log_out_form()["csrf_token"]
        return {"Accept": "application/json", "Cookie": visitor.cookie, "X-CSRFToken": token}

    def start(self) -> None:
        """Start the votes, and return when enough of them are counted."""
        super().start()
        until(lambda: len(self.answered) > ENOUGH, patience=60)

    def act(self, number: int) -> None:
        connection = self._site.connect()
        while vote := self._next_vote():
            while not self.is_stopped and not self._press(connection, vote):
                time.sleep(0.02)
        connection.close()

    def _next_vote(self) -> Vote | None:
        with self.lock:
            return None if self.is_stopped else next(self._votes, None)

    def _press(self, connection: http.client.HTTPConnection, vote: Vote) -> bool:
        """Press the button once; tell whether the answer says that the vote counts."""
        sent = time.monotonic()
        try:
            connection.request("POST", f"/a/{vote.article}/vote", headers=self._headers[vote.member])
            response = connection.getresponse()
            payload = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            connection.close()
            return False
        with self.lock:
            if response.status in COUNTED:
                assert response.status == 200 or payload["error"]["code"] == "already-voted", payload
                self.answered[vote] = Times(sent, time.monotonic())
                return True
            self.refused[response.status] += 1
            self.without_retry_after += response.status == 503 and not response.getheader("Retry-After")
        return False

    def count_sent_after(self, moment: float) -> int:
        """Return how many of the answered votes were sent after *moment*."""
        with self.lock:
            return sum(times.sent > moment for times in self.answered.values())


def run_fault(site: SupervisedSite, fault: Callable[[SupervisedSite], None]) -> Outcome:
    """Cause *fault* in the middle of a storm, wait until the site serves again, and return what happened."""
    storm = VoteStorm(site)
    storm.start()
    began = time.monotonic()
    try:
        fault(site)
        until(lambda: storm.count_sent_after(began) > ENOUGH, patience=60)
    finally:
        storm.stop()
    assert storm.failures == []
    later = sorted(times.answered for times in storm.answered.values() if times.answered > began)
    with site.open_store() as store:
        return Outcome(
            began=began,
            answered=len(storm.answered),
            lost=tuple(times.answered for vote, times in storm.answered.items() if not _is_counted(store, vote)),
            counted_twice=sum(_excess_votes(store, id) for id in storm.articles),
            broken=tuple(store.doctor.examine()),
            refused=storm.refused,
            without_retry_after=storm.without_retry_after,
            longest_silence=max(after - before for before, after in pairwise([began, *later])),
            log=site.log,
        )


def _is_counted(store: Store, vote: Vote) -> bool:
    return bool(store.connection.command("SISMEMBER", store.keys.voted(vote.article), vote.member.id))


def _excess_votes(store: Store, id: int) -> int:
    """Return by how many the count of an article exceeds its voters."""
    votes, base = store.connection.command("HMGET", store.keys.article(id), "votes", "base")
    return abs(int(votes) - int(base) - store.connection.command("SCARD", store.keys.voted(id)))
