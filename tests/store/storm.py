"""A storm of everything that members and moderators can do, with the answers that they were given.

Run as a program (``python -m tests.store.storm REDIS_URL SEED [PREFIX]``) it storms until it is killed.
"""

import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from tests import factories
from tests.store.comment_acts import COMMENT_REFUSALS, CommentActs
from tests.storm import Storm
from voteweb.core import errors
from voteweb.core.comments import CommentId
from voteweb.core.models import Draft, LogAction, Reason, Role, User
from voteweb.core.search_documents import DocumentId
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import NewLogEntry

GROUPS = ("go", "java", "lua", "redis", "编程")
MEMBERS = 12
#: Refusals that are expected in a storm, because another thread was faster.
REFUSALS = (
    errors.AlreadyReported,
    errors.AlreadyVoted,
    errors.ArticleGone,
    errors.Duplicate,
    errors.LinkFixed,
    errors.NothingToUndo,
    errors.NotVoted,
    errors.NotYours,
    errors.OwnVote,
    errors.ReportedAgain,
    errors.TooManyAliases,
    errors.TooManyGroups,
    *COMMENT_REFUSALS,
)

#: What a member does with an article.
Act = Callable[[Store, random.Random, User, int], object]


def _set_groups(store: Store, chance: random.Random, who: User, id: int) -> None:
    names = chance.sample(GROUPS, 3)
    store.articles.set_groups(id, names[:2], names[2:], _log_entry(LogAction.GROUPS, who, id), actor=who)


def _merge(store: Store, chance: random.Random, who: User, id: int) -> None:
    """Create a group, put the article into it if that can be, and merge it into another one."""
    name, into = f"g{chance.getrandbits(60):x}", chance.choice(GROUPS)
    factories.group(store, name)
    with suppress(errors.ArticleGone, errors.TooManyGroups):
        store.articles.set_groups(id, [name], [], actor=who)
    store.group_merges.start(name, into, _log_entry(LogAction.MERGE, who, 0), actor=who)
    deque(store.group_merges.steps(), maxlen=0)


def _edit(store: Store, chance: random.Random, who: User, id: int) -> None:
    as_poster = chance.random() < 0.5
    draft = _some_draft(chance, title=f"title {chance.randint(0, 9)}")
    store.articles.edit(id, draft, who, None if as_poster else _log_entry(LogAction.EDIT, who, id))


def _undo(store: Store, _: random.Random, who: User, _id: int) -> None:
    for entry in store.read(store.log.queue_page, 1, who=who.name).rows[:1]:
        store.undoing.undo(entry.id, who)


#: What members and moderators do with an article, with the share of each in all acts.
_ACTS: dict[str, tuple[int, Act]] = {
    "cast": (50, lambda store, _, who, id: store.votes.cast(id, who)),
    "take back": (30, lambda store, _, who, id: store.votes.take_back(id, who)),
    "set groups": (20, _set_groups),
    "edit": (10, _edit),
    "merge": (3, _merge),
    "remove": (4, lambda store, _, who, id: factories.remove(store, id, by=who.name, actor=who)),
    "restore": (8, lambda store, _, who, id: factories.restore(store, id, who.name, actor=who)),
    "delete": (6, lambda store, _, who, id: store.removals.delete(id, who)),
    "report": (8, lambda store, _, who, id: store.reports.make(id, who, Reason.SPAM, "")),
    "dismiss": (
        4,
        lambda store, _, who, id: store.reports.dismiss(id, _log_entry(LogAction.DISMISS, who, id), actor=who),
    ),
    "undo": (3, _undo),
}
#: Every action of a storm.
ACTIONS = {*_ACTS, "post", "leave", "ban"}


class StoreStorm(Storm):
    """Several threads on one store; ``votes`` are those of every article according to the answers."""

    def __init__(self, store: Store, seed: int = 0, threads: int = 8) -> None:
        super().__init__(threads)
        self._store = store
        self._seed = seed
        self.votes: Counter[int] = Counter()
        self.acts: Counter[str] = Counter()
        self.comments = CommentActs(store, self.lock)
        self._actions: dict[Callable[[random.Random, User, int], None], int] = {
            **{partial(self._do, name): share for name, (share, _) in _ACTS.items()},
            **{self._leave: 1, self._ban: 2},
            **self.comments.shares,
        }
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
        draft, allow_duplicate = _some_draft(chance), chance.random() < 0.5
        id = self._store.articles.post(draft, who, factories.token(), allow_duplicate=allow_duplicate)
        self._count("post", id, 1)

    def _do(self, name: str, chance: random.Random, who: User, id: int) -> None:
        _ACTS[name][1](self._store, chance, who, id)
        self._count(name, id, {"cast": 1, "take back": -1}.get(name, 0))

    def _leave(self, chance: random.Random, who: User, id: int) -> None:
        """Create a member who posts and votes, and delete the account."""
        leaver = factories.user(self._store, f"l{chance.getrandbits(60):x}")
        for _ in range(3):
            with suppress(errors.Duplicate):
                self._post(chance, leaver)
        with suppress(errors.ArticleGone):
            self._do("cast", chance, leaver, id)
        self.comments.write(chance, leaver, id)
        self._store.account_deletion.start(leaver, delete_articles=chance.random() < 0.5)
        self._store.account_deletion.finish(leaver.name)
        self._count("leave", id)

    def _ban(self, _: random.Random, who: User, id: int) -> None:
        """Create a member by an invitation who votes, ban them, which takes their votes back, and lift the ban.

        The operator bans, so that nobody undoes it, which would give the votes back.
        """
        store, name = self._store, factories.token()[:15]
        member = store.users.make(name, "", invitation=store.invitations.make(who))
        for voted in (id, CommentId(id, 1)):
            with suppress(*REFUSALS, errors.NoSuchComment):
                store.votes.cast(voted, member)
                self._add(voted, 1)
        factories.ban(store, name, votes=True)
        list(store.bans.steps())
        for voted in store.open_votes.revoked(name):
            self._add(voted, -1)
        factories.lift(store, name)
        self._count("ban", id)

    def _add(self, id: DocumentId, votes: int) -> None:
        with self.lock:
            counter: Counter[Any] = self.votes if isinstance(id, int) else self.comments.votes
            counter[id] += votes


def _log_entry(kind: LogAction, who: User, id: int) -> NewLogEntry:
    return NewLogEntry(kind, who.name, about="ann", article=id, title="title", why="why")


def _some_draft(chance: random.Random, **changes: Any) -> Draft:
    """Return a draft with one of a few links, so that the same is often posted again."""
    link = chance.choice(("", f"https://example.com/{chance.randint(0, 30)}"))
    return factories.draft(link=link, groups=tuple(chance.sample(GROUPS, chance.randint(0, 3))), **changes)


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
