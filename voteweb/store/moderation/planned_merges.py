"""Planned merges of groups: each begins MERGE_DELAY_SECONDS after an admin planned it, unless a moderator stops it."""

import json
from itertools import starmap
from operator import attrgetter

from voteweb.core import config
from voteweb.core.errors import N_, GroupMerged, MergePlanned, NoSuchGroup, NothingToUndo, SameGroup, TooManyAliases
from voteweb.core.models import LogEntry, PlannedMerge, Role, User
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import parse_planned_merge
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.moderation_log import mark_undone


class PlannedMerges(StorePart):
    """The planned merges of one site; GroupMerges begins them."""

    @act(Role.ADMIN)
    def plan(self, attempt: Attempt, name: str, into: str, entry: LogEntry, *, actor: User) -> list[Command]:
        """Plan the merge of the group *name* into the group *into*; tell whether *actor* had not planned it before.

        Raises what :func:`names_to_merge` raises, GroupMerged if it has begun, MergePlanned, LoggedOut, NotAllowed.
        """
        keys, key = self._keys, self._keys.planned_merges()
        group, names = names_to_merge(attempt, name, into)
        if not names:
            raise GroupMerged(name=name, group=group)
        stored, count = attempt.read(("HGET", key, name), ("LLEN", keys.log_entries()))
        if plan := parse_planned_merge(name, stored or ""):
            if (plan.into, plan.by) != (group, actor.name):
                raise MergePlanned(name=name, group=plan.into, by=plan.by)
            attempt.until = f"{plan.time:f}"
            return []
        attempt.added, attempt.until = group, f"{float(attempt.now) + config.MERGE_DELAY_SECONDS:f}"
        fields = {"into": group, "by": actor.name, "entry": str(count + 1), "time": attempt.until}
        return [("HSET", key, name, json.dumps(fields))]

    @act(when_full=True)
    def stop(
        self, attempt: Attempt, name: str, entry: LogEntry, *, fails: bool = False, actor: User | None = None
    ) -> list[Command]:
        """Stop the planned merge of the group *name* that *entry* undoes, for *actor*, None is the operator.

        With *fails*, it could not begin. Raises NothingToUndo, LoggedOut, NotAllowed.
        """
        key = self._keys.planned_merges()
        plan = parse_planned_merge(name, attempt.value("HGET", key, name) or "")
        if plan is None or plan.entry != entry.undoes:
            raise NothingToUndo(N_("This merge of %(name)s is not planned any more."), name=name)
        attempt.added, attempt.removed = ("", plan.into) if fails else (plan.into, "")
        return [("HDEL", key, name), *mark_undone(attempt, entry)]

    def queue_all(self, pipeline: Pipeline) -> Future[tuple[PlannedMerge, ...]]:
        """Queue a read of all planned merges, those first that begin first."""

        def parse(stored: dict[str, str]) -> tuple[PlannedMerge, ...]:
            return tuple(sorted(filter(None, starmap(parse_planned_merge, stored.items())), key=attrgetter("entry")))

        return pipeline.queue_one(("HGETALL", self._keys.planned_merges()), parse)


def names_to_merge(attempt: Attempt, name: str, into: str) -> tuple[str, list[str]]:
    """Return the group of which *into* is a name, and the names that become second ones of it: *name*, and its own.

    No names if *name* is a second one of it already. Raises NoSuchGroup, SameGroup, GroupMerged if *name* stands for
    another group by now, TooManyAliases.
    """
    keys = attempt.keys
    aliases = attempt.value("HGETALL", keys.group_aliases())
    group = aliases.get(into, into)
    exist = attempt.read(*(("SISMEMBER", keys.groups(), each) for each in (name, group)))
    if aliases.get(name) == group and into != name:
        return group, []
    if name in aliases:
        raise GroupMerged(name=name, group=aliases[name])
    if missing := [each for each, exists in zip((name, group), exist, strict=True) if not exists]:
        raise NoSuchGroup(names=", ".join(missing))
    if name == group:
        raise SameGroup(name=name)
    names = [name, *(alias for alias, of in aliases.items() if of == name)]
    if len(names) + list(aliases.values()).count(group) > config.MAX_ALIASES:
        raise TooManyAliases(max=config.MAX_ALIASES)
    return group, names
