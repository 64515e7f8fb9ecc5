"""Undoing acts in the log: each is reverted as its own kind of act would be, unless somebody has decided otherwise."""

from dataclasses import replace

from voteweb.core import clock
from voteweb.core.comments import CommentId
from voteweb.core.errors import NothingToUndo
from voteweb.core.models import UNDOING, LogAction, LogEntry, User
from voteweb.core.permissions import may_undo
from voteweb.store.accounts.users import Users
from voteweb.store.articles.articles import Articles
from voteweb.store.moderation.bans import Bans, RemovalCounts
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import Reports
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.context import StorePart


class Undoing(StorePart):
    """Undoes acts of moderators on one site."""

    def undo(self, id: int, actor: User) -> int:
        """Undo the act of *actor* with this id; return how many votes of a ban cannot be given back any more.

        Raises NothingToUndo if it is another's, too old, undone or overruled; what reverts an act of its kind raises.
        """
        log = self._context.log
        act = log.get(id)
        if act is None or not may_undo(actor, act, clock.now()):
            raise NothingToUndo()
        closed_votes = self._revert(act, actor)
        undone = log.get(id)
        if undone is None or not undone.undone:  # somebody else has reverted it meanwhile, so nothing was left to undo
            raise NothingToUndo()
        return closed_votes

    def _revert(self, act: LogEntry, actor: User) -> int:
        entry = NewLogEntry(
            UNDOING[act.kind],
            actor.name,
            act.about,
            act.article,
            act.title,
            undoes=act.id,
            comment=act.comment,
        )
        counts = RemovalCounts()
        thing = CommentId(act.article, act.comment) if act.comment else act.article
        match act.kind:
            case LogAction.GROUPS:
                Articles(self._context).set_groups(act.article, act.removed, act.added, entry, actor=actor)
            case LogAction.REMOVE:
                Removals(self._context).restore(thing, entry, actor=actor)
            case LogAction.DISMISS:
                Reports(self._context).reopen(thing, entry, actor=actor)
            case LogAction.BAN:
                member, bans = Users(self._context).get(act.about), Bans(self._context)
                restore = member.ban_removal is not None and member.ban_removal.entry == act.id
                counts = bans.count_removed(member) if restore else counts
                bans.lift(act.about, replace(entry, **counts._asdict()), restore=restore, actor=actor)
        return counts.closed
