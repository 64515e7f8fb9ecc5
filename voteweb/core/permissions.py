"""Permissions: one predicate for each act, used by views and templates alike.

*now* is a unix time in seconds; a *user* of None is a reader. How long something is allowed is in config.py.
"""

import math
from dataclasses import replace
from typing import TypeGuard

from voteweb.core import config
from voteweb.core.comments import CommentStatus, Node, Thread
from voteweb.core.models import Article, Invitation, LogAction, LogEntry, Note, Role, User, VotingState
from voteweb.core.names import name_key
from voteweb.core.ranking import voting_end
from voteweb.core.settings import Settings


def may_moderate(user: User | None) -> TypeGuard[User]:
    """Tell whether *user* may set articles' groups, make groups, and settle reports."""
    return user is not None and user.role in (Role.MODERATOR, Role.ADMIN)


def may_administer(user: User | None) -> TypeGuard[User]:
    """Tell whether *user* may give roles and ban moderators."""
    return user is not None and user.role is Role.ADMIN


def lacks_second_factor(user: User) -> bool:
    """Tell whether *user* has a role, and no rights by it on a site that requires a second factor."""
    return user.role is not Role.MEMBER and not user.second_factor


def may_join(settings: Settings, *, invited: bool = False) -> bool:
    """Tell whether a visitor may create an account, with or without an invitation."""
    return settings.signup in ("open", "approve") or (settings.signup == "invite" and invited)


def may_log_in(user: User) -> bool:
    """Tell whether *user* may log in and stay logged in."""
    return not user.banned and not user.left


def may_judge(user: User | None, member: User) -> bool:
    """Tell whether *user* may let *member* in: moderators may, if the account is held or was refused."""
    return may_moderate(user) and bool(member.held) and not member.left


def may_see(user: User | None, member: User) -> bool:
    """Tell whether *user* may see the page of *member*: while the account waits, only moderators and its owner."""
    waits = bool(member.held) and not member.banned
    return not waits or may_moderate(user) or (user is not None and user.id == member.id)


def may_use_invitation(invitation: Invitation, inviter: User | None, now: float) -> bool:
    """Tell whether *invitation*, which *inviter* made, still works."""
    is_valid = not invitation.used and not invitation.revoked and now < invitation.until
    return is_valid and inviter is not None and may_log_in(inviter)


def may_invite(user: User | None, now: float, settings: Settings) -> bool:
    if settings.signup != "invite" or user is None or user.held:
        return False
    return may_moderate(user) or bool(settings.members_invite and now - user.since >= config.INVITER_SECONDS)


def least_inviter_role(user: User, now: float, settings: Settings) -> Role:
    """Return the least role with which *user*, who may invite, may do so."""
    return Role.MEMBER if may_invite(replace(user, role=Role.MEMBER), now, settings) else Role.MODERATOR


def is_poster(user: User | None, article: Article) -> bool:
    """Tell whether *user* posted *article*; names are compared without case."""
    return user is not None and name_key(user.name) == name_key(article.poster)


def may_answer(user: User | None, article: Article) -> bool:
    """Tell whether *user* may answer the removal of *article*: its poster may, once."""
    return is_poster(user, article) and article.is_removed and not article.answer


def may_answer_ban(member: User) -> bool:
    """Tell whether the ban of *member* can be answered: an account that was refused was never let in."""
    return bool(member.banned) and not member.held


def voting_state(user: User | None, article: Article, now: float, settings: Settings) -> VotingState:
    """Return whether *user* can cast or take back a vote on *article*; for a reader it is OPEN, and leads to log-in."""
    if article.is_held and is_poster(user, article):
        return VotingState.OWN
    state, _until = usual_voting_state(article, now, settings)
    if state is VotingState.CLOSED:
        return state
    if user is not None and user.held:
        return VotingState.HELD
    return VotingState.OWN if is_poster(user, article) else state


def usual_voting_state(article: Article, now: float, settings: Settings) -> tuple[VotingState, float]:
    """Return what :func:`voting_state` is for all but the poster and accounts that wait, and until which time."""
    end = voting_end(article, settings)
    return (VotingState.OPEN, end) if article.is_listed and now < end else (VotingState.CLOSED, math.inf)


def may_delete(user: User | None, article: Article, now: float, settings: Settings) -> bool:
    """Tell whether *user* may delete *article*: its poster may for VOTEWEB_EDIT_SECONDS, and while it waits."""
    is_young = article.is_listed and now < article.time + settings.edit_seconds
    return is_poster(user, article) and (is_young or article.is_held)


def may_edit(user: User | None, article: Article, now: float, settings: Settings) -> bool:
    """Tell whether *user* may edit *article*: moderators at any time, its poster as :func:`may_edit_as_poster` says."""
    is_open = article.is_listed or article.is_held
    return is_open and (may_moderate(user) or may_edit_as_poster(user, article, now, settings))


def may_edit_as_poster(user: User | None, article: Article, now: float, settings: Settings) -> bool:
    """Tell whether *user* may edit *article* as its poster: while :func:`may_delete` allows it, unless released."""
    return may_delete(user, article, now, settings) and not article.released


def may_remove(user: User | None, article: Article) -> bool:
    return may_moderate(user) and (article.is_listed or article.is_held)


def may_release(user: User | None, article: Article) -> bool:
    """Tell whether *user* may publish *article*, which waits for a moderator."""
    return may_moderate(user) and article.is_held


