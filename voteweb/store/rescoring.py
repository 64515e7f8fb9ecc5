"""Rescoring: new places for all articles after a setting of the ranking was changed, or a ranking was added."""

from collections.abc import Iterator

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store import decoding
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import check_place
from voteweb.store.doctor.looks import Fields, Kind, Look, look_at
from voteweb.store.keys import LEFT_OUT, article_member
from voteweb.store.rankings import BEST_NOUNS, Rankings
from voteweb.store.scanner import Scanner, batched

#: The fields that tell where an article stands.
_FIELDS = ("title", "link", "poster", "time", "votes", "groups", "gone", "base")
#: The rankings in which an article stands by its votes, and those that a program after the book does not know.
_NOUNS = BEST_NOUNS | {"score", "good", "domain"}


class Rescoring:
    """Recomputes the rankings by score and by votes of one site, and those of domains."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._rankings = Rankings(connection.keys)

    def total(self) -> int:
        """Return how many articles are listed."""
        return int(self._connection.command("ZCARD", self._keys.by_time()))

    def run(self) -> Iterator[tuple[int, int]]:
        """Give every listed article the places it should have; yield after each step how many it saw and moved.

        An article that gets a vote meanwhile is looked at again, so that no vote is lost; may be stopped anywhere and
        run again. The web servers must have the same settings by then.
        """
        scanner = Scanner(self._connection)
        for ids in batched(map(str, scanner.article_ids())):
            yield len(ids), self._rescore(scanner, ids)
        for keys in batched(scanner.keys(self._keys.combined(Order.SCORE, ("*", "*")))):
            self._connection.command("UNLINK", *keys)
        self._connection.command("UNLINK", self._keys.combinations())

    def _rescore(self, scanner: Scanner, ids: list[str]) -> int:
        moved, kind = 0, Kind(self._keys.article, _FIELDS, self._reads)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            looks = [(seen.name, self._moves(seen)) for seen in look_at(scanner, ids, kind)]
            moves = {id: move for id, move in looks if move}
            if not moves:
                break
            statuses = [reply[0] for reply in self._connection.run(list(moves.values()))]
            ids = [id for id, status in zip(moves, statuses, strict=True) if status == "again"]
            moved += len(moves) - len(ids)
        return moved

    def _places(self, fields: Fields) -> list[str]:
        return [key for key in self._rankings.named(fields) if self._keys.split(key)[0] in _NOUNS]

    def _reads(self, id: str, fields: Fields) -> list[Command]:
        return [("ZMSCORE", key, article_member(id), LEFT_OUT) for key in self._places(fields)]

    def _moves(self, seen: Look) -> Command:
        """Return the command that moves an article unless its fields change, () if it stands where it should."""
        keys, fields, link = self._keys, seen.fields, seen.fields["link"] or ""
        article = decoding.article(int(seen.name), [fields.get(name) for name in decoding.FIELDS])
        if article is None or not article.is_listed:
            return ()
        places = {key: tuple(scores) for key, scores in zip(self._places(fields), seen.replies, strict=True)}
        wanted = self._rankings.scores_of(article, self._settings, link)
        for key in self._rankings.left_out(article, link, wanted, places, is_ours=fields["base"] is not None):
            wanted.pop(key, None)
        writes: list[Command] = []
        for key, (score, _) in places.items():
            noun, group = keys.split(key)
            # What lacks the article altogether is left to the doctor.
            by_score = keys.group_by_score(group) if noun == "top-group" else key
            if noun not in ("score", "top-group") or places[by_score][0] is not None:
                problems = check_place(keys, key, article_member(seen.name), score, wanted.get(key))
                writes += [write for _, repair in problems for write in repair]
        return seen.fix(*writes, guards=1) if writes else ()
