"""Undoing acts in the log: each is reverted as its own kind of act would be, unless somebody has decided otherwise.

An admin undoes all that a member did since a time by one act: an entry in the log, and an entry of ``undoing:`` until a
job has undone them. Each that it has undone names that entry in the log.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from voteweb.core import clock, config, links
from voteweb.core.comments import CommentId, NoticeKind
from voteweb.core.errors import N_, Conflict, NoSuchMember, NotAllowed, NothingToUndo, Unavailable, VotewebError
from voteweb.core.models import UNDOING, ArticleStatus, DomainAction, LogAction, LogEntry, Role, User
from voteweb.core.names import name_key
from voteweb.core.permissions import may_undo, may_undo_all
from voteweb.store.accounts.users import Users, read_member
from voteweb.store.articles.articles import Articles
from voteweb.store.articles.groups import Groups
from voteweb.store.articles.versions import version_before
from voteweb.store.comments.threads import Threads
from voteweb.store.connection.commit import Attempt, commit, is_own_result
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation.bans import Bans, RemovalCounts
from voteweb.store.moderation.domain_rules import DomainRules
from voteweb.store.moderation.planned_merges import PlannedMerges
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import Reports
from voteweb.store.schema.fields import unpack
from voteweb.store.schema.log_entries import log_entry, rewrite
from voteweb.store.schema.values import finite_number, json_object
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.leases import steps_of_each
from voteweb.store.site.moderation_log import LaterActs


class KeptReason(StrEnum):
    """Why an act stays: nothing undoes it, it was decided otherwise, what was before, or its article, is gone."""

    KIND = "kind"
    OVERRULED = "overruled"
    FORGOTTEN = "forgotten"
    GONE = "gone"


class Undoable(NamedTuple):
    """The acts of a member since the unix time ``since``, newest first: those to be undone, and others with the reason.

    ``undone`` is how many acts were undone already, of those that are undone together.
    """

    since: float
    acts: tuple[LogEntry, ...]
    kept: tuple[tuple[LogEntry, KeptReason], ...]
    undone: int


class Undoing(StorePart):
    """Undoes acts of moderators on one site."""

    def undo(self, id: int, actor: User) -> int:
        """Undo the act of *actor* with this id; return how many votes of a ban cannot be given back any more.

        Raises NothingToUndo if it is another's, too old, undone or overruled; what reverts an act of its kind raises.
        """
        log = self._context.log
        act = log.get(id)
        if act and act.undone and is_own_result(self._connection, _reversal(act, actor.name)):  # sent again
            return 0
        if act is None or not may_undo(actor, act, clock.now()):
            raise NothingToUndo()
        closed_votes = self._revert(act, actor.name, actor)
        undone = log.get(id)
        if undone is None or not undone.undone:  # somebody else has reverted it meanwhile, so nothing was left to undo
            raise NothingToUndo()
        return closed_votes

    def _revert(self, act: LogEntry, who: str, actor: User | None, *, part_of: int = 0) -> int:
        """Revert an act in the name of *who*, as LogEntry says; return how many votes cannot be given back."""
        entry, counts = replace(_reversal(act, who), part_of=part_of), RemovalCounts()
        thing = CommentId(act.article, act.comment) if act.comment else act.article
        match act.kind:
            case LogAction.GROUPS:
                Articles(self._context).set_groups(act.article, act.removed, act.added, entry, actor=actor)
            case LogAction.REMOVE:
                Removals(self._context).restore(thing, entry, actor=actor)
            case LogAction.DISMISS:
                Reports(self._context).reopen(thing, entry, actor=actor)
            case LogAction.EDIT:
                Articles(self._context).revert(act, entry, actor=actor)
            case LogAction.GROUP:
                group = json_object(act.former)
                title, description = (str(group.get(name, "")) for name in ("title", "description"))
                groups, aliases = Groups(self._context), group.get("aliases")
                groups.change(act.title, title, description, entry, aliases=aliases, actor=actor)
            case LogAction.DOMAIN | LogAction.UNDOMAIN:
                rules, domain = DomainRules(self._context), act.title
                if links.domain_of_address(domain) != domain:  # an earlier version logged it
                    domain = links.respelled(domain) or domain
                if rule := _former_rule(act):
                    rules.set(domain, DomainAction(rule["action"]), entry, actor=actor)
                else:
                    rules.delete(domain, entry, actor=actor)
            case LogAction.CLOSE | LogAction.REOPEN:
                closes = act.kind is LogAction.REOPEN
                Threads(self._context).set_closed(act.article, entry, actor=actor, closes=closes)
            case LogAction.PLAN_MERGE:
                PlannedMerges(self._context).stop(act.title, entry, actor=actor)
            case LogAction.BAN:
                member, bans = Users(self._context).get(act.about), Bans(self._context)
                restore = member.ban_removal is not None and member.ban_removal.entry == act.id
                counts = bans.count_removed(member) if restore else counts
                bans.lift(act.about, replace(entry, **counts._asdict()), restore=restore, actor=actor)
        return counts.closed

    def find(self, name: str, since: float, *, before: int | None = None) -> Undoable:
        """Return what the member *name* did since a unix time, among the newest UNDONE_ENTRIES entries of the log.

        With *before*, the id of an entry, only what was done before it, among all entries.
        """
        later, own, undone, oldest = LaterActs(), list[tuple[LogEntry, KeptReason | None]](), 0, since
        for place, (id, text) in enumerate(self._context.log.newest()):
            fields = unpack(text)
            time = finite_number(fields.get("time"))
            if time is None:
                continue
            if time < since:
                break
            if before is None and place >= config.UNDONE_ENTRIES:
                since = oldest
                break
            oldest = time
            is_own = name_key(fields.get("who", "")) == name_key(name) and (before is None or id < before)
            if is_own and (act := log_entry(id, text)):
                undone += fields.get("undone") == str(before)
                if not (act.undone or act.undoes):
                    own.append((act, _why_kept(act, is_overruled=later.overrule(id, fields))))
                    if own[-1][1] is None:
                        continue  # it does not overrule those before it
            later.add(id, fields)
        for find_kept in (self._gone, self._changed_edits):
            kept = find_kept([act for act, why in own if why is None])
            own = [(act, kept.get(act.id, why)) for act, why in own]
        acts = tuple(act for act, why in own if why is None)
        return Undoable(since, acts, tuple((act, why) for act, why in own if why), undone)

    def _gone(self, acts: Sequence[LogEntry]) -> dict[int, KeptReason]:
        """Return which of *acts*, by their ids, are about articles that nobody can put back into lists."""
        restored = {act.article for act in acts if act.kind is LogAction.REMOVE and not act.comment}
        about = [act for act in acts if act.article]
        statuses = self._connection.run([("HGET", self._keys.article(act.article), "gone") for act in about])
        return {
            act.id: KeptReason.GONE
            for act, status in zip(about, statuses, strict=True)
            if status == ArticleStatus.DELETED or (status and not act.comment and act.article not in restored)
        }

    def _changed_edits(self, acts: Sequence[LogEntry]) -> dict[int, KeptReason]:
        """Return why edits among *acts*, newest first, stay: before the first of an article that can be undone."""
        edits = sorted((act for act in acts if act.kind is LogAction.EDIT), key=attrgetter("article"))
        kept = dict[int, KeptReason]()
        for id, of_one in groupby(edits, key=attrgetter("article")):
            versions, stay = self._connection.read(Articles(self._context).queue_earlier, id), dict[int, KeptReason]()
            for edit in of_one:
                try:
                    if version_before(edit, versions):
                        stay = {}  # what was before it takes the place of all that came after
                    else:
                        stay[edit.id] = KeptReason.FORGOTTEN
                except NothingToUndo:
                    stay[edit.id] = KeptReason.OVERRULED
            kept |= stay
        return kept

    def start(self, name: str, since: float, actor: User) -> None:
        """Begin to undo all that the member *name* did since a unix time, for the admin *actor*; :meth:`steps` goes on.

        Raises NoSuchMember; NothingToUndo if there is nothing, or it has begun and not ended; LoggedOut, NotAllowed.
        """
        keys, key, found = self._keys, self._keys.undoing(), self.find(name, since)
        entry = LogEntry(LogAction.UNDO, actor.name, about=name, since=found.since)

        def decide(attempt: Attempt) -> list[Command]:
            member, _ = read_member(attempt, name)
            if member is None:
                raise NoSuchMember(name=name)
            if not may_undo_all(read_member(attempt, actor.name)[0], member):
                raise NotAllowed()
            running, count = attempt.read(("HGET", key, name_key(name)), ("LLEN", keys.log_entries()))
            if running is not None:
                raise NothingToUndo(N_("What %(name)s did is being undone already."), name=name)
            if not found.acts:
                raise NothingToUndo(N_("Of what %(name)s did since then, nothing can be undone."), name=name)
            return [("HSET", key, name_key(name), count + 1)]

        commit(self._connection, decide, actor=actor, role=Role.ADMIN, entry=entry, when_full=True)

    def steps(self) -> Iterator[None]:
        """Undo all that was begun, in bounded steps."""
        yield from steps_of_each(sorted(self._connection.command("HKEYS", self._keys.undoing())), self._steps)

    def _steps(self, name: str) -> Iterator[None]:
        begun = self._connection.command("HGET", self._keys.undoing(), name)
        order = self._context.log.get(int(begun)) if begun and begun.isdecimal() else None
        if order and order.kind is LogAction.UNDO:
            for act in self.find(order.about, order.since, before=order.id).acts:
                try:
                    self._revert(act, order.who, None, part_of=order.id)
                except VotewebError as error:  # it stays as it is
                    if isinstance(error, Conflict | Unavailable):
                        raise  # the job comes back to it
                yield
        found = self.find(order.about, order.since, before=order.id) if order else None
        self._end(name, begun, order, found)

    @act(when_full=True)
    def _end(
        self, attempt: Attempt, name: str, begun: str | None, order: LogEntry | None, found: Undoable | None
    ) -> list[Command]:
        """Note in the log how many acts were undone and how many stay, and tell the admin."""
        keys, key = self._keys, self._keys.undoing()
        now_begun = attempt.value("HGET", key, name)
        if now_begun is None or now_begun != begun:
            return []
        ended: list[Command] = [("HDEL", key, name)]
        if order is None or found is None or order.kind is not LogAction.UNDO:
            return ended
        text = attempt.value("LINDEX", keys.log_entries(), order.id - 1)
        attempt.told, attempt.told_of = [(NoticeKind.UNDONE, order.who)], f"log-{order.id}"
        counts = {"acts": str(found.undone), "kept": str(len(found.acts) + len(found.kept))}
        return [*ended, rewrite(keys, order.id, unpack(text) | counts)]


def _reversal(act: LogEntry, who: str) -> LogEntry:
    """Return the entry of the log by which *who* undoes an act that can be undone."""
    kind, why = UNDOING[act.kind], act.former if act.kind is LogAction.REOPEN else ""
    if act.kind in (LogAction.DOMAIN, LogAction.UNDOMAIN):
        rule = _former_rule(act)
        kind, why = (LogAction.DOMAIN, str(rule.get("why", ""))) if rule else (LogAction.UNDOMAIN, "")
    title, hidden = act.title, act.hidden
    if kind is LogAction.RESTORE and not act.comment:  # it shows the title again
        title, hidden = title or hidden, ""
    return LogEntry(kind, who, act.about, act.article, title, why, undoes=act.id, comment=act.comment, hidden=hidden)


def _former_rule(act: LogEntry) -> dict[str, Any]:
    """Return the rule of a domain before *act*, {} if it had none."""
    rule = json_object(act.former)
    return rule if rule.get("action") in set(DomainAction) else {}


def _why_kept(act: LogEntry, *, is_overruled: bool) -> KeptReason | None:
    """Return why an act in force cannot be undone, as the log tells, None if it can."""
    if not act.can_be_undone:
        return KeptReason.KIND
    if is_overruled:
        return KeptReason.OVERRULED
    is_late = act.kind is LogAction.DISMISS and act.time + config.UNDO_SECONDS <= clock.now()
    return KeptReason.FORGOTTEN if is_late else None
