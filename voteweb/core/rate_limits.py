"""The table of rate limits: how many acts of each kind are accepted, from whom, and why.

A limit accepts ``burst`` acts in a row, and in the long run ``times`` acts in ``seconds``: one act becomes possible
again every ``interval`` seconds. Every view that takes a form is in LIMITS or, with the reason, in EXEMPT.
"""

from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil
from typing import NamedTuple

from voteweb.core.errors import N_, TooFast

HOUR, DAY = 3_600, 86_400


class LimitScope(StrEnum):
    """The acts that a limit counts together: a member's, those from one address or network, or under one name.

    NEWCOMER: a member's, in the first VOTEWEB_NEWCOMER_DAYS days after signing up, besides their other limit.
    """

    MEMBER = "member"
    NEWCOMER = "newcomer"
    ADDRESS = "address"
    NETWORK = "network"
    WIDE_NETWORK = "wide network"
    NAME = "name"


_REPLIES_ARE_FREE = N_("Replies to those who answer you are free.")
_OF_NETWORKS = N_("Too many %(things)s from your network: try again in %(wait)s, at %(when)s. %(hint)s")
#: The messages: they say what the limit is, and when to try again.
_TEMPLATES = {
    LimitScope.MEMBER: N_(
        "The limit is %(burst)s %(things)s, then one in %(interval)s: the next in %(wait)s, at %(when)s. %(hint)s"
    ),
    LimitScope.NEWCOMER: N_(
        "For your first %(span)s the limit is %(burst)s %(things)s, then one in %(interval)s: the next in %(wait)s, "
        "at %(when)s. %(hint)s"
    ),
    LimitScope.ADDRESS: N_("Too many %(things)s from your address: try again in %(wait)s, at %(when)s. %(hint)s"),
    LimitScope.NETWORK: _OF_NETWORKS,
    LimitScope.WIDE_NETWORK: _OF_NETWORKS,
    LimitScope.NAME: N_("Too many %(things)s: try again in %(wait)s, at %(when)s. %(hint)s"),
}


class Limit(NamedTuple):
    """A rate limit on the ``acts`` that are sent to its ``views`` by ``method``; ``kind`` is its name.

    Without ``counts_refused``, forms that are sent back with an error count against REFUSED_FORMS instead.
    A refusal names the ``things`` that were too many, and gives a ``hint``, if there is one.
    """

    kind: str
    acts: str
    scope: LimitScope
    burst: int
    times: int
    seconds: int
    things: str
    views: tuple[str, ...]
    hint: str = ""
    method: str = "POST"
    counts_refused: bool = True

    @property
    def template(self) -> str:
        """The message of a refusal, with the values of :class:`~voteweb.core.errors.TooFast` to be filled in."""
        return _TEMPLATES[self.scope]

    @property
    def interval(self) -> float:
        """Seconds per act in the long run."""
        return self.seconds / self.times

    def refusal(self, factor: float, wait: float, time: float, span: int = 0) -> TooFast:
        """Return the refusal by this limit times *factor*, until *time*, in *wait* seconds; *span* is for newcomers."""
        return TooFast(
            self.template,
            wait=ceil(wait),
            when=60 * ceil(time / 60),  # the message has whole minutes, and an early retry would be refused
            kind=self.kind,
            things=self.things,
            hint=self.hint,
            burst=round(factor * self.burst),
            interval=self.interval / factor,
            span=span,
        )


