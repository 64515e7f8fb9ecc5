"""The errors that a person can cause or meet, each with its HTTP status and its message.

An error carries an English template and its values. The command line prints it in English, the web translates the
template first. A value named ``when`` is a unix time in seconds, formatted for the reader.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Self


def N_(text: str) -> str:
    """Mark *text* for the translation catalogues and return it unchanged."""
    return text


def code_of(name: str) -> str:
    """Return what scripts get as the code of an error whose class has this *name*, such as "already-voted"."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


class VotewebError(Exception):
    """Base of all errors; ``status`` is the HTTP status, by default that of the class above.

    ``code`` names the error to scripts: by default the name of the class, as "already-voted".
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "refused"
    template: str = ""

    def __init_subclass__(cls, *, status: int = 0, code: str = "") -> None:
        if status:
            cls.status = status
        cls.code = code or code_of(cls.__name__)

    def __init__(self, template: str = "", **values: Any) -> None:
        self.template = template or self.template
        self.values = values
        super().__init__(str(self))

    def __str__(self) -> str:
        values = dict(self.values)
        if "when" in values:
            values["when"] = f"{datetime.fromtimestamp(values['when'], UTC):%Y-%m-%d %H:%M} UTC"
        return (self.template % values).strip()


class Invalid(VotewebError):
    """A field has a value that is not allowed; the message says what is.

    Value ``errors``: those of several fields; ``fields``: their messages by the names of the fields.
    """

    @classmethod
    def of_fields(cls, fields: Mapping[str, str]) -> Self:
        """Return the error with these messages of *fields*."""
        return cls("%(problem)s", problem=" ".join(fields.values()), fields=fields)


class ConfigError(VotewebError, status=500, code="config"):
    """A setting is missing or wrong, or the database cannot be used as it is set up."""


class NoSuchArticle(VotewebError, status=404, code="unknown-article"):
    template = N_("There is no such article.")


class NoSuchGroup(VotewebError, status=404, code="unknown-group"):
    """Value ``names``, comma-separated."""

    template = N_("There is no group named %(names)s.")


class NoSuchMember(VotewebError, status=404, code="unknown-member"):
    template = N_("There is no member named %(name)s.")


class MemberLeft(VotewebError, status=410):
    template = N_("This account was deleted by its owner.")


class NoSuchEntry(VotewebError, status=404, code="unknown-entry"):
    template = N_("The inbox has no such entry.")


class NoSuchPage(VotewebError, status=404, code="unknown-page"):
    template = N_("This list has no such page.")


class AlreadyVoted(VotewebError, status=409):
    """The member's vote is counted already; value ``votes`` is the current count."""

    template = N_("You have already voted for this article.")


class NotVoted(VotewebError, status=409):
    """There is no vote to take back; value ``votes`` is the current count."""

    template = N_("You have not voted for this article.")


class OwnVote(VotewebError, status=409):
    """The poster's vote was cast by posting and cannot be taken back; value ``votes`` is the current count."""

    template = N_("You posted this article: your vote for it cannot be taken back.")


class VotingClosed(VotewebError, status=410):
    template = N_("Voting closed on %(when)s.")


class ArticleGone(VotewebError, status=410):
    """The article was deleted by its poster or removed by a moderator."""

    template = N_("This article is no longer available.")


class TooLate(VotewebError, status=403):
    template = N_("You could change this article until %(when)s. Now only moderators can change it.")


class NotYours(VotewebError, status=403):
    template = N_("Only the poster of this article and moderators can do this.")
    deletion: ClassVar[str] = N_("Only its poster can delete an article. Moderators can remove it.")


class NotRemoved(VotewebError, status=409):
    template = N_("There is nothing to answer any more: the article is as it was.")


class AnsweredBefore(VotewebError, status=409):
    template = N_("You have answered already.")


class FormExpired(VotewebError, status=409):
    template = N_("This form has expired. Please log in again: your answer is still here.")


class StaleEdit(VotewebError, status=409):
    """An article has another revision than the one that its editor saw; value ``revision``, if it is known."""

    template = N_(
        "Somebody has changed this article since you opened this form, so nothing was saved. "
        "Compare both versions, then save yours or leave the article as it is."
    )


class AboutChanged(VotewebError, status=409):
    template = N_("The member has changed these lines since you read them. Please read them again.")


class LinkFixed(VotewebError, status=409):
    template = N_("Others have voted for this article, so you can no longer change its link.")
    for_admins: ClassVar[str] = N_("Others have voted for this article: only admins change its link, for a reason.")


class Duplicate(VotewebError, status=409):
    """The link was posted within LINK_SECONDS; value ``id``, of the article, where it is known."""

    template = N_("This link was posted already.")
    own: ClassVar[str] = N_("You have posted this link already.")


