"""The errors that a person can cause or meet, each with its HTTP status and its message.

An error carries an English template and its values. The command line prints it in English, the web translates the
template first. A value named ``when`` is a unix time in seconds, formatted for the reader.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar


def N_(text: str) -> str:
    """Mark *text* for the translation catalogues and return it unchanged."""
    return text


class VotewebError(Exception):
    """Base of all errors; ``status`` is the HTTP status, ``code`` names the error to scripts."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "refused"
    template: str = ""

    def __init__(self, template: str = "", **values: Any) -> None:
        self.template = template or self.template
        self.values = values
        super().__init__(str(self))

    def __str__(self) -> str:
        values = dict(self.values)
        if "when" in values:
            values["when"] = f"{datetime.fromtimestamp(values['when'], UTC):%Y-%m-%d %H:%M} UTC"
        return self.template % values


class Invalid(VotewebError):
    """A field has a value that is not allowed; the message says what is."""

    code = "invalid"


class ConfigError(VotewebError):
    """A setting is missing or wrong, or the database cannot be used as it is set up."""

    status = 500
    code = "config"


class NoSuchArticle(VotewebError):
    status = 404
    code = "unknown-article"
    template = N_("There is no such article.")


class NoSuchGroup(VotewebError):
    """A group named in a form or an address does not exist; value ``names``, comma-separated."""

    status = 404
    code = "unknown-group"
    template = N_("There is no group named %(names)s.")


class NoSuchMember(VotewebError):
    """There is no member of this name; value ``name``."""

    status = 404
    code = "unknown-member"
    template = N_("There is no member named %(name)s.")


class NoSuchPage(VotewebError):
    """A list has no page of this number."""

    status = 404
    code = "unknown-page"
    template = N_("This list has no such page.")


class AlreadyVoted(VotewebError):
    """The member's vote is counted already; value ``votes`` is the current count."""

    status = 409
    code = "already-voted"
    template = N_("You have already voted for this article.")


class NotVoted(VotewebError):
    """There is no vote to take back; value ``votes`` is the current count."""

    status = 409
    code = "not-voted"
    template = N_("You have not voted for this article.")


class OwnVote(VotewebError):
    """The poster's vote was cast by posting and cannot be taken back; value ``votes`` is the current count."""

    status = 409
    code = "own-vote"
    template = N_("You posted this article: your vote for it cannot be taken back.")


class VotingClosed(VotewebError):
    """The voting time of this article is over; value ``when`` is the unix time it ended."""

    status = 410
    code = "voting-closed"
    template = N_("Voting closed on %(when)s.")


class ArticleGone(VotewebError):
    """The article was deleted by its poster or removed by a moderator."""

    status = 410
    code = "article-gone"
    template = N_("This article is no longer available.")


class TooLate(VotewebError):
    """The poster's time to edit or delete the article is over; value ``when`` is the unix time it ended."""

    status = 403
    code = "too-late"
    template = N_("You could change this article until %(when)s. Now only moderators can change it.")


class NotYours(VotewebError):
    """Only an article's poster and moderators may do this."""

    status = 403
    code = "not-yours"
    template = N_("Only the poster of this article and moderators can do this.")


class Duplicate(VotewebError):
    """The link was posted within LINK_SECONDS; value ``id`` is the newest article that has it."""

    status = 409
    code = "duplicate"
    template = N_("This link was posted already.")


class AlreadyReported(VotewebError):
    status = 409
    code = "already-reported"
    template = N_("You have already reported this article.")


class NoInvitation(VotewebError):
    """The invitation does not exist, is used, revoked or expired."""

    status = 403
    code = "no-invitation"
    template = N_("This invitation has expired, or was used or withdrawn. Please ask for a new one.")


class InviterGone(NoInvitation):
    """The member who made the invitation was banned or has left."""

    code = "inviter-gone"
    template = N_("The person who made this invitation is no longer a member. Please ask somebody else for a new one.")


class InvitationUsed(VotewebError):
    """A used invitation cannot be withdrawn."""

    status = 409
    code = "invitation-used"
    template = N_("This invitation has been used already.")


class LinkUsed(VotewebError):
    """A one-time link for a new password is used, expired or unknown."""

    status = 410
    code = "link-used"
    template = N_("This link has expired or was used. Please ask the operator for a new one.")


class Banned(VotewebError):
    """The member is banned; value ``reason``."""

    status = 403
    code = "banned"
    template = N_("This account is banned: %(reason)s")


class NothingToUndo(VotewebError):
    """A log entry cannot be undone: it is too old, another moderator's, or undone already."""

    status = 409
    code = "nothing-to-undo"
    template = N_("This action can no longer be undone.")


class TooManyGroups(VotewebError):
    """An article would be in more groups than the site allows; value ``max``."""

    status = 409
    code = "too-many-groups"
    template = N_("An article can be in at most %(max)s groups.")


class GroupExists(VotewebError):
    """A group of this name exists already; value ``name``."""

    status = 409
    code = "group-exists"
    template = N_("There is already a group named %(name)s.")


class NameTaken(VotewebError):
    """A member of this name exists already, in any case of its letters; value ``name``."""

    status = 409
    code = "name-taken"
    template = N_("The name %(name)s is taken.")


class Conflict(VotewebError):
    """A write was refused again and again because somebody else changed the same data, or its new id is in use."""

    status = 409
    code = "conflict"
    template = N_("Somebody else is changing this article right now. Please try again.")


class TooFast(VotewebError):
    """A rate limit refuses an act: the next is accepted in ``wait`` seconds, at unix time ``when``.

    The limit has the template; the value ``kind`` is its name, ``burst`` the number of acts it accepts in a row.
    """

    status = 429
    code = "too-fast"


class LoggedOut(VotewebError):
    """The session that sends a form has ended."""

    status = 401
    code = "login"
    template = N_("You are logged out. Log in in another tab, then send this form again: what you wrote is still here.")


class Unavailable(VotewebError):
    """Redis did not answer within the deadline; ``retry_after`` is the suggested wait in seconds."""

    status = 503
    code = "unavailable"
    template = N_("The site cannot reach its database at the moment. Please try again in a few seconds.")
    retry_after: ClassVar[int] = 5
