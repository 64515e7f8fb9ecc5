"""Merges of groups: one becomes a second name of another, which gets its articles and followers in bounded steps.

The second name counts at once, in addresses and forms. ``merging:`` has it until nothing is left under it: an article
that is listed under a second name moves to the group that this name stands for by then, so that merges may meet.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from voteweb.core import clock, config
from voteweb.core.errors import GroupMerged, NoSuchGroup, NothingToUndo, SameGroup, TooManyAliases
from voteweb.core.models import LogAction, LogEntry, PlannedMerge
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.store.articles.articles import Articles
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command
from voteweb.store.members.my_site import MySites
from voteweb.store.moderation.planned_merges import PlannedMerges, names_to_merge
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.rankings import group_keys
from voteweb.store.schema.values import articles_of, parse_planned_merge
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.leases import steps_of_each

#: Articles that one step moves: a millisecond each.
_STEP = 50


class GroupMerges(StorePart):
    """The merges of groups of one site."""

    def start(self, name: str, into: str, entry: LogEntry, *, plan: PlannedMerge | None = None) -> str:
        """Make the group *name* a second name of the group *into*, for the operator or by a *plan* that is due.

        :meth:`steps` moves its articles and followers. Does nothing if that was begun before. Returns the name of the
        group, of which *into* may be a second one. Raises what :func:`names_to_merge` raises.
        """
        keys, group = self._keys, into

        def decide(attempt: Attempt) -> list[Command]:
            nonlocal group
            stored = attempt.value("HGET", keys.planned_merges(), name)
            if plan and parse_planned_merge(name, stored or "") != plan:
                return []
            group, names = names_to_merge(attempt, name, into)
            if not names:
                return []
            attempt.added = group
            renamed = ("HSET", keys.group_aliases(), *chain.from_iterable((each, group) for each in names))
            ended = ("HDEL", keys.planned_merges(), name)
            return [renamed, ("SREM", keys.groups(), name), ("SADD", keys.merging(), name), ended]

        commit(self._connection, decide, entry=entry)
        return group

    def _begin(self, plan: PlannedMerge) -> None:
        """Begin a planned merge that is due, or stop it if that cannot be any more."""
        entry = LogEntry(LogAction.MERGE_GROUP, plan.by, title=plan.name)
        try:
            self.start(plan.name, plan.into, entry, plan=plan)
        except (GroupMerged, NoSuchGroup, SameGroup, TooManyAliases):
            entry = replace(entry, kind=LogAction.STOP_MERGE, undoes=plan.entry)
            with suppress(NothingToUndo):  # a moderator was faster
                PlannedMerges(self._context).stop(plan.name, entry, fails=True)

    def steps(self) -> Iterator[int]:
        """Begin the planned merges that are due, and finish all that were begun, in bounded steps."""
        for plan in self._connection.read(PlannedMerges(self._context).queue_all):
            if 0 < plan.time <= clock.now():
                self._begin(plan)
                yield 0
        yield from self.steps_of(*sorted(self._connection.command("SMEMBERS", self._keys.merging())))

    def steps_of(self, *aliases: str) -> Iterator[int]:
        """Move what is left under *aliases*, and yield after each step how many articles it moved.

        May be cut off anywhere and done again, by several processes at once.
        """
        if aliases:
            yield from self._move_choices(aliases)
        yield from steps_of_each(aliases, self._move_articles)

    def _move_articles(self, alias: str) -> Iterator[int]:
        """Move the articles to the group of *alias*, and end the merge."""
        scanner, articles, moved = Scanner(self._connection), Articles(self._context), 1
        # Nothing more arrives here: of what stays, because it is no article, the doctor tells.
        while moved and not self._end(alias):
            moved = 0
            for members in batched(scanner.members(self._keys.group(alias)), _STEP):
                count = sum(articles.leave_alias(id, alias) for id in articles_of(members))
                moved += count
                yield count

    def _move_choices(self, aliases: Sequence[str]) -> Iterator[int]:
        """Exchange *aliases* for their groups in what members follow and hide: nobody can choose them any more."""
        keys, hidden = self._keys, [Hidden(HiddenKind.GROUP, alias).entry for alias in aliases]
        for names in batched(Scanner(self._connection).members(keys.users()), config.READ_BATCH_SIZE):
            reads = [
                [("ZMSCORE", keys.follows(name), *aliases), ("ZMSCORE", keys.hides(name), *hidden)] for name in names
            ]
            replies = self._connection.run(list(chain.from_iterable(reads)))
            for name, followed, hides in zip(names, replies[::2], replies[1::2], strict=True):
                for alias, *times in zip(aliases, followed, hides, strict=True):
                    if times != [None, None]:
                        MySites(self._context).leave_alias(alias, name)
            yield 0

    @act(when_full=True, remembers=False)
    def _end(self, attempt: Attempt, alias: str) -> list[Command]:
        """Return the writes that end a merge, none while a listed article is left under *alias*."""
        keys, (group, *rankings, top) = self._keys, group_keys(self._keys, [alias])
        sizes = [("SCARD", group), *(("ZCARD", ranking) for ranking in rankings)]
        is_group, *counts = attempt.read(("SISMEMBER", keys.groups(), alias), *sizes)
        ended: list[Command] = [("SREM", keys.merging(), alias)]
        # Only on damaged data is it a group of its own again.
        return ended if is_group else [] if any(counts) else [*ended, ("UNLINK", keys.group_info(alias), top)]
