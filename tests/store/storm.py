"""Everything at once: threads that do all that members and moderators can, and note what they were answered.

Run as a program (``python -m tests.store.storm REDIS_URL SEED``) it storms until it is killed.
"""

import random
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests import factories
from voteweb.core.config import Settings
from voteweb.core.errors import (
    AlreadyReported,
    AlreadyVoted,
    ArticleGone,
    Duplicate,
    NotVoted,
    NotYours,
    OwnVote,
    TooManyGroups,
)
from voteweb.core.models import LogAction, Reason, User
from voteweb.store import Store, open_store
from voteweb.store.moderation_log import NewLogEntry

GROUPS = ("go", "java", "lua", "redis", "编程")
MEMBERS = 12
#: What may be refused in a storm, because somebody else was there first.
REFUSALS = (AlreadyReported, AlreadyVoted, ArticleGone, Duplicate, NotVoted, NotYours, OwnVote, TooManyGroups)


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
                with suppress(*REFUSALS):
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
        acts = {
            self._cast: 50, self._take_back: 30, self._set_groups: 20, self._edit: 10, self._remove: 4,
            self._restore: 8, self._delete: 6, self._report: 8, self._dismiss: 4, self._ban: 1, self._leave: 1,
        }  # fmt: skip
        chance.choices(list(acts), list(acts.values()))[0](chance, who, id)

    def _note(self, act: str, id: int, votes: int) -> None:
        with self._lock:
            self.acts[act] += 1
            self.votes[id] += votes

    def _post(self, chance: random.Random, who: User) -> None:
        groups = tuple(chance.sample(GROUPS, chance.randint(0, 3)))
        draft = factories.draft(groups=groups, link=some_link(chance))
        id = self._store.articles.post(draft, who, factories.token(), anyway=chance.random() < 0.5)
        self._note("post", id, 1)

    def _cast(self, chance: random.Random, who: User, id: int) -> None:
        self._store.votes.cast(id, who)
        self._note("cast", id, 1)

    def _take_back(self, chance: random.Random, who: User, id: int) -> None:
        self._store.votes.take_back(id, who)
        self._note("take back", id, -1)

    def _set_groups(self, chance: random.Random, who: User, id: int) -> None:
        names = chance.sample(GROUPS, 3)
        self._store.articles.set_groups(id, names[:2], names[2:], self._log_entry(LogAction.GROUPS, who, id))
        self._note("set groups", id, 0)

    def _edit(self, chance: random.Random, who: User, id: int) -> None:
        draft = factories.draft(
            title=f"title {chance.randint(0, 9)}",
            link=some_link(chance),
            groups=tuple(chance.sample(GROUPS, chance.randint(0, 3))),
        )
        own = chance.random() < 0.5
        self._store.articles.edit(id, draft, who, None if own else self._log_entry(LogAction.EDIT, who, id))
        self._note("edit", id, 0)

    def _remove(self, chance: random.Random, who: User, id: int) -> None:
        self._store.removals.remove(id, self._log_entry(LogAction.REMOVE, who, id))
        self._note("remove", id, 0)

    def _restore(self, chance: random.Random, who: User, id: int) -> None:
        self._store.removals.restore(id, self._log_entry(LogAction.RESTORE, who, id))
        self._note("restore", id, 0)

    def _delete(self, chance: random.Random, who: User, id: int) -> None:
        self._store.removals.delete(id, who)
        self._note("delete", id, 0)

    def _report(self, chance: random.Random, who: User, id: int) -> None:
        self._store.reports.make(id, who, Reason.SPAM, "")
        self._note("report", id, 0)

    def _dismiss(self, chance: random.Random, who: User, id: int) -> None:
        self._store.reports.dismiss(id, self._log_entry(LogAction.DISMISS, who, id))
        self._note("dismiss", id, 0)

    def _ban(self, chance: random.Random, who: User, id: int) -> None:
        """Make somebody by an invitation, and ban and unban them."""
        name = f"b{chance.getrandbits(60):x}"
        self._store.users.make(name, "", invitation=self._store.invitations.make(who).token)
        self._store.users.ban(name, NewLogEntry(LogAction.BAN, who.name, about=name, why="spam"))
        self._store.users.unban(name, NewLogEntry(LogAction.UNBAN, who.name, about=name))
        self._note("ban", id, 0)

    def _leave(self, chance: random.Random, who: User, id: int) -> None:
        """Make somebody who posts and votes and leaves."""
        leaver = factories.user(self._store, f"l{chance.getrandbits(60):x}")
        for _ in range(3):
            with suppress(Duplicate):
                self._post(chance, leaver)
        with suppress(ArticleGone):
            self._cast(chance, leaver, id)
        self._store.account_deletion.start(leaver, delete_articles=chance.random() < 0.5)
        self._store.account_deletion.finish(leaver.name)
        self._note("leave", id, 0)

    def _log_entry(self, kind: LogAction, who: User, id: int) -> NewLogEntry:
        return NewLogEntry(kind, who.name, about="ann", article=id, title="title", why="why")


def some_link(chance: random.Random) -> str:
    """Return one of a few links, so that the same is often posted again."""
    return chance.choice(("", f"https://example.com/{chance.randint(0, 30)}"))


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