#: Counts failed attempts only. Twenty people behind one address may mistype at once; guessing stays slow.
LOGIN_BY_ADDRESS = Limit(
    "login", "log in, failed", LimitScope.ADDRESS, 20, 120, HOUR,
    N_("failed log-ins"), ("auth.login",),
)  # fmt: skip
#: Counts failed attempts under one name, of a member or not, from browsers in which it has not logged in before.
LOGIN_BY_NAME = Limit(
    "guess", "log in, failed, whether anybody has the name or not", LimitScope.NAME, 10, 20, HOUR,
    N_("failed log-ins under this name"),
    ("auth.login",),
    N_("In a browser in which you have logged in before, you can log in now."),
)  # fmt: skip
#: The people of a school or a phone company share an address: enough for them, too few for mass registration. Who rents
#: a server can use any address of its network, so each wider network has a limit of its own, here narrower than others.
SIGNUP = Limit(
    "signup", "sign up", LimitScope.ADDRESS, 5, 20, DAY,
    N_("new accounts"), ("auth.signup",),
)  # fmt: skip
SIGNUP_BY_NETWORK = Limit("signupnet", "sign up", LimitScope.NETWORK, 8, 30, DAY, SIGNUP.things, ("auth.signup",))
SIGNUP_BY_WIDE_NETWORK = SIGNUP_BY_NETWORK._replace(
    kind="signupwide", scope=LimitScope.WIDE_NETWORK, burst=10, times=40
)
#: Each attempt costs a password hash; the link itself cannot be guessed.
PASSWORD_RESET = Limit(
    "reset", "set a password by a one-time link", LimitScope.ADDRESS, 10, 30, HOUR,
    N_("new passwords"), ("auth.reset",),
)  # fmt: skip
#: Each costs a moderator some time; the ban itself can be answered once.
BAN_ANSWER = Limit(
    "bananswer", "answer a ban", LimitScope.ADDRESS, 5, 20, DAY,
    N_("answers to bans"), ("auth.answer",),
)  # fmt: skip
#: Counts failed attempts only. Codes cannot be guessed; a right one costs a password hash.
RECOVERY_BY_ADDRESS = Limit(
    "recover", "use a recovery code, failed", LimitScope.ADDRESS, 10, 60, HOUR,
    N_("wrong recovery codes"), ("recovery.recover",),
)  # fmt: skip
#: Much wider than that of addresses: no stranger alone must keep a member from using a code.
RECOVERY_BY_NAME = Limit(
    "recovername", "use a recovery code, failed, whether anybody has the name or not", LimitScope.NAME, 200, 1200, HOUR,
    N_("wrong recovery codes for this name"), ("recovery.recover",),
)  # fmt: skip
#: Counts wrong codes only, five in a quarter of an hour. Who guesses has the password, so no stranger uses it up.
SECOND_FACTOR = Limit(
    "secondfactor", "type a code of the second factor, wrong", LimitScope.NAME, 5, 4, HOUR,
    N_("wrong codes for this account"), ("auth.second_factor", "account.end_second_factor"),
)  # fmt: skip
#: As that, for the proof that a former address is the member's. It is apart: whoever reads that address must not keep
#: the member from logging in.
FORMER_ADDRESS = Limit(
    "formeraddress", "type a proof for a former address, wrong", LimitScope.NAME, 5, 4, HOUR,
    N_("wrong codes for this account"), ("mail.stop",),
)  # fmt: skip
#: Each may send a mail to a member who did not ask for it.
MAIL_RESET_BY_ADDRESS = Limit(
    "mailreset", "ask for a new password by mail", LimitScope.ADDRESS, 5, 10, HOUR,
    N_("requests for a new password"), ("mail.recover",),
)  # fmt: skip
MAIL_RESET_BY_NAME = Limit(
    "mailresetname", "ask for a new password by mail, whether anybody has the name or not", LimitScope.NAME,
    3, 16, DAY,
    N_("requests for a new password under this name"), ("mail.recover",),
)  # fmt: skip
#: Each sends a mail to an address that may be somebody else's.
EMAIL = Limit(
    "email", "give an e-mail address", LimitScope.MEMBER, 3, 16, DAY,
    N_("e-mail addresses"), ("mail.index",),
    counts_refused=False,
)  # fmt: skip
#: Many accounts of one person must not send many mails to another.
EMAIL_BY_ADDRESS = Limit(
    "emailname", "give one e-mail address, whichever members do", LimitScope.NAME, 5, 16, DAY,
    N_("mails to this address"), ("mail.index",),
)  # fmt: skip
#: Counts wrong tokens only. Tokens cannot be guessed, but each guess costs a round trip.
BAD_TOKEN = Limit(
    "badtoken", "send a token that is not valid to the API", LimitScope.ADDRESS, 20, 120, HOUR,
    N_("tokens that are not valid"), (),
)  # fmt: skip
#: Counted by token, besides the limits of what is done with it. A program that asks every second has enough.
PROGRAM = Limit(
    "program", "use the API with one token", LimitScope.MEMBER, 60, 3_600, HOUR,
    N_("requests with this token"), (),
)  # fmt: skip
#: Building a combined ranking costs Redis half a millisecond and up to 60 KB; one that is kept is not counted.
#: Nobody browses as many in a minute, and a feed reader that serves many people may follow hundreds an hour.
COMBINE = Limit(
    "combine", "combine groups that nobody has combined in the last minute", LimitScope.ADDRESS, 60, 600, HOUR,
    N_("different combinations of groups"),
    ("lists.group", "lists.group_new", "feeds.group", "feeds.group_new"),
    method="GET",
)  # fmt: skip
#: A search may take 0.2 s of a process, besides what it reads. Nobody types as many in a minute; pages are counted too.
SEARCH = Limit(
    "search", "search, without being logged in; search the log for words", LimitScope.ADDRESS, 30, 600, HOUR,
    N_("searches"), ("search.show", "search.feed", "moderation_log.index"),
    method="GET",
)  # fmt: skip

