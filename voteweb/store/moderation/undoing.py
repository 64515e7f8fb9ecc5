"""Undoing acts in the log: each is reverted as its own kind of act would be, unless somebody has decided otherwise."""

from voteweb.core import clock
from voteweb.core.comments import CommentId
from voteweb.core.errors import NothingToUndo
from voteweb.core.models import UNDOING, LogAction, LogEntry, User
from voteweb.core.permissions import may_undo
from voteweb.store.accounts.users import Users
from voteweb.store.articles.articles import Articles
from voteweb.store.moderation.bans import Bans
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import Reports
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.context import StorePart


class Undoing(StorePart):
    """Undoes acts of moderators on one site."""

    def undo(self, id: int, actor: User) -> None:
        """Undo the act of *actor* with this id.

        Raises NothingToUndo if it is another's, too old, undone or overruled; what reverts an act of its kind raises.
        """
        log = self._context.log
        act = log.get(id)
        if act is None or not may_undo(actor, act, clock.now()):
            raise NothingToUndo()
        self._revert(act, actor)
        undone = log.get(id)
        if undone is None or not undone.undone:  # somebody else has reverted it meanwhile, so nothing was left to undo
            raise NothingToUndo()

    def _revert(self, act: LogEntry, actor: User) -> None:
        entry = NewLogEntry(
            UNDOING[act.kind],
            actor.name,
            act.about,
            act.article,
            act.title,
            undoes=act.id,
            comment=act.comment,
            articles=act.articles,
            comments=act.comments,
        )
        thing = CommentId(act.article, act.comment) if act.comment else act.article
        match act.kind:
            case LogAction.GROUPS:
                Articles(self._context).set_groups(act.article, act.removed, act.added, entry, actor=actor)
            case LogAction.REMOVE:
                Removals(self._context).restore(thing, entry, actor=actor)
            case LogAction.DISMISS:
                Reports(self._context).reopen(thing, entry, actor=actor)
            case LogAction.BAN:
                removal = Users(self._context).get(act.about).ban_removal
                restore = removal is not None and removal.entry == act.id
                Bans(self._context).lift(act.about, entry, restore=restore, actor=actor)