def may_restore(user: User | None, article: Article) -> bool:
    return may_moderate(user) and article.is_removed


def may_read(user: User | None, article: Article) -> bool:
    """Tell whether *user* may read *article*: only its poster and moderators if removed or held, nobody if deleted."""
    is_gone_for_others = article.is_removed or article.is_held
    return article.is_listed or (is_gone_for_others and (may_moderate(user) or is_poster(user, article)))


def may_read_comments(user: User | None, article: Article) -> bool:
    """Tell whether *user* may read the comments on *article*; what others wrote below one that was deleted stays."""
    return article.is_deleted or may_read(user, article)


def may_report(user: User | None, article: Article) -> bool:
    """Tell whether *user* may report *article*: any member who is let in, but its poster."""
    return user is not None and not user.held and article.is_listed and not is_poster(user, article)


def may_ban(user: User | None, member: User) -> bool:
    """Tell whether *user* may ban or unban *member*: moderators may ban members, admins also moderators.

    Nobody may ban themselves; an admin can only be banned from the command line. An account that is held is let in or
    refused instead.
    """
    is_higher = may_administer(user) if member.role is Role.MODERATOR else member.role is Role.MEMBER
    return may_moderate(user) and is_higher and user.id != member.id and not member.left and not member.held


def may_note(user: User | None, member: User) -> bool:
    """Tell whether *user* may write notes on *member*: moderators may, on everybody but themselves."""
    return may_moderate(user) and user.id != member.id and not member.left


def may_delete_note(user: User | None, note: Note) -> bool:
    """Tell whether *user* may delete *note*: the moderator who wrote it may, and admins."""
    return may_moderate(user) and (note.by == user.name or may_administer(user))


def may_set_role(user: User | None, member: User) -> bool:
    return may_administer(user) and user.id != member.id and not member.left and not member.held


def may_undo(user: User | None, entry: LogEntry, now: float) -> bool:
    """Tell whether *user* may undo the log entry *entry*: the moderator who made it may, for UNDO_SECONDS.

    Any moderator may stop a planned merge until it begins, which may be late.
    """
    is_plan = entry.kind is LogAction.PLAN_MERGE
    end = entry.until + config.MERGE_DELAY_SECONDS if is_plan else entry.time + config.UNDO_SECONDS
    is_open = entry.can_be_undone and not entry.undone and now < end
    return may_moderate(user) and is_open and (is_plan or name_key(entry.who) == name_key(user.name))


def may_undo_all(user: User | None, member: User) -> bool:
    """Tell whether *user* may undo all that *member* did since a time: admins may, of another admin's acts none."""
    return may_administer(user) and (member.role is not Role.ADMIN or user.id == member.id)


def is_good(article: Article, settings: Settings) -> bool:
    return article.votes >= settings.good_votes


def closing_time(article: Article, thread: Thread, settings: Settings) -> int:
    """Return the unix time at which writing and voting end: as stored with the first comment."""
    return thread.closes if thread.closes is not None else int(article.time + settings.commenting_seconds)


def is_open(article: Article, thread: Thread, now: float, settings: Settings) -> bool:
    """Tell whether comments can be written and voted on."""
    return article.is_listed and not thread.closed and now < closing_time(article, thread, settings)


def is_author(user: User | None, node: Node) -> bool:
    """Tell whether *user* wrote the comment; names are compared without case."""
    return user is not None and bool(node.author) and name_key(user.name) == name_key(node.author)


def comment_voting_state(user: User | None, node: Node, *, is_open: bool) -> VotingState:
    """Return whether *user* can vote for a comment of a conversation that *is_open*; for a reader that is OPEN."""
    if not is_open or not node.is_visible:
        return VotingState.CLOSED
    if user is not None and user.held:
        return VotingState.HELD
    return VotingState.OWN if is_author(user, node) else VotingState.OPEN


def may_read_comment(user: User | None, node: Node, *, is_covered: bool) -> bool:
    """Tell whether *user* may read the words: of a removed comment, only its author and moderators may.

    *is_covered*: a comment above was removed together with its replies.
    """
    if node.is_deleted:
        return False
    is_visible = node.is_visible and not is_covered
    return is_visible or may_moderate(user) or is_author(user, node)


def may_edit_comment(user: User | None, node: Node, now: float, settings: Settings) -> bool:
    """Tell whether *user* may edit the comment: its author may for VOTEWEB_EDIT_SECONDS, and nobody else ever."""
    return is_author(user, node) and node.is_visible and now < node.time + settings.edit_seconds


def may_delete_comment(user: User | None, node: Node) -> bool:
    """Tell whether *user* may delete the comment: its author may at any time, unless it was removed."""
    return is_author(user, node) and node.is_visible


def may_remove_comment(user: User | None, node: Node) -> bool:
    return may_moderate(user) and node.is_visible


def may_restore_comment(user: User | None, node: Node) -> bool:
    """Tell whether *user* may restore the comment, or what was removed with it: its author may have left since."""
    return may_moderate(user) and (node.status is CommentStatus.REMOVED or node.removes_replies)


def may_report_comment(user: User | None, node: Node) -> bool:
    """Tell whether *user* may report the comment: any member who is let in, but its author."""
    return user is not None and not user.held and node.is_visible and not is_author(user, node)