#: Counted by each process in its memory. Nobody reads as fast; without it, one client takes all processor time, at 5 ms
#: for a list. A crawler still gets 172,800 pages a day from each process.
COLD = Limit(
    "cold", "read pages that nobody read in the last minute, without being logged in", LimitScope.ADDRESS,
    60, 7_200, HOUR,
    N_("requests for seldom read pages"), (),
    N_("Members who are logged in are not counted."),
    "GET",
)  # fmt: skip

#: Accounts that push one article have one vote each on it, whatever this says, and people read two pages at once.
NEWCOMER_VOTE = Limit(
    "newvote", "vote, take a vote back", LimitScope.NEWCOMER, 40, 60, HOUR,
    N_("votes"),
    ("votes.vote", "votes.unvote", "comment_votes.vote", "comment_votes.unvote"),
)  # fmt: skip
#: Count articles, not forms. Spam is posted by accounts that are minutes old.
NEWCOMER_POSTS = (
    Limit(
        "newpost", "post", LimitScope.NEWCOMER, 3, 1, HOUR,
        N_("articles"), ("submission.submit",),
    ),
    Limit(
        "newpostday", "post", LimitScope.NEWCOMER, 6, 6, DAY,
        N_("articles"), ("submission.submit",),
    ),
)  # fmt: skip
#: Count comments, not forms, so that a form with an error costs nothing. Who is answered must be able to answer:
#: a reply to somebody who answers the newcomer, or who comments on the newcomer's article, is not counted.
NEWCOMER_COMMENTS = (
    Limit(
        "newcomment", "comment, reply", LimitScope.NEWCOMER, 6, 12, HOUR,
        N_("comments"), ("comments.write",), _REPLIES_ARE_FREE,
    ),
    Limit(
        "newcommentday", "comment, reply", LimitScope.NEWCOMER, 40, 40, DAY,
        N_("comments"), ("comments.write",), _REPLIES_ARE_FREE,
    ),
)  # fmt: skip
#: Each kind of form is counted by itself. Checking a form costs milliseconds, and nobody mistypes once a minute.
REFUSED_FORMS = Limit(
    "refused", "send a form that has an error, for each action with a form", LimitScope.MEMBER, 40, 60, HOUR,
    N_("forms with errors"), (),
)  # fmt: skip

#: A preview costs as much work as a page of comments, and no one else sees it. While the link of an article is typed,
#: a script asks for one after each pause, to show an earlier article with that link.
PREVIEW = Limit(
    "preview", "preview a comment or an article", LimitScope.MEMBER, 30, 300, HOUR,
    N_("previews"), ("submission.preview",),
)  # fmt: skip

#: No moderator works faster; it bounds the harm of a stolen session, all of which is in the log.
MODERATE = Limit(
    "moderate", "sort, remove, restore, close, ban, let in, give roles, make groups, set switches and weights",
    LimitScope.MEMBER, 100, 1_000, HOUR,
    N_("moderation actions"),
    (
        "moderation.set_groups", "sorting.index", "moderation.remove", "moderation.restore", "moderation.dismiss",
        "answers.keep_removed", "moderation_log.undo", "moderation_log.undo_all",
        "bans.ban", "bans.ban_several", "bans.unban", "users.set_role", "groups.new", "groups.edit",
        "groups.delete", "groups.merge", "admissions.admit", "admissions.refuse", "queue.keep_banned",
        "comment_moderation.remove", "comment_moderation.restore", "comment_moderation.dismiss",
        "notes.add", "notes.delete", "users.judge_about", "domain_rules.save", "domain_rules.delete",
        "held_articles.release", "admin_switches.set_switch", "admin_switches.text", "ranking_trial.use",
        "comment_moderation.close", "comment_moderation.reopen", "programs.end",
    ),
    counts_refused=False,
)  # fmt: skip

