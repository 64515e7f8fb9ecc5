"""The events that are counted for Prometheus."""

from enum import Enum


class Event(Enum):
    """The events that are counted: the name of the counter, what it counts, and its labels.

    The outcome of a vote is a VoteFlash or the code of a refusal, that of a log-in a LogInOutcome.
    """

    VOTE = "voteweb_votes", "Attempts to vote or to take a vote back, by outcome.", ("outcome",)
    REFUSAL = "voteweb_limits", "Requests refused by a rate limit.", ("limit",)
    LOG_IN = "voteweb_logins", "Attempts to log in, by outcome.", ("outcome",)
    SIGN_UP = "voteweb_signups", "Members who signed up.", ()
    DAMAGE = "voteweb_damaged", "Requests that met damaged data and were answered with 503.", ()
