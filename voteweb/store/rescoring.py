"""Rescoring: new scores after VOTEWEB_VOTE_SCORE or VOTEWEB_GOOD_VOTES was changed."""

from collections.abc import Iterator
from typing import Any

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import article_member
from voteweb.store.scanner import Scanner, batched


class Rescoring:
    """Recomputes the rankings by score of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings

    def total(self) -> int:
        """Return how many articles are listed."""
        return int(self._connection.command("ZCARD", self._keys.by_time()))

    def run(self) -> Iterator[tuple[int, int]]:
        """Give every listed article the score it should have; yield after each step how many it saw and moved.

        A script decides each article from its votes at that instant, so that no concurrent vote is lost; may be
        stopped anywhere and run again. The web servers must have the same settings by then.
        """
        scanner = Scanner(self._connection)
        for ids in batched(scanner.article_ids()):
            yield len(ids), self._rescore(ids)
        for keys in batched(scanner.keys(self._keys.combined(Order.SCORE, ("*", "*")))):
            self._connection.command("UNLINK", *keys)
        self._connection.command("UNLINK", self._keys.combinations())

    def _rescore(self, ids: list[int]) -> int:
        fields = self._connection.run([("HGET", self._keys.article(id), "groups") for id in ids])
        groups_of = {id: groups or "" for id, groups in zip(ids, fields, strict=True)}
        moved = 0
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            if not groups_of:
                break
            replies = self._connection.run([self._call(id, groups) for id, groups in groups_of.items()])
            moved += sum(status == "moved" for status, *_ in replies)
            groups_of = {
                id: groups[0] for id, (status, *groups) in zip(groups_of, replies, strict=True) if status == "again"
            }
        return moved

    def _call(self, id: int, groups: str) -> tuple[Any, ...]:
        keys = self._keys
        return scripts.call(
            "rescore_article",
            [
                keys.article(id),
                keys.by_score(),
                keys.good(),
                *(keys.group_by_score(group) for group in groups.split()),
            ],
            [article_member(id), self._settings.vote_score, self._settings.good_votes, groups],
        )
