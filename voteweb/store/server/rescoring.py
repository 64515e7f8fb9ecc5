"""Rescoring: new places for all articles after a setting of the ranking was changed, or a ranking was added."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.looks import Fields, check_place
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.rankings import Places, Rankings, site_lists
from voteweb.store.schema.values import LEFT_OUT, article_member, finite_number
from voteweb.store.site.context import Context
from voteweb.store.site.site_settings import SiteSettings, read_command, with_stored_values

#: The fields that tell where an article stands.
_FIELDS = ("title", "link", "poster", "time", "votes", "groups", "gone", "base")


class Site(SiteSettings):
    """The decisions of one site's admins, and the new places of its articles after a change of the settings."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rankings = Rankings(context.keys)

    def rescore(self) -> Iterator[tuple[int, int]]:
        """Give every listed article the places it should have; yield after each step how many it saw and moved.

        An article that gets a vote meanwhile is looked at again, so that no vote is lost; may be stopped anywhere and
        run again. When the settings are changed meanwhile, the articles seen before are seen once more.
        """
        while True:
            mark = self.unfinished_change()
            yield from self._rescore_all()
            if mark is None or self.finish_change(mark):
                return

    def rescoring_steps(self) -> Iterator[object]:
        """End what a process that was killed left undone after a change of the settings, in steps."""
        if self.unfinished_change() is not None:
            yield from self.rescore()

    def _rescore_all(self) -> Iterator[tuple[int, int]]:
        scanner = Scanner(self._connection)
        for ids in batched(scanner.article_ids()):
            yield len(ids), self._rescore(ids)
        for keys in batched(scanner.keys(self._keys.combined(Order.SCORE, ("*", "*")))):
            self._connection.command("UNLINK", *keys)
        self._connection.command("UNLINK", self._keys.combinations())

    def _rescore(self, ids: list[int]) -> int:
        moved = 0
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            reads: list[Command] = [("HMGET", self._keys.article(id), *_FIELDS) for id in ids]
            in_force, *replies = self._connection.run([read_command(self._keys), *reads])
            moves = self._moves(dict(zip(ids, zip(reads, replies, strict=True), strict=True)), in_force)
            if not moves:
                break
            statuses = [reply[0] for reply in self._connection.run(list(moves.values()))]
            ids = [id for id, status in zip(moves, statuses, strict=True) if status == "again"]
            moved += len(moves) - len(ids)
        return moved

    def _moves(
        self, stored: Mapping[int, tuple[Command, list[str | None]]], in_force: list[str | None]
    ) -> dict[int, Command]:
        """Return the command that moves each article of those that are not where they should be.

        It does nothing once the article changes, or the settings *in_force*.
        """
        settings = with_stored_values(self._settings, in_force)
        fields = {id: dict(zip(_FIELDS, values, strict=True)) for id, (_, values) in stored.items()}
        lists = {id: self._lists(fields[id]) for id in stored}
        members: dict[str, list[str]] = defaultdict(lambda: [LEFT_OUT])
        for id, keys in lists.items():
            for key in keys:
                members[key].append(article_member(id))
        replies = self._connection.run([("ZMSCORE", key, *names) for key, names in members.items()]) if members else []
        scores = {
            key: dict(zip(names, reply, strict=True))
            for (key, names), reply in zip(members.items(), replies, strict=True)
        }
        moves = {}
        for id, (read, values) in stored.items():
            places = {key: (scores[key][article_member(id)], scores[key][LEFT_OUT]) for key in lists[id]}
            if writes := self._writes(id, fields[id], places, settings):
                moves[id] = guarded(self._keys, [read_command(self._keys), read], [in_force, values], writes)
        return moves

    def _lists(self, fields: Fields) -> list[str]:
        """Return the rankings by score, by votes and of a domain in which an article may stand; none if it is none."""
        time, keys = finite_number(fields["time"]), self._keys
        if time is None or not abs(time) < config.MAX_TIME or fields["gone"] is not None:
            return []
        groups = decoding.group_names(fields["groups"] or "")
        in_groups = [spell(name) for name in groups for spell in (keys.group_by_score, keys.top_of_group)]
        return [*site_lists(keys, time, fields["link"] or "")[1:], *in_groups]

    def _writes(self, id: int, fields: Fields, places: Places, settings: Settings) -> list[Command]:
        """Return the writes that put an article where it should stand, none if it stands there in *places*."""
        keys, link = self._keys, fields["link"] or ""
        article = decoding.article(id, [fields.get(name) for name in decoding.FIELDS])
        if article is None or not article.is_listed:
            return []
        wanted = self._rankings.scores_of(article, settings, link)
        for key in self._rankings.left_out(article, link, wanted, places, is_ours=fields["base"] is not None):
            wanted.pop(key, None)
        writes: list[Command] = []
        for key, (score, _) in places.items():
            if score == wanted.get(key):
                continue
            noun, group = keys.split(key)
            # What lacks the article altogether is left to the doctor.
            by_score = keys.group_by_score(group) if noun == "top-group" else key
            if noun not in ("score", "top-group") or places[by_score][0] is not None:
                problems = check_place(keys, key, article_member(id), score, wanted.get(key))
                writes += [write for problem in problems for write in problem.writes]
        return writes