class NoTitle(VotewebError, status=422):
    """The title of a link cannot be fetched; other messages than that of the class say why."""

    template = N_("The page at this link has no title that can be read. Please type one.")
    unreachable: ClassVar[str] = N_("The page at this link cannot be reached. Check the link, or type the title.")
    too_slow: ClassVar[str] = N_("The page at this link did not answer in time. Please type the title.")
    refused: ClassVar[str] = N_("The server of this link sends no page (status %(status)s). Please type the title.")
    no_link: ClassVar[str] = N_("Please fill in the link first.")
    no_page: ClassVar[str] = N_("This link leads to a file, not to a page with a title. Please type the title.")


class FetchBusy(VotewebError, status=503):
    """As many titles are being fetched as this process fetches at a time."""

    template = N_("Titles of other links are being fetched at this moment. Please try again in a few seconds.")


class OwnReport(VotewebError, status=403):
    template = N_("You cannot report your own article; you can edit or delete it in its first minutes.")
    of_comment: ClassVar[str] = N_("You cannot report your own comment; you can delete it.")


class ReportsSettled(VotewebError, status=409):
    template = N_("These reports are settled already: they were dismissed, or the article was removed.")
    of_comment: ClassVar[str] = N_(
        "These reports are settled already: they were dismissed, or the comment was removed."
    )


class NotWaiting(VotewebError, status=409):
    template = N_("This article does not wait any more.")


class AlreadyReported(VotewebError, status=409):
    template = N_("You have already reported this article.")


class NoInvitation(VotewebError, status=403):
    """The invitation does not exist, is used, revoked or expired."""

    template = N_("This invitation has expired, or was used or withdrawn. Please ask for a new one.")


class InviterGone(NoInvitation):
    """The member who made the invitation was banned or has left."""

    template = N_("The person who made this invitation is no longer a member. Please ask somebody else for a new one.")


class InvitationUsed(VotewebError, status=409):
    """A used invitation cannot be withdrawn."""

    template = N_("This invitation has been used already.")


class LinkUsed(VotewebError, status=410):
    """A one-time link for a new password is used, expired or unknown, or the password was set after it was made."""

    template = N_(
        "This link has expired or was used, or the password was changed after the link was made. "
        "Please ask the operator for a new one."
    )


class PasswordChanged(VotewebError, status=409):
    """The password was set by somebody else after it was verified and before the act that needed it."""

    template = N_("Your password was changed in the meantime. Please try again.")


class LastAdmin(VotewebError, status=409):
    """The site would have no admin who can log in without the member ``name``."""

    template = N_("The last admin here is %(name)s. Make another member an admin first.")


class CodeUsed(VotewebError, status=422):
    """A recovery code was used, or new ones were made, while it was on its way."""

    template = N_("No member has this name and this recovery code. Each code works once.")


class CodeNeeded(VotewebError, status=422):
    """A log-in, or an act, needs a code of the member's second factor; other messages say why one is refused."""

    template = N_("Your account has a second factor: type the code that your app shows, too.")
    wrong: ClassVar[str] = N_("This code is wrong. If your app shows it, check that the time of your phone is right.")
    used: ClassVar[str] = N_("This code was used already. Please wait until your app shows the next one.")


class SecondFactorOn(VotewebError, status=409):
    template = N_("Your second factor is on already.")


class Banned(VotewebError, status=403):
    template = N_("This account is banned: %(reason)s")


class BannedUntil(Banned):
    template = N_("This account is banned until %(when)s: %(reason)s")


class StillRestoring(VotewebError, status=409):
    template = N_("What an earlier ban of %(name)s removed is still being restored. Please try again in a minute.")


class DomainRefused(VotewebError, status=403):
    """A rule refuses links to a domain; values ``domain`` and ``why``, the words of the moderator."""

    template = N_("Links to %(domain)s are not accepted here: %(why)s")


class AlreadyWaiting(VotewebError, status=409):
    """The member has posted this link, and the article waits for a moderator; value ``id``."""

    template = N_("You have posted this link already. Your article waits for a moderator.")


class TooManyRules(VotewebError, status=409):
    template = N_("There are %(max)s rules already. Delete one first.")


class TooManyNotes(VotewebError, status=409):
    template = N_("There are %(max)s notes on this member already. Delete one first.")


class NotYourNote(VotewebError, status=403):
    template = N_("Only the moderator who wrote a note, and admins, can delete it.")


class Refused(Banned):
    template = N_("The moderators did not let this account in: %(reason)s")


class Held(VotewebError, status=403):
    template = N_(
        "Your account waits for a moderator to let you in. Until then you can read, but not post, vote or report."
    )


