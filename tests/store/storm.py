"""Everything at once: threads that post, vote, take votes back and change groups, and note what they were answered.

Run as a program (``python -m tests.store.storm REDIS_URL SEED``) it storms until it is killed.
"""

import random
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from typing import Any

from tests import factories
from voteweb.config import Settings
from voteweb.errors import AlreadyVoted, NotVoted, OwnVote, TooManyGroups
from voteweb.models import User
from voteweb.store import Store, open_store

GROUPS = ("go", "java", "lua", "redis", "编程")
MEMBERS = 12


class Storm:
    """Several threads on one store; ``votes`` is how the answers say every article stands."""

    def __init__(self, store: Store, seed: int = 0, threads: int = 8) -> None:
        self._store = store
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(seed * 100 + i,)) for i in range(threads)]
        self.votes: Counter[int] = Counter()
        self.acts: Counter[str] = Counter()
        self.failures: list[BaseException] = []
        for name in GROUPS:
            factories.group(store, name)
        self._members = factories.users(store, MEMBERS)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, seed: int) -> None:
        chance = random.Random(seed)
        try:
            while not self._over.is_set():
                self._act(chance)
        except BaseException as problem:
            self.failures.append(problem)

    def _act(self, chance: random.Random) -> None:
        who = chance.choice(self._members)
        # Few articles and mostly the newest: the threads are to meet.
        newest = max(self.votes, default=0)
        if newest < 3 or chance.random() < 0.05:
            self._post(chance, who)
            return
        id = chance.randint(max(1, newest - 5), newest)
        if id not in self.votes:
            return
        act = chance.choices((self._cast, self._take_back, self._set_groups), (5, 3, 2))[0]
        act(chance, who, id)

    def _note(self, act: str, id: int, votes: int) -> None:
        with self._lock:
            self.acts[act] += 1
            self.votes[id] += votes

    def _post(self, chance: random.Random, who: User) -> None:
        groups = tuple(chance.sample(GROUPS, chance.randint(0, 3)))
        id = self._store.articles.post(factories.draft(groups=groups), who, factories.token())
        self._note("post", id, 1)

    def _cast(self, chance: random.Random, who: User, id: int) -> None:
        try:
            self._store.votes.cast(id, who)
        except AlreadyVoted:
            return
        self._note("cast", id, 1)

    def _take_back(self, chance: random.Random, who: User, id: int) -> None:
        try:
            self._store.votes.take_back(id, who)
        except (NotVoted, OwnVote):
            return
        self._note("take back", id, -1)

    def _set_groups(self, chance: random.Random, who: User, id: int) -> None:
        names = chance.sample(GROUPS, 3)
        try:
            self._store.articles.set_groups(id, names[:2], names[2:])
        except TooManyGroups:
            return
        self._note("set groups", id, 0)


def settings(url: str, **over: Any) -> Settings:
    """Return settings under which a storm makes and unmakes good articles."""
    return replace(Settings(redis_url=url, good_votes=4, max_groups=3, redis_deadline=10.0), **over)


def main() -> None:
    url, seed = sys.argv[1:]
    Storm(open_store(settings(url)), int(seed), threads=4).start()
    time.sleep(60)  # killed long before
    sys.exit("nobody stopped the storm")


if __name__ == "__main__":
    main()
