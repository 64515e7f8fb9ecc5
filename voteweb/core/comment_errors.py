"""The errors that a person can cause or meet in conversations; see :mod:`voteweb.core.errors`."""

from voteweb.core.errors import N_, VotewebError


class NoSuchComment(VotewebError):
    status = 404
    code = "unknown-comment"
    template = N_("There is no such comment.")


class CommentGone(VotewebError):
    """The comment, or one above it, was deleted by its author or removed by a moderator."""

    status = 410
    code = "comment-gone"
    template = N_("This comment is no longer available.")


class ParentGone(VotewebError):
    """The comment that is answered has been deleted or removed meanwhile."""

    status = 410
    code = "parent-gone"
    template = N_("The comment that you answer has been deleted or removed meanwhile. What you wrote is still here.")


class ConversationEnded(VotewebError):
    """The time for comments and votes on them is over; value ``when`` is the unix time at which it ended."""

    status = 410
    code = "conversation-ended"
    template = N_("This conversation ended on %(when)s: comments and votes on them have a limited time, so that they "
                  "are written while people read them.")  # fmt: skip


class ConversationClosed(VotewebError):
    """A moderator closed the conversation; value ``when`` is the unix time, ``reason`` the moderator's reason."""

    status = 410
    code = "conversation-closed"
    template = N_("A moderator closed this conversation on %(when)s: %(reason)s")


class ConversationFull(VotewebError):
    """The conversation has as many comments as one can have; value ``max``."""

    status = 409
    code = "conversation-full"
    template = N_("This conversation has %(max)s comments, which is the limit.")


class TooDeep(VotewebError):
    """The comment that is answered is at the deepest level; value ``max`` is that level."""

    status = 409
    code = "too-deep"
    template = N_("Replies end at level %(max)s. Please answer a comment further up.")


class CommentTooLate(VotewebError):
    """The author's time to edit the comment is over; value ``when`` is the unix time at which it ended."""

    status = 403
    code = "comment-too-late"
    template = N_("You could change this comment until %(when)s. You can still delete it.")


class NotYourComment(VotewebError):
    status = 403
    code = "comment-not-yours"
    template = N_("Only its author can do this.")


class CommentVoted(VotewebError):
    """The member's vote is counted already; value ``votes`` is the current count."""

    status = 409
    code = "comment-already-voted"
    template = N_("You have already voted for this comment.")


class CommentNotVoted(VotewebError):
    """There is no vote to take back; value ``votes`` is the current count."""

    status = 409
    code = "comment-not-voted"
    template = N_("You have not voted for this comment.")


class OwnComment(VotewebError):
    """Members cannot vote for their own comments; value ``votes`` is the current count."""

    status = 409
    code = "comment-own-vote"
    template = N_("You wrote this comment: you cannot vote for it.")


class CommentReported(VotewebError):
    status = 409
    code = "comment-already-reported"
    template = N_("You have already reported this comment.")
