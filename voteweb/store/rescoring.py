"""Rescoring: new places for all articles after a setting of the ranking was changed, or a ranking was added."""

from collections.abc import Iterator
from typing import Any

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store.article_lists import group_keys, ranking_arguments, site_lists
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import article_member
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, batched


class Rescoring:
    """Recomputes the rankings by score and by votes of one site, and those of domains."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings

    def total(self) -> int:
        """Return how many articles are listed."""
        return int(self._connection.command("ZCARD", self._keys.by_time()))

    def run(self) -> Iterator[tuple[int, int]]:
        """Give every listed article the places it should have; yield after each step how many it saw and moved.

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
        moved = 0
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            if not ids:
                break
            fields = self._connection.run([("HMGET", self._keys.article(id), "time", "link", "groups") for id in ids])
            calls = [self._call(id, *values) for id, values in zip(ids, fields, strict=True)]
            statuses = [reply[0] for reply in self._connection.run(calls)]
            moved += statuses.count("moved")
            ids = [id for id, status in zip(ids, statuses, strict=True) if status == "again"]
        return moved

    def _call(self, id: int, time: str | None, link: str | None, groups: str | None) -> tuple[Any, ...]:
        keys = self._keys
        lists = site_lists(keys, finite_number(time) or 0.0, link or "")
        return scripts.call(
            "rescore_article",
            [keys.article(id), *lists.keys, *group_keys(keys, (groups or "").split())],
            [article_member(id), *ranking_arguments(self._settings), *lists.arguments, groups or "", link or ""],
        )
