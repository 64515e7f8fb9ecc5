"""The public log of what moderators and the command line did, kept for good and indexed by who, kind and whom."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from voteweb.core import config, validation
from voteweb.core.comments import NoticeKind
from voteweb.core.errors import NothingToUndo
from voteweb.core.models import UNDOING, LogAction, LogEntry, Page
from voteweb.core.names import name_key
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt, subject_of
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.fields import unpack
from voteweb.store.schema.log_entries import log_entry, rewrite
from voteweb.store.site.rows import queue_page

#: The times of entries, in unix seconds as text: from one on, and before another; "" for none.
Times = tuple[str, str]
_ALWAYS: Times = ("", "")
#: The kinds of acts that decide the same as one of each kind; of an article's groups, those that are changed count.
_DECIDED_BY: dict[str, tuple[str, ...]] = {
    **{kind: (kind, other) for kind, other in UNDOING.items() if kind is not LogAction.GROUPS},
    LogAction.GROUP: (LogAction.GROUP, LogAction.DELETE_GROUP, LogAction.MERGE_GROUP),
    LogAction.PLAN_MERGE: (LogAction.PLAN_MERGE, LogAction.STOP_MERGE, LogAction.DELETE_GROUP, LogAction.MERGE_GROUP),
}
#: The highest place in a list that Redis accepts.
_MAX_PLACE = 2**63 - 1


@dataclass(frozen=True, slots=True)
class LogMatches:
    """The newest entries of a log that a search found, among ``looked`` of ``total`` entries.

    ``until`` is the unix time of the oldest of these, from which to look further back; 0 if there is no older one.
    """

    rows: tuple[LogEntry, ...]
    total: int
    looked: int
    until: float


class ModerationLog:
    """The log of one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys

    def queue_page(
        self, pipeline: Pipeline, number: int, *, who: str = "", kind: str = "", about: str = ""
    ) -> Future[Page[LogEntry]]:
        """Queue a read of page *number* (from 1), newest first, filtered by moderator and kind or by subject."""
        list_key = self._index(who, kind, about)

        def read_from(first: int, size: int) -> list[Command]:
            return [self._read(list_key, first, size, _ALWAYS)]

        return queue_page(pipeline, number, config.LOG_PAGE_SIZE, read_from, _parse)

    def queue_count(self, pipeline: Pipeline, who: str) -> Future[int]:
        """Queue a count of the acts of *who*."""
        return pipeline.queue_one(("LLEN", self._keys.log_by(who)), int)

    def queue_search(
        self, pipeline: Pipeline, words: Collection[str], *, who: str = "", kind: str = "", times: Times = _ALWAYS
    ) -> Future[LogMatches]:
        """Queue a search for a page of entries with all *words*, among the newest LOG_SEARCHED that *times* have.

        Without words, it looks at LOG_STEP. Acts that are shown as one count as one.
        """
        list_key, wanted = self._index(who, kind, ""), [word.casefold() for word in words]
        stored = [json.dumps(word, ensure_ascii=False)[1:-1] for word in wanted]
        steps = range(0, config.LOG_SEARCHED if words else config.LOG_STEP, config.LOG_STEP)

        def parse(replies: Sequence[Sequence[Any]]) -> LogMatches:
            rows, runs, looked, last, total = list[LogEntry](), 0, 0, ("0", ""), replies[0][0]
            for id, text in chain.from_iterable(zip(reply[1::2], reply[2::2], strict=True) for reply in replies):
                folded = text.replace("\\/", "/").casefold()
                # Few have the words: to decode all would take ten times as long.
                entry = log_entry(int(id), text) if all(word in folded for word in stored) else None
                if entry and _has_words(entry, wanted):
                    runs += not rows or rows[-1].run != entry.run
                    if runs > config.LOG_PAGE_SIZE:
                        break
                    rows.append(entry)
                looked, last = looked + 1, (id, text)
            oldest = log_entry(int(last[0]), last[1]) if looked < total else None
            return LogMatches(tuple(rows), total, looked, oldest.time if oldest else 0)

        return pipeline.queue([self._read(list_key, newer, config.LOG_STEP, times) for newer in steps], parse)

    def _read(self, list_key: str, newer: int, count: int, times: Times) -> Command:
        since, until = times
        return scripts.call(
            self._keys, "read_log", list=list_key, newer=newer, since=since, until_time=until, count=count
        )

    def names_with_roles(self) -> Iterator[str]:
        """Yield the names of those who were given a role, by the newest entries first; a name may come again.

        One round trip for each page of the log, and MAX_ROLE_PAGES at most.
        """
        for number in range(1, config.MAX_ROLE_PAGES + 1):
            page = self._connection.read(self.queue_page, number, kind=LogAction.ROLE)
            yield from (entry.about for entry in page.rows)
            if not page.more:
                return

    def _index(self, who: str, kind: str, about: str) -> str:
        if about:
            return self._keys.log_about(about)
        if kind:
            return self._keys.log_kind(kind, who)
        return self._keys.log_by(who) if who else self._keys.log()

    def get(self, id: int) -> LogEntry | None:
        is_place = 0 < id <= _MAX_PLACE
        text = self._connection.command("LINDEX", self._keys.log_entries(), id - 1) if is_place else None
        return log_entry(id, text) if text else None

    def newest(self) -> Iterator[tuple[int, str]]:
        """Yield the ids and texts of all entries, the newest first, in batches of READ_BATCH_SIZE."""
        key, size = self._keys.log_entries(), config.READ_BATCH_SIZE
        for last in range(self._connection.command("LLEN", key), 0, -size):
            first = max(last - size, 0)
            texts = self._connection.command("LRANGE", key, first, last - 1)
            yield from zip(range(last, first, -1), reversed(texts), strict=True)


