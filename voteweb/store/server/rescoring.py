"""Rescoring: new places for all articles after a setting of the ranking was changed."""

from collections.abc import Iterator

from voteweb.core import config
from voteweb.core.models import Order
from voteweb.core.settings_in_force import RESCORED, RESCORING, with_stored
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.findings import check_place
from voteweb.store.scan.looks import Fields, Kind, Look, look_at
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.rankings import Rankings
from voteweb.store.schema.values import article_member
from voteweb.store.site.context import Context
from voteweb.store.site.site_settings import SiteSettings, read_command

#: The fields that tell where an article stands.
_FIELDS = ("title", "poster", "time", "votes", "groups", "gone")


class Rescoring(SiteSettings):
    """The settings and switches of one site, and the new places of its articles after a change of the settings."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rankings = Rankings(context.keys)
        # Nothing is written once the article changes, or the settings in force.
        in_force = [read_command(context.keys)]
        self._article = Kind(self._keys.article, _FIELDS, lambda _name, _fields: in_force, self._reads_of_places)

    def rescore(self) -> Iterator[tuple[int, int]]:
        """Give every listed article the places it should have; yield after each step how many it saw and moved.

        An article that gets a vote meanwhile is looked at again, so that no vote is lost; may be stopped anywhere and
        run again. When the settings are changed meanwhile, the articles seen before are seen once more.
        """
        is_finished, site = False, self._keys.site()
        while not is_finished:
            mark, seen = self.unfinished_change(), 0
            for step in self._rescore_all():
                seen += step[0]
                if mark is not None:
                    self.write_while(mark, ("HSET", site, RESCORED, seen))
                yield step
            if mark is not None:
                self.write_while(mark, ("HDEL", site, RESCORING, RESCORED))
            is_finished = mark is None or self.unfinished_change() is None

    def rescoring_steps(self) -> Iterator[object]:
        """Compute the scores that a killed process left undone after a change of the settings, in steps."""
        if self.unfinished_change() is not None:
            yield from self.rescore()

    def _rescore_all(self) -> Iterator[tuple[int, int]]:
        scanner = Scanner(self._connection)
        for ids in batched(scanner.article_ids()):
            yield len(ids), self._rescore(scanner, ids)
        for keys in batched(scanner.keys(self._keys.combined(Order.SCORE, ("*", "*")))):
            self._connection.command("UNLINK", *keys)
        self._connection.command("UNLINK", self._keys.combinations())

    def _rescore(self, scanner: Scanner, ids: list[int]) -> int:
        moved, names = 0, list(map(str, ids))
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            moves = {
                seen.name: seen.fix(writes)
                for seen in look_at(scanner, names, self._article)
                if (writes := self._writes(seen))
            }
            if not moves:
                break
            statuses = [reply[0] for reply in self._connection.run(list(moves.values()))]
            names = [name for name, status in zip(moves, statuses, strict=True) if status == "again"]
            moved += len(moves) - len(names)
        return moved

    def _reads_of_places(self, id: str, fields: Fields) -> list[Command]:
        return [("ZSCORE", key, article_member(id)) for key in self._lists(fields)]

    def _lists(self, fields: Fields) -> list[str]:
        """Return the rankings that the settings shape, and in which an article may stand."""
        return self._rankings.shaped_by_settings(decoding.group_names(fields["groups"] or ""))

    def _writes(self, seen: Look) -> list[Command]:
        """Return the writes that put an article where it should stand, none if it stands there."""
        article = decoding.article(int(seen.name), [seen.fields.get(name) for name in decoding.FIELDS])
        if article is None or not article.is_listed:
            return []
        wanted = self._rankings.scores_of(article, with_stored(self._settings, *seen.replies), "")
        return [
            write
            for key, score in zip(self._lists(seen.fields), seen.more, strict=True)
            # A ranking by score that lacks the article altogether is left to the doctor.
            if score is not None or key == self._keys.good()
            for problem in check_place(self._keys, key, article_member(article.id), score, wanted.get(key))
            for write in problem.writes
        ]