_LIMITS = (
    LOGIN_BY_ADDRESS,
    LOGIN_BY_NAME,
    SIGNUP,
    SIGNUP_BY_NETWORK,
    PASSWORD_RESET,
    BAN_ANSWER,
    RECOVERY_BY_ADDRESS,
    RECOVERY_BY_NAME,
    SECOND_FACTOR,
    FORMER_ADDRESS,
    BAD_TOKEN,
    PROGRAM,
    MAIL_RESET_BY_ADDRESS,
    MAIL_RESET_BY_NAME,
    EMAIL_BY_ADDRESS,
    COMBINE,
    SEARCH,
    COLD,
    NEWCOMER_VOTE,
    *NEWCOMER_POSTS,
    *NEWCOMER_COMMENTS,
    # The votes of two pages in a row, then one every six seconds: faster than anybody reads.
    Limit(
        "vote", "vote, take a vote back", LimitScope.MEMBER, 60, 600, HOUR,
        N_("votes"),
        ("votes.vote", "votes.unvote", "comment_votes.vote", "comment_votes.unvote"),
    ),
    Limit(
        "submit", "post", LimitScope.MEMBER, 15, 60, DAY,
        N_("articles"), ("submission.submit",),
        counts_refused=False,
    ),
    # Each makes this site request a page of another one.
    Limit(
        "title", "fetch the title of a link", LimitScope.MEMBER, 10, 30, HOUR,
        N_("fetched titles"), ("submission.fetch_title",), N_("Please type the title."),
    ),
    Limit(
        "membersearch", "search", LimitScope.MEMBER, 30, 600, HOUR,
        N_("searches"), ("search.show",),
        method="GET",
    ),
    # Ten answers at once, as after a day away, then one a minute.
    Limit(
        "comment", "comment, reply", LimitScope.MEMBER, 10, 60, HOUR,
        N_("comments"), ("comments.write",),
        counts_refused=False,
    ),
    Limit(
        "edit", "edit, delete an article or a comment", LimitScope.MEMBER, 20, 60, HOUR,
        N_("changes to articles and comments"),
        ("articles.edit", "articles.go_back", "articles.delete", "comments.edit", "comments.delete"),
        counts_refused=False,
    ),
    Limit(
        "about", "change what one says about oneself", LimitScope.MEMBER, 10, 20, DAY,
        N_("changes to what you say about yourself"), ("account.describe",),
        counts_refused=False,
    ),
    Limit(
        "report", "report", LimitScope.MEMBER, 10, 30, HOUR,
        N_("reports"),
        ("moderation.report", "comment_moderation.report", "users.report_about"),
        counts_refused=False,
    ),
    # A stranger at a logged-in browser cannot try many passwords.
    Limit(
        "password", "change the password, delete the account, turn a second factor on or off",
        LimitScope.MEMBER, 5, 10, HOUR,
        N_("password checks"),
        ("account.index", "account.delete", "account.second_factor", "account.end_second_factor"),
    ),
    Limit(
        "codes", "make recovery codes", LimitScope.MEMBER, 10, 20, DAY,
        N_("times of making recovery codes"), ("recovery.codes",),
    ),
    EMAIL,
    Limit(
        "token", "give a token to a program", LimitScope.MEMBER, 10, 30, DAY,
        N_("tokens given to programs"), ("programs.index",),
    ),
    Limit(
        "invite", "make, withdraw invitations", LimitScope.MEMBER, 10, 30, DAY,
        N_("invitations made or withdrawn"),
        ("invitations.make", "invitations.revoke"),
    ),
    Limit(
        "inbox", "mark the inbox as read, renew or withdraw the address of its feed", LimitScope.MEMBER, 20, 120, HOUR,
        N_("changes to your inbox"), ("my_site.mark_read", "my_site.set_inbox_feed"),
    ),
    # Each is noted, and the list has room for more than one moderator can make while it keeps them.
    Limit(
        "look", "look at who voted for an article, or with a member", LimitScope.MEMBER, 100, 100, DAY,
        N_("looks at votes"),
        ("voters.of_article", "voters.of_member"),
        method="GET",
    ),
    # As fast as one can press; nothing of it is seen by others.
    Limit(
        "choose",
        "follow groups, hide things, save articles, choose a theme or an order of comments, renew or withdraw a feed's "
        "address, confirm or remove one for mail, withdraw the token of a program",
        LimitScope.MEMBER, 120, 1_200, HOUR,
        N_("changes to what you follow, hide and save"),
        (
            "my_site.follow", "my_site.unfollow", "my_site.choose_front", "my_site.save", "my_site.unsave",
            "my_site.choose_order", "my_site.set_saved_feed", "my_site.hide", "my_site.unhide",
            "mail.remove", "mail.confirm", "account.choose_theme", "programs.withdraw",
        ),
    ),
    # A download reads all articles of the member, and those of their open votes.
    Limit(
        "download", "download their own data", LimitScope.MEMBER, 3, 10, HOUR,
        N_("downloads"), ("account.data",),
        method="GET",
    ),
    REFUSED_FORMS,
    PREVIEW,
    MODERATE,
)  # fmt: skip
#: A limit of an address, by its kind, also counts for the /48 of an IPv6 address, which has 65,536 of them: with these,
#: which allow as much as ten households.
WIDE_LIMITS = {
    limit.kind: limit._replace(
        kind=f"{limit.kind}wide", scope=LimitScope.WIDE_NETWORK, burst=10 * limit.burst, times=10 * limit.times
    )
    for limit in _LIMITS
    if limit.scope is LimitScope.ADDRESS
} | {SIGNUP.kind: SIGNUP_BY_WIDE_NETWORK}
#: Every limit; one of the scope MEMBER counts each request of a logged-in member to its views.
LIMITS = (*WIDE_LIMITS.values(), *_LIMITS)