def _parse(values: Sequence[str]) -> Iterator[LogEntry | None]:
    return (log_entry(int(id), text) for id, text in zip(values[::2], values[1::2], strict=True))


def _has_words(entry: LogEntry, wanted: Collection[str]) -> bool:
    """Tell whether its title, reason and names have all the *wanted* words, as parts of words and without case."""
    texts = " ".join((entry.title, entry.why, entry.who, entry.about, *entry.added, *entry.removed)).casefold()
    return all(word in texts for word in wanted)


def who_is_told(by: str, author: str = "", reporters: Iterable[str] = ()) -> list[tuple[NoticeKind, str]]:
    """Return who of these finds an act of the member *by* in their inbox, who is not told, with the kind of notice."""
    # An author who is also a reporter is told once.
    members = {name_key(author): NoticeKind.REMOVED}
    for name in reporters:
        members.setdefault(name_key(name), NoticeKind.REPORT)
    return [(kind, name) for name, kind in members.items() if validation.is_member_name(name) and name != name_key(by)]


def mark_undone(attempt: Attempt, entry: LogEntry | None) -> list[Command]:
    """Return the write that marks the act as undone that *entry* names, none for an entry that undoes no act.

    Raises NothingToUndo unless that act is in force: it exists, was not undone, and no later act overruled it.
    """
    if entry is None or not entry.undoes:
        return []
    keys, id = attempt.keys, entry.undoes
    key = keys.log_entries()
    stored = attempt.value("LINDEX", key, id - 1)
    undone, later = unpack(stored or ""), LaterActs()
    texts, article = attempt.read_after(key, id), undone.get("article")
    for at, text in zip(range(id + len(texts), id, -1), reversed(texts), strict=True):
        # Few of thousands are about the article, or merge groups: to unpack all takes ten times as long.
        if not article or f'"{article}"' in text or f'"{LogAction.MERGE_GROUP}"' in text:
            later.add(at, unpack(text))
    if not undone or "undone" in undone or later.overrule(id, undone):
        raise NothingToUndo()
    return [rewrite(keys, id, undone | {"undone": str(entry.part_of or 1)})]


class LaterActs:
    """The acts that are in force, of those after one; they are added from the newest to the oldest.

    An undone act and the one that undid it cancel each other; one that was undone with others has none.
    """

    def __init__(self) -> None:
        self._cancelled = set[int]()
        self._by_subject = defaultdict[tuple[str, ...], list[Mapping[str, str]]](list)
        self._merged_into = set[str]()

    def add(self, id: int, fields: Mapping[str, str]) -> None:
        if id in self._cancelled or fields.get("undone", "1") != "1":
            return
        self._cancelled.add(_undoes(fields))
        self._by_subject[subject_of(fields)].append(fields)
        if fields.get("kind") == LogAction.MERGE_GROUP:
            self._merged_into.add(fields.get("added", ""))

    def overrule(self, id: int, fields: Mapping[str, str]) -> bool:
        """Tell whether one of them decided anew what an earlier entry of the log had decided.

        An article may be in a group that another was merged into because of that one, too, and the group has one second
        name more.
        """
        kind = fields.get("kind")
        if kind == LogAction.GROUPS and not self._merged_into.isdisjoint(fields.get("added", "").split()):
            return True
        if kind == LogAction.GROUP and fields.get("title") in self._merged_into:
            return True
        return any(_undoes(later) <= id and _overrules(later, fields) for later in self._by_subject[subject_of(fields)])


def _undoes(fields: Mapping[str, str]) -> int:
    undoes = fields.get("undoes", "")
    return int(undoes) if undoes.isdecimal() else 0


def _overrules(later: Mapping[str, str], earlier: Mapping[str, str]) -> bool:
    """Tell whether a log entry decided anew what an *earlier* one had decided on the same subject.

    That is whether the article is listed, in which of these groups it is, its words, whether its reports or its
    conversation are open, whether the member is banned, the group, or the rule of the domain.
    """
    if kinds := _DECIDED_BY.get(earlier.get("kind", "")):
        return later.get("kind") in kinds
    changed, changed_later = (
        {*entry.get("added", "").split(), *entry.get("removed", "").split()} for entry in (earlier, later)
    )
    return not changed.isdisjoint(changed_later)
