"""Limits: acts counted, refused while too many lie behind, and given back.

Flask-Limiter would ask Redis once for each window of a limit, which makes three round trips of a vote's one. Here the
question is one script, queued in the round trip that asks who is looking; of a vote, it is a part of the script.
"""

from collections.abc import Sequence
from hashlib import blake2b
from math import ceil

from voteweb.config import Settings
from voteweb.errors import TooFast
from voteweb.limits import Limit
from voteweb.store import keys, scripts
from voteweb.store.connect import Connection
from voteweb.store.trip import Reply, Trip

#: A limit and whose act is to be counted: a member's name, an address, a name to log in with.
Charge = tuple[Limit, str]


class Limits:
    """The abuse limits of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings
        self._secret = blake2b(settings.secret_key.encode()).digest()

    def ask(self, trip: Trip, charges: Sequence[Charge]) -> Reply[TooFast | None]:
        """Queue one act to be counted against all *charges*; the reply is the refusal, or None where it is taken.

        What is refused counts against none of them.
        """
        keys, numbers = self.words(charges)
        if not keys:
            return trip.ask([], lambda _: None)

        def read(answers: list[list[str]]) -> TooFast | None:
            word, *rest = answers[0]
            return None if word == "counted" else refusal(charges, rest)

        return trip.ask([scripts.call("charge", keys, numbers)], read, writes=True)

    def words(self, charges: Sequence[Charge]) -> tuple[list[str], list[float]]:
        """Return the keys and the numbers by which a script counts an act against *charges*; none where limits are off.

        What it answers when one of them is used up, :func:`refusal` reads.
        """
        times = self._settings.limits
        if not times:
            return [], []
        return self._keys(charges), [
            number for limit, _ in charges for number in (times * limit.burst, limit.pause / times)
        ]

    def charge(self, charges: Sequence[Charge]) -> TooFast | None:
        """Count one act against all *charges*; return the refusal, or None where it is taken."""
        trip = self._connection.trip()
        asked = self.ask(trip, charges)
        trip.go()
        return asked.value

    def give_back(self, charges: Sequence[Charge]) -> None:
        """Take back what was counted for an act that turned out to be none of those that count."""
        times = self._settings.limits
        if times:
            self._connection.script("give_back", self._keys(charges), [limit.pause / times for limit, _ in charges])

    def _keys(self, charges: Sequence[Charge]) -> list[str]:
        """Return the keys of *charges*.

        They hold digests, which only the site's key can make: who reads the database learns no visitor's address, nor
        the password that somebody typed in place of the name.
        """
        return [keys.limit(limit.kind, self._digest(whose)) for limit, whose in charges]

    def _digest(self, whose: str) -> str:
        return blake2b(whose.encode("utf-8", "replace"), digest_size=12, key=self._secret).hexdigest()


def refusal(charges: Sequence[Charge], told: Sequence[str]) -> TooFast:
    """Return the refusal by one of *charges*: its number, the seconds to wait and the time from which it is taken."""
    limit, _ = charges[int(told[0]) - 1]
    # The words tell whole minutes: better a moment late than another refusal.
    when = 60 * ceil(float(told[2]) / 60)
    return TooFast(limit.words, wait=ceil(float(told[1])), when=when, kind=limit.kind)