#: Views whose forms have no limit, and why.
EXEMPT = {
    "answers.answer": "each removal, and what others edit, can be answered once",
    "auth.logout": "only ends the sender's own session",
    "language.choose": "only writes the sender's own cookie",
    "comments.quiet": "only changes what the sender's own inbox gets",
    "account.end_sessions": "only ends sessions, of which a member has few",
    "account.logout_everywhere": "ends the session that sends it, so that the next request needs a log-in",
}

_MEMBER_LIMITS = {
    (view, limit.method): limit for limit in LIMITS if limit.scope is LimitScope.MEMBER for view in limit.views
}


def member_limit(view: str | None, method: str) -> Limit | None:
    """Return the limit that counts a member's request to *view* by *method*, or None."""
    return _MEMBER_LIMITS.get((view or "", "GET" if method == "HEAD" else method))


#: The bits of an IPv4 and of an IPv6 address that make up what each scope counts together; None: nothing. An IPv6
#: household has a /64 at least, often a /56; a customer of a data centre has a /48 at most.
_PREFIXES = {LimitScope.ADDRESS: (32, 64), LimitScope.NETWORK: (24, 56), LimitScope.WIDE_NETWORK: (None, 48)}


def network(address: str | None, scope: LimitScope = LimitScope.ADDRESS) -> str | None:
    """Return the network of a client's *address* that limits of *scope* count together, None if they do not count it.

    For the scope ADDRESS, that is an IPv4 address itself, or the /64 of an IPv6 address. Clients whose address the
    proxy does not tell are not counted: one limit for all of them would lock everybody out.
    """
    ip = visitor_ip(address)
    if ip is None:
        return None
    bits = _PREFIXES[scope][ip.version == 6]
    if bits is None or bits == ip.max_prefixlen:
        return None if bits is None else str(ip)
    return str(ip_network((int(ip), bits), strict=False))


def visitor_ip(address: str | None) -> IPv4Address | IPv6Address | None:
    """Return a client's *address* as limits count it, None if it is none."""
    try:
        ip = ip_address(address or "")
    except ValueError:
        return None
    # The owner of an IPv4 address has a whole IPv6 /48 of 6to4, too.
    return (ip.ipv4_mapped or ip.sixtofour or ip) if isinstance(ip, IPv6Address) else ip


def wide_network(address: str | None) -> str:
    """Return the wider network of a client's *address*: an IPv4 /24 or an IPv6 /48; "" if there is none."""
    return network(address, LimitScope.WIDE_NETWORK) or network(address, LimitScope.NETWORK) or ""
