"""Abuse limits: how often each act is taken, from whom, and why.

Of each kind so many acts are taken at once (``burst``), and in the long run so many in so many seconds
(``times``, ``seconds``): an act that was done frees its place after ``interval`` seconds.
Every address that takes a form is in LIMITS or, with the reason, in EXEMPT.
"""

from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv6Address, ip_address, ip_network

from voteweb.core.errors import N_

HOUR, DAY = 3_600, 86_400


class By(StrEnum):
    """Whose acts are counted together: a member's, those from one address, or log-ins under one name."""

    MEMBER = "member"
    ADDRESS = "address"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Limit:
    """One row of the table, for the ``acts`` that are sent to its ``views``.

    ``message`` tells the person what, until when and why.
    """

    kind: str
    acts: str
    by: By
    burst: int
    times: int
    seconds: int
    message: str
    views: tuple[str, ...]
    method: str = "POST"

    @property
    def interval(self) -> float:
        """Seconds per act in the long run."""
        return self.seconds / self.times


#: Failed attempts only. Twenty people behind one address may mistype at once; nobody gets far by guessing.
LOGIN = Limit(
    "login", "log in, failed", By.ADDRESS, 20, 120, HOUR,
    N_("Too many failed log-ins came from your address. Please try again in %(wait)s, at %(when)s. "
       "The limit keeps passwords from being guessed."),
    ("auth.login",),
)  # fmt: skip
#: Failed attempts under one name, whether there is such a member or not, from browsers that do not know it.
GUESS = Limit(
    "guess", "log in, failed, whether anybody has the name or not", By.NAME, 10, 20, HOUR,
    N_("There were too many failed log-ins under this name. Please try again in %(wait)s, at %(when)s, or use a "
       "browser in which you have logged in before. The limit keeps passwords from being guessed."),
    ("auth.login",),
)  # fmt: skip
#: A school's or a phone company's people share an address: enough for them, too few for a farm of accounts.
SIGNUP = Limit(
    "signup", "sign up", By.ADDRESS, 5, 20, DAY,
    N_("Too many accounts were made from your address. Please try again in %(wait)s, at %(when)s. "
       "The limit keeps one person from voting with many accounts."),
    ("auth.signup",),
)  # fmt: skip
#: Each costs a password's hash; the link itself cannot be guessed.
RESET = Limit(
    "reset", "set a password by a one-time link", By.ADDRESS, 10, 30, HOUR,
    N_("Too many passwords were set from your address. Please try again in %(wait)s, at %(when)s. "
       "The limit keeps the site fast for everybody."),
    ("auth.reset",),
)  # fmt: skip

#: Every limit; those by member hold for whoever is logged in and sends something to one of their views.
LIMITS = (
    LOGIN,
    GUESS,
    SIGNUP,
    RESET,
    # Two lists' worth of votes at a stretch, then one each six seconds: faster than anybody reads.
    Limit(
        "vote", "vote, take a vote back", By.MEMBER, 60, 600, HOUR,
        N_("You have voted very often in a short time. Please vote again in %(wait)s, at %(when)s. "
           "The limit keeps programs from deciding what is on top."),
        ("votes.vote", "votes.unvote"),
    ),
    # Forms that come back with a mistake count too, hence more at once than anybody posts.
    Limit(
        "submit", "post", By.MEMBER, 15, 60, DAY,
        N_("You have posted very often in a short time. Please post again in %(wait)s, at %(when)s. "
           "The limit leaves room for what others post."),
        ("articles.submit",),
    ),
    Limit(
        "edit", "edit, delete an article", By.MEMBER, 20, 60, HOUR,
        N_("You have changed articles very often in a short time. Please try again in %(wait)s, at %(when)s. "
           "The limit keeps programs from rewriting what people have voted for."),
        ("articles.edit", "articles.delete"),
    ),
    Limit(
        "report", "report", By.MEMBER, 10, 30, HOUR,
        N_("You have reported very often in a short time. Please report again in %(wait)s, at %(when)s. "
           "The limit keeps the moderators' list short enough to be read."),
        ("moderation.report",),
    ),
    # Whoever finds a browser that is logged in cannot try passwords in it.
    Limit(
        "password", "change the password, delete the account", By.MEMBER, 5, 10, HOUR,
        N_("Your password was asked for very often in a short time. Please try again in %(wait)s, at %(when)s. "
           "The limit keeps passwords from being guessed."),
        ("account.index", "account.delete"),
    ),
    Limit(
        "invite", "make, withdraw invitations", By.MEMBER, 10, 30, DAY,
        N_("You have made or withdrawn many invitations in a short time. Please try again in %(wait)s, at %(when)s. "
           "The limit keeps one person from letting in a crowd."),
        ("invitations.make", "invitations.revoke"),
    ),
    # It goes through all articles of the voting time, and all of the member's.
    Limit(
        "download", "download the own data", By.MEMBER, 3, 10, HOUR,
        N_("You have downloaded your data several times in a short time. Please try again in %(wait)s, at %(when)s. "
           "The limit keeps the site fast for everybody."),
        ("account.data",),
        "GET",
    ),
    # No moderator works through a list faster; a stolen session does that much harm, and all of it is in the log.
    Limit(
        "moderate", "sort, remove, restore, ban, give roles, make groups", By.MEMBER, 100, 1_000, HOUR,
        N_("You have moderated very often in a short time. Please go on in %(wait)s, at %(when)s. "
           "The limit bounds what somebody could do in your name."),
        (
            "moderation.set_groups", "moderation.remove", "moderation.restore", "moderation.dismiss", "moderation_log.undo",
            "users.ban", "users.unban", "users.set_role", "groups.new", "groups.edit",
        ),
    ),
)  # fmt: skip

#: Forms that may be sent as often as anybody likes, and why.
EXEMPT = {
    "auth.logout": "writes nothing but the sender's own cookie",
    "language.choose": "writes nothing but the sender's own cookie",
    "account.logout_everywhere": "ends the session that sends it, so that the next one needs a log-in",
}

_OF_MEMBERS = {(view, limit.method): limit for limit in LIMITS if limit.by is By.MEMBER for view in limit.views}


def member_limit(view: str | None, method: str) -> Limit | None:
    """Return the limit on what a member sends to a *view* by this *method*, None where there is none."""
    return _OF_MEMBERS.get((view or "", "GET" if method == "HEAD" else method))


def network(address: str | None) -> str:
    """Return what stands for the sender's *address*: an IPv4 address itself, of IPv6 the /64 that one household has.

    What is no address (a unix socket has none) is "", so that all its senders count as one.
    """
    try:
        found = ip_address(address or "")
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or ip_network((int(found), 64), strict=False))
    return str(found)