class NothingToUndo(VotewebError, status=409):
    """A log entry cannot be undone: it is too old, another moderator's, or undone already."""

    template = N_("This action can no longer be undone.")


class ReportedAgain(VotewebError, status=409):
    """A dismissal cannot be undone, since there are newer reports."""

    template = N_("This has been reported again since then. Please decide about the new reports.")


class TooManyGroups(VotewebError, status=409):
    template = N_("An article can be in at most %(max)s groups.")


class GroupExists(VotewebError, status=409):
    template = N_("There is already a group named %(name)s.")


class AliasTaken(VotewebError, status=409):
    """An alias is the name of a group, or another group's alias; value ``name``."""

    template = N_("The name %(name)s is taken by a group already.")


class TooManyAliases(VotewebError, status=409):
    template = N_("A group can have at most %(max)s second names. Take one away first.")


class SameGroup(VotewebError, status=409):
    template = N_("The group %(name)s cannot be merged into itself. Please choose another one.")


class GroupMerged(VotewebError, status=409):
    """A group has become a second name of another; values ``name`` and ``group``."""

    template = N_("The group %(name)s is merged into %(group)s already.")


class MergePlanned(VotewebError, status=409):
    template = N_("The merge of the group %(name)s into %(group)s is planned already, by %(by)s. Stop it first.")


class StillMerging(VotewebError, status=409):
    """A second name cannot be taken away: it is that of a group that is being merged, whose articles need it."""

    template = N_("The articles of %(name)s are still moving here. Please take this name away later.")


class GroupNotEmpty(VotewebError, status=409):
    template = N_("There are articles in the group %(name)s. Only an empty group can be deleted.")


class NameTaken(VotewebError, status=409):
    """A member of this name exists already, in any case of its letters; value ``name``."""

    template = N_("The name %(name)s is taken. If this is you, log in.")


class TooMuchFollowed(VotewebError, status=409):
    template = N_("You follow %(max)s groups, as many as possible. Unfollow one of them first.")


class TooMuchHidden(VotewebError, status=409):
    template = N_("You hide %(max)s groups, domains and members, as many as possible. Show one of them again first.")


class TooMuchSaved(VotewebError, status=409):
    template = N_("You have saved %(max)s articles, as many as possible. Remove one from the saved ones first.")


class NoSuchDomain(VotewebError, status=404, code="unknown-domain"):
    template = N_("There is no article with a link to %(domain)s here.")


class NothingToHide(VotewebError, status=404):
    template = N_("There is nothing of this name here.")


class Conflict(VotewebError, status=409):
    """A write was refused again and again because somebody else changed the same data, or its new id is in use."""

    template = N_("Somebody else is changing this article right now. Please try again.")


class DecidedMeanwhile(VotewebError, status=409):
    """Others have decided about the same things since a moderator opened the form; value ``entries``, of the log.

    The page makes its message of these.
    """


class TooFast(VotewebError, status=429):
    """A rate limit refuses an act: the next is accepted in ``wait`` seconds, at unix time ``when``.

    The limit has the template; the value ``kind`` is its name, ``burst`` the number of acts it accepts in a row, and
    then one every ``interval`` seconds. The values ``things`` and ``hint``, "" for none, are to be translated.
    """


class ForeignForm(VotewebError, status=403):
    """The browser says that a form was sent from a page of another site, or does not say from which."""

    template = N_(
        "This form was not sent from a page of this site, so nothing was done. Please open the page here and send it "
        "again. If you did that, let your browser tell this site which of its pages a form is on (the referrer)."
    )


class StillRescoring(VotewebError, status=409):
    template = N_(
        "The weights were changed before, and not all articles have their new scores yet. Nothing was changed: please "
        "try again when they have."
    )


class PasswordNeeded(VotewebError, status=403):
    """An act needs the member's own password again; value ``minutes``, unless another message is given."""

    template = N_(
        "This needs your own password again: it was not typed in this browser in the last %(minutes)s minutes."
    )
    each_time = N_("This needs your own password each time, since it gives a way into your account.")


class LoggedOut(VotewebError, status=401, code="login"):
    """The session that sends a form has ended."""

    template = N_("You are logged out. What you wrote is still here: log in below to send it.")


class NotAllowed(VotewebError, status=403):
    """The member's role is too low for this act, or became so while the form was on its way."""

    template = N_("Your role has changed: you can no longer do this.")
    moderators: ClassVar[str] = N_("Only moderators can do this.")
    admins: ClassVar[str] = N_("Only admins can do this.")


class TokenNeeded(VotewebError, status=401):
    """The operation needs the token of a program, and none was sent."""

    template = N_("This needs the token of a program: “Authorization: Bearer …”. Members make one in their account.")


class BadToken(VotewebError, status=401):
    """The token of a program is wrong, has ended or was withdrawn."""

    template = N_("This token is not valid, or no longer.")


