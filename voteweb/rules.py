"""Who may do what: one predicate each, asked by views and templates alike.

``now`` is a unix time in seconds; a *user* of None is a reader.
"""

from voteweb import config
from voteweb.config import Settings
from voteweb.models import Act, Article, Ballot, Entry, Gone, Invitation, Role, User
from voteweb.ranking import closes


def may_moderate(user: User | None) -> bool:
    """Tell whether *user* may sort articles into groups, make groups, and settle reports."""
    return user is not None and user.role in (Role.MODERATOR, Role.ADMIN)


def may_administer(user: User | None) -> bool:
    """Tell whether *user* may make moderators."""
    return user is not None and user.role is Role.ADMIN


def may_post(user: User | None) -> bool:
    """Tell whether *user* may post articles."""
    return user is not None


def may_join(settings: Settings, *, invited: bool = False) -> bool:
    """Tell whether somebody may make an account, with or without an invitation."""
    return settings.signup == "open" or (settings.signup == "invite" and invited)


def may_enter(user: User) -> bool:
    """Tell whether *user* may log in and stay logged in."""
    return not user.banned and not user.left


def may_use(invitation: Invitation, inviter: User | None, now: float) -> bool:
    """Tell whether somebody may still join by *invitation*, which *inviter* made."""
    is_good = not invitation.used and not invitation.revoked and now < invitation.until
    return is_good and inviter is not None and may_enter(inviter)


def may_invite(user: User | None, now: float, settings: Settings) -> bool:
    """Tell whether *user* may invite others."""
    if settings.signup != "invite" or user is None:
        return False
    return may_moderate(user) or bool(settings.members_invite and now - user.since >= config.INVITER_SECONDS)


def is_poster(user: User | None, article: Article) -> bool:
    """Tell whether *user* posted *article*; names are the same whatever their case."""
    return user is not None and user.name.lower() == article.poster.lower()


def voting_open(article: Article, now: float, settings: Settings) -> bool:
    """Tell whether votes on *article* are taken at unix time *now*."""
    return not article.gone and now < closes(article.time, settings.voting_seconds)


def ballot(user: User | None, article: Article, now: float, settings: Settings) -> Ballot:
    """Return whether a vote of *user* on *article* can be cast or taken back; readers are led to log in."""
    if not voting_open(article, now, settings):
        return Ballot.CLOSED
    return Ballot.OWN if is_poster(user, article) else Ballot.OPEN


def may_delete(user: User | None, article: Article, now: float, settings: Settings) -> bool:
    """Tell whether *user* may delete *article*: the own one, in its first minutes."""
    return is_poster(user, article) and not article.gone and now < article.time + settings.edit_seconds


def may_edit(user: User | None, article: Article, now: float, settings: Settings) -> bool:
    """Tell whether *user* may edit *article*: the own one in its first minutes, moderators at any time."""
    return not article.gone and (may_moderate(user) or may_delete(user, article, now, settings))


def may_remove(user: User | None, article: Article) -> bool:
    """Tell whether *user* may remove *article* from the site."""
    return may_moderate(user) and not article.gone


def may_restore(user: User | None, article: Article) -> bool:
    """Tell whether *user* may put a removed *article* back."""
    return may_moderate(user) and article.gone is Gone.REMOVED


def may_read(user: User | None, article: Article) -> bool:
    """Tell whether *user* may read *article*: a removed one only its poster and moderators, a deleted one nobody."""
    return not article.gone or (article.gone is Gone.REMOVED and (may_moderate(user) or is_poster(user, article)))


def may_report(user: User | None, article: Article) -> bool:
    """Tell whether *user* may report *article*: any member but its poster."""
    return user is not None and not article.gone and not is_poster(user, article)


def may_ban(user: User | None, member: User) -> bool:
    """Tell whether *user* may ban *member*, or let in again: moderators members, admins moderators too, nobody the own.

    An admin can only be banned from the command line.
    """
    if user is None or user.id == member.id or member.left:
        return False
    return may_moderate(user) and (member.role is Role.MEMBER or may_administer(user)) and member.role is not Role.ADMIN


def may_set_role(user: User | None, member: User) -> bool:
    """Tell whether *user* may give *member* another role."""
    return may_administer(user) and user is not None and user.id != member.id and not member.left


def may_undo(user: User | None, entry: Entry, now: float) -> bool:
    """Tell whether *user* may take back the act *entry* of the log: its own moderator, for some minutes."""
    if user is None or not may_moderate(user) or entry.undone or entry.who.lower() != user.name.lower():
        return False
    return entry.kind in (Act.GROUPS, Act.REMOVE) and now < entry.time + config.UNDO_SECONDS


def is_good(article: Article, settings: Settings) -> bool:
    """Tell whether *article* has the votes of a good article."""
    return article.votes >= settings.good_votes
