"""Votes by the thousand: each by the store's own way to vote, but many in one round trip."""

from collections.abc import Iterable, Sequence

from voteweb.core.config import Settings
from voteweb.core.models import Voter
from voteweb.store import Store
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.votes import Votes

#: Votes sent at once.
BATCH = 1_000
#: Ids of the first members of a crowd: as large as on a large site, where they no longer fit into two bytes.
FIRST = 200_000
#: The one name under which they all vote: what is measured are their votes, not they.
NAME = "crowd"


class _Queue(Connection):
    """A connection that only notes which scripts are to run, and says that each has done what it should."""

    def __init__(self, behind: Connection) -> None:
        super().__init__(behind.client, behind.deadline)
        self.queued: list[tuple[object, ...]] = []

    def script(self, name: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> Outcome:
        self.queued.append(scripts.call(name, keys, arguments))
        return Outcome("counted", ["0"], repeated=False)


def vote(store: Store, articles: Iterable[int], count: int, groups: str) -> None:
    """Let *count* members vote for each of *articles*, which are in *groups*; raise RuntimeError when one does not."""
    queue = _Queue(store.connection)
    votes = Votes(queue, Settings(), store.rate_limits)
    all_of_them = store.users.find(NAME) or store.users.make(NAME, "")
    crowd = [Voter(FIRST + i, NAME, all_of_them.session) for i in range(count)]
    for article in articles:
        for member in crowd:
            votes.cast(article, member, groups)
            if len(queue.queued) >= BATCH:
                _flush(store, queue)
    _flush(store, queue)


def _flush(store: Store, queue: _Queue) -> None:
    answers = store.connection.run(queue.queued)
    wrong = next((answer for answer in answers if answer[0] != "counted"), None)
    if wrong:
        raise RuntimeError(f"A vote was not counted: {wrong}")
    queue.queued.clear()