class ProgramsOff(VotewebError, status=403):
    """The site lets no programs in at present."""

    template = N_("This site lets no programs in at present.")


class NoRight(VotewebError, status=403):
    """The token of a program lacks the right that the act needs; value ``right``."""

    template = N_("The token of this program lacks the right “%(right)s”.")


class KeyReused(VotewebError, status=422, code="idempotency-key-reused"):
    """An Idempotency-Key was sent before, with another body."""

    template = N_("This Idempotency-Key was sent with another body before. Please use a new one for each act.")


class TooManyPrograms(VotewebError, status=409):
    template = N_("You have given tokens to %(max)s programs, as many as possible. Withdraw one of them first.")


class Unavailable(VotewebError, status=503):
    """Redis did not answer within the deadline; ``retry_after`` is the suggested wait in seconds."""

    template = N_("The site cannot reach its database at the moment. Please try again in a few seconds.")
    retry_after: ClassVar[int] = 5


class ServerChanged(Unavailable, code="unavailable"):
    """Another server has the data now, or the same one was restarted, while all of them were being read."""

    template = N_("The database was restarted or replaced meanwhile. Please do this again.")


class DataLost(Unavailable):
    """The database was emptied, is that of another site than before, or a backup is being restored into it."""

    template = N_(
        "The site has lost its data: its database was emptied, or is another one. Until its operator has restored a "
        "backup, nothing can be read or saved."
    )
    retry_after = 60


class StorageFull(Unavailable, code="full"):
    """The database cannot save anything: its memory or its disk is full; it can still be read."""

    template = N_(
        "The site cannot save anything at the moment, because its database or its disk is full. You can go on reading. "
        "Please try again in a few minutes."
    )
    retry_after = 120


class DataDamaged(VotewebError, status=503, code="damaged"):
    """Something in the database is not as the site stores it; the cause and the key are for the operator."""

    template = N_(
        "The site cannot show or do this, because its data are damaged. Its operator has to repair them with "
        "“voteweb doctor”. Other pages may work."
    )


class ReadOnly(VotewebError, status=503):
    """An admin has made the site read-only; ``retry_after`` is the suggested wait in seconds."""

    template = N_("The site can only be read at the moment, so nothing was saved. Please try again later.")
    with_words: ClassVar[str] = N_("The site can only be read at the moment, so nothing was saved: %(words)s")
    retry_after: ClassVar[int] = 300


class Busy(VotewebError, status=503):
    """Too many passwords are being checked; ``retry_after`` is the suggested wait in seconds."""

    template = N_("Many people are logging in at this moment. Please try again in a few seconds.")
    retry_after: ClassVar[int] = 5


class NoSuchComment(VotewebError, status=404, code="unknown-comment"):
    template = N_("There is no such comment.")


class CommentGone(VotewebError, status=410):
    """The comment, or one above it, was deleted by its author or removed by a moderator."""

    template = N_("This comment is no longer available.")


class ParentGone(VotewebError, status=410):
    template = N_("The comment that you answer has been deleted or removed meanwhile. What you wrote is still here.")


class ConversationEnded(VotewebError, status=410):
    template = N_("This conversation ended on %(when)s.")


class ConversationClosed(VotewebError, status=410):
    template = N_("A moderator closed this conversation on %(when)s: %(reason)s")


class ConversationFull(VotewebError, status=409):
    template = N_("This conversation has %(max)s comments, which is the limit.")


class TooDeep(VotewebError, status=409):
    template = N_("Replies end at level %(max)s. Please answer a comment further up.")


class CommentTooLate(VotewebError, status=403):
    template = N_("You could change this comment until %(when)s. You can still delete it.")


class NotYourComment(VotewebError, status=403, code="comment-not-yours"):
    template = N_("Only its author can do this.")


class CommentVoted(VotewebError, status=409, code="comment-already-voted"):
    template = N_("You have already voted for this comment.")


class CommentNotVoted(VotewebError, status=409):
    template = N_("You have not voted for this comment.")


class OwnComment(VotewebError, status=409, code="comment-own-vote"):
    """Members cannot vote for their own comments; value ``votes`` is the current count."""

    template = N_("You wrote this comment: you cannot vote for it.")


class CommentReported(VotewebError, status=409, code="comment-already-reported"):
    template = N_("You have already reported this comment.")


class LinkOutOfDate(VotewebError, status=410):
    """The link to confirm an address, or to end it, was used, is too old, or is for another address by now."""

    template = N_("This link is out of date. On the page about mail of your account you can have another one sent.")


class OutboxFull(VotewebError, status=503):
    """Too many mails wait."""

    template = N_("This site cannot send mail at the moment. Please try again later.")
