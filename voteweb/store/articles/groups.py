"""Groups: created, changed, listed, and the names that moderators choose from."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from voteweb.core import config, errors
from voteweb.core.models import Group, LogEntry, User
from voteweb.store.articles.articles import Articles
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.rankings import group_keys
from voteweb.store.schema.values import article_of, json_object, parse_planned_merge
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.moderation_log import mark_undone
from voteweb.store.site.rows import queue_by_id


class Groups(StorePart):
    """The groups of one site."""

    @act()
    def make(
        self,
        attempt: Attempt,
        name: str,
        title: str,
        description: str,
        entry: LogEntry | None = None,
        *,
        actor: User | None = None,
    ) -> list[Command]:
        """Create a group for the moderator *actor*, None is the operator; tell whether there was none like it.

        Raises GroupExists if one of this name has another title or description, LoggedOut, NotAllowed.
        """
        info, aliases = self._keys.group_info(name), self._keys.group_aliases()
        is_group, is_alias, stored = attempt.read(
            ("SISMEMBER", self._keys.groups(), name),
            ("HEXISTS", aliases, name),
            ("HMGET", info, "title", "description"),
        )
        if is_group and stored == [title, description]:
            return []
        if is_group or is_alias:
            raise errors.GroupExists(name=name)
        return [("SADD", self._keys.groups(), name), ("HSET", info, "title", title, "description", description)]

    @act()
    def change(
        self,
        attempt: Attempt,
        name: str,
        title: str,
        description: str,
        entry: LogEntry | None = None,
        *,
        aliases: Collection[str] | None = None,
        actor: User | None = None,
    ) -> list[Command]:
        """Give a group another title and description for *actor*, and other *aliases*, None for the same.

        Raises NoSuchGroup, TooManyAliases, AliasTaken if an alias is a group, another group's or awaited by a planned
        merge, StillMerging if one that is left out is that of a merge, NothingToUndo, LoggedOut, NotAllowed.
        """
        info = self._keys.group_info(name)
        before, is_group = attempt.read(
            ("HMGET", info, "title", "description"), ("SISMEMBER", self._keys.groups(), name)
        )
        if not is_group:
            raise errors.NoSuchGroup(names=name)
        former: dict[str, Any] = dict(zip(("title", "description"), (text or "" for text in before), strict=True))
        writes = list[Command]()
        if aliases is not None:
            stored = attempt.value("HGETALL", self._keys.group_aliases())
            former["aliases"] = sorted(alias for alias, group in stored.items() if group == name)
            writes = self._new_aliases(attempt, name, aliases, stored)
        attempt.former = json.dumps(former, ensure_ascii=False)
        if before != [title, description]:
            writes.append(("HSET", info, "title", title, "description", description))
        return [*writes, *mark_undone(attempt, entry)] if writes else []

    def check_aliases(self, name: str, aliases: Collection[str]) -> None:
        """Raise what :meth:`change` would about these *aliases*, and change nothing."""
        attempt = Attempt(self._connection)
        self._new_aliases(attempt, name, aliases, attempt.value("HGETALL", self._keys.group_aliases()))

    def _new_aliases(
        self, attempt: Attempt, name: str, aliases: Collection[str], stored: Mapping[str, str]
    ) -> list[Command]:
        """Return the writes that give a group these *aliases* and no others.

        Raises TooManyAliases, AliasTaken, StillMerging.
        """
        if len(aliases) > config.MAX_ALIASES:
            raise errors.TooManyAliases(max=config.MAX_ALIASES)
        keys, key = self._keys, self._keys.group_aliases()
        new = [alias for alias in aliases if stored.get(alias) != name]
        old = [alias for alias, group in stored.items() if group == name and alias not in aliases]
        are_groups = attempt.read(*(("SISMEMBER", keys.groups(), alias) for alias in new))
        are_merging = attempt.read(*(("SISMEMBER", keys.merging(), alias) for alias in old))
        # A planned merge into a group that was deleted since must not lead into another one.
        plans = attempt.value("HVALS", keys.planned_merges()) if new else []
        awaited = {json_object(plan).get("into") for plan in plans}
        for alias, is_group in zip(new, are_groups, strict=True):
            if is_group or alias in stored or alias in awaited:
                raise errors.AliasTaken(name=alias)
        for alias, is_merging in zip(old, are_merging, strict=True):
            if is_merging:
                raise errors.StillMerging(name=alias)
        writes: list[Command] = [("HDEL", key, *old)] if old else []
        return [*writes, ("HSET", key, *chain.from_iterable((alias, name) for alias in new))] if new else writes

    @act(when_full=True)
    def delete(self, attempt: Attempt, name: str, entry: LogEntry, *, actor: User | None = None) -> list[Command]:
        """Delete a group without listed articles for *actor*, None is the operator; its aliases and plans end with it.

        Tell whether there was one. Raises GroupNotEmpty, LoggedOut, NotAllowed.
        """
        keys, (group, *rankings, top) = self._keys, group_keys(self._keys, [name])
        sizes = [("SCARD", group), *(("ZCARD", ranking) for ranking in rankings)]
        is_group, *counts = attempt.read(("SISMEMBER", keys.groups(), name), *sizes)
        if not is_group:
            return []
        aliases = attempt.value("HGETALL", keys.group_aliases())
        old = [alias for alias, other in aliases.items() if other == name]
        # Their articles are on the way to this group.
        merging = attempt.read(*(("SISMEMBER", keys.merging(), alias) for alias in old))
        if any(counts) or any(merging):
            raise errors.GroupNotEmpty(name=name)
        ends: list[Command] = [("HDEL", keys.group_aliases(), *old)] if old else []
        ends.append(("HDEL", keys.planned_merges(), name))
        return [("SREM", keys.groups(), name), ("UNLINK", keys.group_info(name)), ("UNLINK", top), *ends]

    def delete_in_steps(self, name: str, entry: LogEntry) -> Iterator[int]:
        """Take each article out of the group *name*, yielding its id, and then delete the group, logging *entry*.

        The articles stay on the site. May be cut off anywhere and done again. Raises GroupNotEmpty if
        something in the group is no article: the doctor tells.
        """
        scanner, articles = Scanner(self._connection), Articles(self._context)
        while True:
            count = 0
            for member in scanner.members(self._keys.group(name)):
                if id := article_of(member):
                    with suppress(errors.NoSuchArticle, errors.ArticleGone):
                        articles.set_groups(id, [], [name])
                        count += 1
                        yield id
            try:
                self.delete(name, entry)
                return
            except errors.GroupNotEmpty:  # somebody has posted into it meanwhile
                if not count:
                    raise

    def queue_aliases(self, pipeline: Pipeline) -> Future[dict[str, str]]:
        """Queue a read of all aliases, each with the name of its group; a group has MAX_ALIASES at most."""
        return pipeline.queue_one(("HGETALL", self._keys.group_aliases()), dict)

    def resolve(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return *names* in alphabetical order, each once, with the names of groups in place of their aliases."""
        return tuple(sorted(set(self._connection.read(self.queue_resolve_each, names).values())))

    def queue_resolve_each(self, pipeline: Pipeline, names: Sequence[str]) -> Future[dict[str, str]]:
        """Queue a read of which groups *names* are aliases of: each name has the name of its group, or itself."""
        found = queue_by_id(pipeline, names, ("HMGET", self._keys.group_aliases(), *names))
        return pipeline.then(lambda: {name: found.result.get(name, name) for name in names})

    def queue_names(self, pipeline: Pipeline) -> Future[tuple[str, ...]]:
        """Queue a read of the names of all groups, in alphabetical order."""
        return pipeline.queue_one(("SMEMBERS", self._keys.groups()), lambda reply: tuple(sorted(reply)))

    def queue_sizes(self, pipeline: Pipeline, names: Sequence[str]) -> Future[dict[str, int]]:
        """Queue a read of how many articles each of the groups *names* has."""
        commands = [("ZCARD", self._keys.group_by_time(name)) for name in names]
        return pipeline.queue(commands, lambda replies: dict(zip(names, replies, strict=True)))

    def queue_get(self, pipeline: Pipeline, names: Sequence[str]) -> Future[tuple[Group | None, ...]]:
        """Queue a read of the groups *names*; None for each that does not exist."""
        keys = self._keys
        groups = [
            pipeline.queue(
                [
                    ("SISMEMBER", keys.groups(), name),
                    ("HMGET", keys.group_info(name), "title", "description"),
                    ("ZCARD", keys.group_by_time(name)),
                    ("HGET", keys.planned_merges(), name),
                ],
                partial(_group, name),
            )
            for name in names
        ]
        return pipeline.then(lambda: tuple(group.result for group in groups))

    def all(self, pipeline: Pipeline) -> tuple[Group, ...]:
        """Return all groups in alphabetical order, in two round trips: that of *pipeline*, and another."""
        names = self.queue_names(pipeline)
        pipeline.execute()
        groups = self.queue_get(pipeline, names.result)
        pipeline.execute()
        return tuple(group for group in groups.result if group)


def _group(name: str, replies: Sequence[Any]) -> Group | None:
    exists, (title, description), count, merge = replies
    # A program written after the book knows no titles: its groups are shown under their names.
    plan = parse_planned_merge(name, merge or "")
    return Group(name, title or name, description or "", count, plan) if exists else None
