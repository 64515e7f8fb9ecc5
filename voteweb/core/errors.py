"""Every failure a person can cause or meet, by name, with the words for it.

A refusal carries an English template and its values; the command line prints it as it stands, the web
translates the template first. A value named ``when`` is a unix time in seconds, formatted at the edge.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar


def N_(text: str) -> str:
    """Mark *text* for the translation catalogues and return it unchanged."""
    return text


class VotewebError(Exception):
    """Base of all failures; ``status`` is the HTTP status, ``code`` the word that scripts are told."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "refused"
    template: ClassVar[str] = ""

    def __init__(self, template: str = "", **values: Any) -> None:
        self.words = template or self.template
        self.values = values
        super().__init__(str(self))

    def __str__(self) -> str:
        values = dict(self.values)
        if "when" in values:
            values["when"] = f"{datetime.fromtimestamp(values['when'], UTC):%Y-%m-%d %H:%M} UTC"
        return self.words % values


class Invalid(VotewebError):
    """A field holds what it may not; the words say what it may."""

    code = "invalid"


class ConfigError(VotewebError):
    """A setting is missing or wrong, or the database cannot be used as it is set up."""

    status = 500
    code = "config"


class NoSuchArticle(VotewebError):
    """There is no article with this id."""

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
    """The member's vote is counted already; value ``votes`` is the count as it stands."""

    status = 409
    code = "already-voted"
    template = N_("You have already voted for this article.")


class NotVoted(VotewebError):
    """There is no vote to take back; value ``votes`` is the count as it stands."""

    status = 409
    code = "not-voted"
    template = N_("You have not voted for this article.")


class OwnVote(VotewebError):
    """The vote of an article's poster came with the posting and stays."""

    status = 409
    code = "own-vote"
    template = N_("You posted this article: your own vote stays.")


class VotingClosed(VotewebError):
    """The voting time of this article is over; value ``when`` is the unix time it ended."""

    status = 410
    code = "voting-closed"
    template = N_("Voting closed on %(when)s.")


class ArticleGone(VotewebError):
    """The article was deleted by its poster or removed by a moderator."""

    status = 410
    code = "article-gone"
    template = N_("This article is no longer here.")


class TooLate(VotewebError):
    """The time to edit or delete the own article is over; value ``when`` is the unix time it ended."""

    status = 403
    code = "too-late"
    template = N_("Your own article could be changed until %(when)s. Moderators can still change it.")


class NotYours(VotewebError):
    """Only an article's poster and moderators may do this."""

    status = 403
    code = "not-yours"
    template = N_("Only its poster and moderators can do this.")


class Duplicate(VotewebError):
    """The link was posted within the last weeks already; value ``id`` is the newest article that has it."""

    status = 409
    code = "duplicate"
    template = N_("This link was posted already.")


class AlreadyReported(VotewebError):
    """The member reported the article before."""

    status = 409
    code = "already-reported"
    template = N_("You have already reported this article.")


class NoInvitation(VotewebError):
    """The invitation does not exist, is used, revoked or past its end."""

    status = 403
    code = "no-invitation"
    template = N_("This invitation is used, withdrawn or past its end. Please ask for a new one.")


class InviterGone(NoInvitation):
    """Whoever made the invitation was banned or has left."""

    code = "inviter-gone"
    template = N_("Whoever made this invitation is no longer a member. Please ask somebody else for a new one.")


class InvitationUsed(VotewebError):
    """A used invitation cannot be withdrawn."""

    status = 409
    code = "invitation-used"
    template = N_("This invitation has been used already.")


class LinkUsed(VotewebError):
    """A one-time link for a new password does not work, or no more."""

    status = 410
    code = "link-used"
    template = N_("This link has been used or is past its day. Please ask the operator for a new one.")


class Banned(VotewebError):
    """The member is banned; value ``reason``."""

    status = 403
    code = "banned"
    template = N_("This account is banned: %(reason)s")


class NothingToUndo(VotewebError):
    """An act of the log cannot be taken back: too old, somebody else's, or undone already."""

    status = 409
    code = "nothing-to-undo"
    template = N_("This act cannot be undone any more.")


class TooManyGroups(VotewebError):
    """An article would be in more groups than the site allows; value ``most``."""

    status = 409
    code = "too-many-groups"
    template = N_("An article can be in %(max)s groups at most.")


class GroupExists(VotewebError):
    """A group of this name exists already; value ``name``."""

    status = 409
    code = "group-exists"
    template = N_("There is already a group named %(name)s.")


class NameTaken(VotewebError):
    """A member of this name exists already, whatever the case of its letters; value ``name``."""

    status = 409
    code = "name-taken"
    template = N_("The name %(name)s is taken.")


class Conflict(VotewebError):
    """The groups of an article kept changing under a write until its deadline passed."""

    status = 409
    code = "conflict"
    template = N_("Somebody else is changing this article right now. Please try again.")


class TooFast(VotewebError):
    """An act was done too often: taken again in ``wait`` seconds, at unix time ``when``.

    The limit has the words; ``kind`` is its name.
    """

    status = 429
    code = "too-fast"


class LoggedOut(VotewebError):
    """A form came from somebody whose session has ended meanwhile."""

    status = 401
    code = "login"
    template = N_("You are logged out. Log in in another tab, then send this form again: what you wrote is still here.")


class Unavailable(VotewebError):
    """Redis did not answer within the deadline; ``retry_after`` seconds say when to come back."""

    status = 503
    code = "unavailable"
    template = N_("The site cannot reach its database at the moment. Please try again in a few seconds.")
    retry_after: ClassVar[int] = 5
