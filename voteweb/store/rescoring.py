"""New scores after the worth of a vote, or the votes of a good article, were set otherwise."""

from collections.abc import Iterator
from typing import Any

from voteweb.config import Settings
from voteweb.models import Order
from voteweb.store import keys, scripts
from voteweb.store.articles import TRIES
from voteweb.store.connect import Connection
from voteweb.store.look import Look, steps


class Rescoring:
    """The rankings by score of one site, made anew."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def total(self) -> int:
        """Return how many articles are listed."""
        return int(self._connection.command("ZCARD", keys.by_time()))

    def run(self) -> Iterator[tuple[int, int]]:
        """Give every listed article the score it should have; yield after each step how many it saw and moved.

        Each article is decided by a script of its own from its votes at that instant, so that no racing vote is
        lost; may be stopped anywhere and run again. What votes on the site must have the same settings by then.
        """
        look = Look(self._connection)
        for step in steps(look.articles()):
            yield len(step), self._rescore(step)
        for step in steps(look.keys(keys.combined(Order.SCORE, ("*", "*")))):
            self._connection.command("UNLINK", *step)

    def _rescore(self, names: list[str]) -> int:
        found = self._connection.pipeline([("HGET", name, "groups") for name in names])
        waiting = {name: groups or "" for name, groups in zip(names, found, strict=True)}
        moved = 0
        for _ in range(TRIES):
            answers = self._connection.pipeline([self._call(name, groups) for name, groups in waiting.items()])
            words = dict(zip(waiting, answers, strict=True))
            moved += sum(word[0] == "moved" for word in words.values())
            waiting = {name: word[1] for name, word in words.items() if word[0] == "again"}
            if not waiting:
                break
        return moved

    def _call(self, name: str, groups: str) -> tuple[Any, ...]:
        settings = self._settings
        of_groups = [keys.group_by_score(group) for group in groups.split()]
        return scripts.call(
            "rescore_article",
            [name, keys.by_score(), keys.good(), *of_groups],
            [settings.vote_score, settings.good_votes, groups],
        )
