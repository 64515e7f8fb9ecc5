"""Votes by the thousand: each is cast by the code of the store, and many are sent in one round trip."""

from collections.abc import Iterable, Iterator
from typing import Any

from voteweb.core.config import Settings
from voteweb.core.models import Voter
from voteweb.store import Store
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched
from voteweb.store.site.context import Context
from voteweb.store.votes.votes import Votes

#: Votes in one round trip.
BATCH_SIZE = 1_000
#: The id of the first voter, as high as on a large site: lower ids would fit into two bytes and take less memory.
FIRST_VOTER_ID = 200_000
#: The account of all voters: the memory of votes is measured, not that of accounts.
VOTER_NAME = "bulk-voter"


class _RecordingConnection(Connection):
    """A connection that records the calls of scripts instead of running them, and reports each as successful."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection.client, connection.deadline, keys=connection.keys)
        self.calls: list[Command] = []

    def script(self, name: str, /, **values: Any) -> Outcome:
        self.calls.append(scripts.call(self.keys, name, **values))
        return Outcome("counted", ["0", "", "0.000000"], repeated=False)


def cast_votes(store: Store, articles: Iterable[int], count: int) -> None:
    """Cast *count* votes on each of *articles*; raise RuntimeError when one is refused."""
    for calls in batched(vote_calls(store, articles, count), BATCH_SIZE):
        answers = store.connection.run(calls)
        refusal = next((answer for answer in answers if answer[0] != "counted"), None)
        if refusal:
            raise RuntimeError(f"A vote was not counted: {refusal}")


def vote_calls(store: Store, articles: Iterable[int], count: int, *, take_back: bool = False) -> Iterator[Command]:
    """Yield the calls that cast *count* votes on each of *articles*, or *take_back* these."""
    connection = _RecordingConnection(store.connection)
    votes = Votes(Context(connection, Settings(), store.log, store.limits))
    change = votes.take_back if take_back else votes.cast
    account = store.users.find(VOTER_NAME) or store.users.make(VOTER_NAME, "")
    voters = [Voter(FIRST_VOTER_ID + number, VOTER_NAME, account.session) for number in range(count)]
    for article in articles:
        for voter in voters:
            change(article, voter)
            yield connection.calls.pop()
