"""A storm of everything that members and moderators can do, with the answers that they were given.

Run as a program (``python -m tests.store.storm REDIS_URL SEED [PREFIX]``) it storms until it is killed.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests import factories
from tests.store.comment_acts import COMMENT_REFUSALS, CommentActs
from tests.storm import Storm
from voteweb.core import errors
from voteweb.core.models import LogAction, Reason, Role, User
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import NewLogEntry

GROUPS = ("go", "java", "lua", "redis", "编程")
#: Every action of a storm.
ACTIONS = frozenset({
    "post", "cast", "take back", "set groups", "edit", "remove", "restore", "delete", "report", "dismiss", "ban",
    "leave",
})  # fmt: skip
MEMBERS = 12
#: Refusals that are expected in a storm, because another thread was faster.
REFUSALS = (
    errors.AlreadyReported,
    errors.AlreadyVoted,
    errors.ArticleGone,
    errors.Duplicate,
    errors.LinkFixed,
    errors.NotVoted,
    errors.NotYours,
    errors.OwnVote,
    errors.TooManyGroups,
    *COMMENT_REFUSALS,
)

Action = Callable[[random.Random, User, int], None]


class StoreStorm(Storm):
    """Several threads on one store; ``votes`` are those of every article according to the answers."""

    def __init__(self, store: Store, seed: int = 0, threads: int = 8) -> None:
        super().__init__(threads)
        self._store = store
        self._seed = seed
        self.votes: Counter[int] = Counter()
        self.acts: Counter[str] = Counter()
        self.comments = CommentActs(store, self.lock)
        self._actions: dict[Action, int] = {
            self._cast: 50, self._take_back: 30, self._set_groups: 20, self._edit: 10, self._remove: 4,
            self._restore: 8, self._delete: 6, self._report: 8, self._dismiss: 4, self._ban: 1, self._leave: 1,
            **self.comments.shares,
        }  # fmt: skip
        for name in GROUPS:
            factories.group(store, name)
        self.members = [factories.user(store, f"member{i}", Role.MODERATOR) for i in range(MEMBERS)]

    def act(self, number: int) -> None:
        chance = random.Random(self._seed * 100 + number)
        while not self.is_stopped:
            with suppress(*REFUSALS):
                self._act(chance)

    def _act(self, chance: random.Random) -> None:
        who = chance.choice(self.members)
        # Few articles and mostly the newest, so that the threads meet.
        newest = max(self.votes, default=0)
        if newest < 3 or chance.random() < 0.05:
            self._post(chance, who)
            return
        id = chance.randint(max(1, newest - 5), newest)
        if id in self.votes:
            (action,) = chance.choices(list(self._actions), list(self._actions.values()))
            action(chance, who, id)

    def _count(self, action: str, id: int, votes: int = 0) -> None:
        with self.lock:
            self.acts[action] += 1
            self.votes[id] += votes

    def _post(self, chance: random.Random, who: User) -> None:
        groups = tuple(chance.sample(GROUPS, chance.randint(0, 3)))
        draft = factories.draft(groups=groups, link=_some_link(chance))
        allow_duplicate = chance.random() < 0.5
        id = self._store.articles.post(draft, who, factories.token(), allow_duplicate=allow_duplicate)
        self._count("post", id, 1)

    def _cast(self, chance: random.Random, who: User, id: int) -> None:
        self._store.votes.cast(id, who)
        self._count("cast", id, 1)

    def _take_back(self, chance: random.Random, who: User, id: int) -> None:
        self._store.votes.take_back(id, who)
        self._count("take back", id, -1)

    def _set_groups(self, chance: random.Random, who: User, id: int) -> None:
        names = chance.sample(GROUPS, 3)
        self._store.articles.set_groups(id, names[:2], names[2:], _log_entry(LogAction.GROUPS, who, id), actor=who)
        self._count("set groups", id)

    def _edit(self, chance: random.Random, who: User, id: int) -> None:
        draft = factories.draft(
            title=f"title {chance.randint(0, 9)}",
            link=_some_link(chance),
            groups=tuple(chance.sample(GROUPS, chance.randint(0, 3))),
        )
        as_poster = chance.random() < 0.5
        self._store.articles.edit(id, draft, who, None if as_poster else _log_entry(LogAction.EDIT, who, id))
        self._count("edit", id)

    def _remove(self, chance: random.Random, who: User, id: int) -> None:
        self._store.removals.remove(id, _log_entry(LogAction.REMOVE, who, id), actor=who)
        self._count("remove", id)

    def _restore(self, chance: random.Random, who: User, id: int) -> None:
        self._store.removals.restore(id, _log_entry(LogAction.RESTORE, who, id), actor=who)
        self._count("restore", id)

    def _delete(self, chance: random.Random, who: User, id: int) -> None:
        self._store.removals.delete(id, who)
        self._count("delete", id)

    def _report(self, chance: random.Random, who: User, id: int) -> None:
        self._store.reports.make(id, who, Reason.SPAM, "")
        self._count("report", id)

    def _dismiss(self, chance: random.Random, who: User, id: int) -> None:
        self._store.reports.dismiss(id, _log_entry(LogAction.DISMISS, who, id), actor=who)
        self._count("dismiss", id)

    def _ban(self, chance: random.Random, who: User, id: int) -> None:
        """Create a member by an invitation, and ban and unban them."""
        name = f"b{chance.getrandbits(60):x}"
        self._store.users.make(name, "", invitation=self._store.invitations.make(who))
        self._store.bans.ban(name, NewLogEntry(LogAction.BAN, who.name, about=name, why="spam"), actor=who)
        self._store.bans.lift(name, NewLogEntry(LogAction.UNBAN, who.name, about=name), actor=who)
        self._count("ban", id)

    def _leave(self, chance: random.Random, who: User, id: int) -> None:
        """Create a member who posts and votes, and delete the account."""
        leaver = factories.user(self._store, f"l{chance.getrandbits(60):x}")
        for _ in range(3):
            with suppress(errors.Duplicate):
                self._post(chance, leaver)
        with suppress(errors.ArticleGone):
            self._cast(chance, leaver, id)
        self.comments.write(chance, leaver, id)
        self._store.account_deletion.start(leaver, delete_articles=chance.random() < 0.5)
        self._store.account_deletion.finish(leaver.name)
        self._count("leave", id)


def _log_entry(kind: LogAction, who: User, id: int) -> NewLogEntry:
    return NewLogEntry(kind, who.name, about="ann", article=id, title="title", why="why")


def _some_link(chance: random.Random) -> str:
    """Return one of a few links, so that the same is often posted again."""
    return chance.choice(("", f"https://example.com/{chance.randint(0, 30)}"))


def settings(url: str, **changes: Any) -> Settings:
    """Return settings under which articles become good in a storm, and cease to be."""
    return replace(Settings(redis_url=url, good_votes=4, max_groups=3, redis_deadline=10.0), **changes)


def main() -> None:
    url, seed, *prefix = sys.argv[1:]
    StoreStorm(open_store(settings(url), Keys(*prefix)), int(seed), threads=4).start()
    time.sleep(60)  # killed long before
    sys.exit("nobody stopped the storm")


if __name__ == "__main__":
    main()
