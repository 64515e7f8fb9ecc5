"""The errors of mail that a person can cause or meet."""

from voteweb.core.errors import N_, VotewebError


class LinkOutOfDate(VotewebError):
    """The link that confirms an address was used, is too old, or is for another address by now."""

    status = 410
    code = "link-out-of-date"
    template = N_("This link is out of date. On the page about mail of your account you can have another one sent.")


class OutboxFull(VotewebError):
    """Too many mails wait."""

    status = 503
    code = "outbox-full"
    template = N_("This site cannot send mail at the moment. Please try again later.")
