"""Every key in Redis, spelled once: ``noun:`` or ``noun:id``, with its meaning and lifetime.

The names are those of *Redis in Action*, chapter 1, so that programs written after the book share the data. What a key
holds is in :data:`voteweb.store.schema.nouns.NOUNS`; the table in docs/data.md is made from both.
Members of sets and rankings, and stored values, never carry the prefix of a site: the functions at the end spell them.
"""

import re

from voteweb.core.comments import CommentId
from voteweb.core.names import name_key
from voteweb.store.schema.key_forms import KeyForm, KeyOfId, KeyOfMember, KeyOfText, KeyOfTwo, OneKey

_ARTICLE = "article:"
_INVITATION = "invite:"
_COMMENT = "comment:"
#: The spelling of a comment: ids and numbers of Redis's own counters have 19 digits at most.
_COMMENT_ID = re.compile(r"[1-9][0-9]{0,18}\.[1-9][0-9]{0,18}")
#: The beginning of the keys of a site with a name.
_NAMED = re.compile(r"\{([a-z0-9][a-z0-9-]{0,31})\}:")
#: Characters that patterns of SCAN read as more than themselves.
PATTERN_CHARACTERS = set("*?[]^\\")


class Keys:
    """The keys of one site, all with the same *prefix* in front."""

    def __init__(self, prefix: str = "") -> None:
        if not PATTERN_CHARACTERS.isdisjoint(prefix):
            raise ValueError(f"{prefix!r} cannot be a prefix of keys")
        self.prefix = prefix
        named = _NAMED.fullmatch(prefix)
        #: The name of the site, "" if it has none.
        self.name = named[1] if named else ""

    @classmethod
    def of_site(cls, name: str) -> "Keys":
        """Return the keys of the site *name*; "" is the one without a name.

        The braces make the name the hash tag of each key: a cluster keeps all of a site in one slot.
        """
        return cls(f"{{{name}}}:" if name else "")

    last_article_id = OneKey("article:", "the last article id given out")
    article = KeyOfId("article:<id>", "one article")
    voted = KeyOfId("voted:<id>", "the numeric ids of an article's voters", "expires an hour after voting ends")
    was = KeyOfId(
        "was:<id>", "an article before each of its last edits, as JSON, by their time", "30 days after the last"
    )
    open_votes = KeyOfId(
        "open-votes:<member id>",
        "the articles on which a member's vote can be taken back, by the end of voting",
        "expires an hour after the last of these",
    )
    by_time = OneKey("time:", "all articles by publish time in unix seconds")
    by_score = OneKey("score:", "all articles by score in seconds")
    good = OneKey("good:", "the good articles by publish time in unix seconds")
    groups = OneKey("groups:", "the names of all groups")
    group_info = KeyOfText("group-info:<name>", "one group")
    group_aliases = OneKey(
        "group-aliases:", "the name of a group by a second name, under which its address is found too"
    )
    group = KeyOfText("group:<name>", "the articles of one group")
    group_by_time = KeyOfText("time:<name>", "the articles of one group by publish time, updated by every write")
    group_by_score = KeyOfText("score:<name>", "the articles of one group by score, updated by every write")
    top = OneKey(
        "top:",
        "the 250 articles with the most votes (by votes × 2³² + publish time), and what those left out are worth at "
        "most",
    )
    top_of_day = KeyOfText("top-day:<day>", "the 250 articles of one UTC day with the most votes, as in ``top:``")
    top_of_group = KeyOfText("top-group:<name>", "the 250 articles of one group with the most votes, as in ``top:``")
    top_of = KeyOfText(
        "top-of:<period>",
        "the best of a period (``week``, ``week+group``), as in ``top:``, and one marker, or what is made of it so "
        "far (``week.2026-11-22``)",
        "ten minutes",
    )
    domain = KeyOfText(
        "domain:<domain>", "the listed articles with a link to one host, by publish time in whole seconds"
    )
    #: Those of the method combined().
    _combined_by_time, _combined_by_score = (
        KeyForm(text, "the articles in all of several groups (``a+b``) and one marker", "VOTEWEB_GROUP_CACHE_SECONDS")
        for text in ("time:<a>+<b>", "score:<a>+<b>")
    )
    combinations = OneKey(
        "combined:", "the combined rankings that are kept, by their end", "VOTEWEB_GROUP_CACHE_SECONDS"
    )
    last_user_id = OneKey("user:", "the last user id given out")
    user = KeyOfMember("user:<name>", "one member")
    users = OneKey("users:", "the members who have not left, by name in lower case, by time of joining")
    admins = OneKey("admins:", "the admins who have neither left nor been banned, by name in lower case")
    ban_removals = OneKey(
        "ban-removals:",
        "the members of whom what they posted is being removed with a ban, or restored",
        "until that is done",
    )
    held = OneKey("held:", "the members who wait for a moderator, by name in lower case, by time of joining")
    held_articles = OneKey("held-articles:", "the articles that wait for a moderator, by time of posting")
    domain_rules = OneKey("domain-rules:", "how links to some domains are treated, as JSON by domain, 1,000 at most")
    site = OneKey(
        "site:",
        "the announcement and the switches that admins have set, as JSON by name, and the settings that shape scores",
    )
    notes = KeyOfMember("notes:<name>", "the notes of moderators on one member, as JSON by id, 50 at most")
    sign_up = KeyOfMember("signup:<name>", "the keyed digest of the network that a member signed up from", "30 days")
    network = KeyOfText(
        "network:<digest>", "the members who signed up from one network, by time of joining", "30 days after the newest"
    )
    sessions = KeyOfMember(
        "sessions:<name>",
        "the open sessions of one member, by a digest of their token, and their session id",
        "until the last has ended",
    )
    posted = KeyOfMember("posted:<name>", "the articles of one member, by the name in lower case, by publish time")
    gone = KeyOfMember("gone:<name>", "the articles of one member that are deleted, removed or held, by publish time")
    link = KeyOfText(
        "link:<digest>",
        "the listed articles with one link, by publish time in whole seconds",
        "30 days after the newest",
    )
    reports = OneKey("reports:", "the reported articles and comments, by number of open reports")
    answers = OneKey("answers:", "the removed articles whose posters' answers wait for moderators, by their time")
    report = KeyOfId("report:<id>", "the open reports of one article, by member", "until they are settled")
    reported = KeyOfMember(
        "reported:<name>", "the ids of the articles that one member reported, so that nobody reports twice"
    )
    thread = KeyOfId(
        "thread:<id>", "the conversation of one article without the words: a field for each comment and some of its own"
    )
    words = KeyOfId("words:<id>", "the texts of the comments of one article, by number")
    hidden = KeyOfId("hidden:<id>", "a bit for each comment of one article, 1 if nobody can read it any more")
    voted_comments = KeyOfTwo(
        "voted-comments:<id>-<block>",
        "the voters of 512 comments of one article, as number × 2³² + member id, and 0",
        "expires an hour after the conversation ends",
    )
    comments = OneKey("comments:", "the site's newest 10,000 comments (``<id>.<number>``), newest first")
    commented = KeyOfMember("commented:<name>", "the comments of one member (``<id>.<number>``), newest first")
    removing = OneKey(
        "removing:",
        "the articles with a comment whose replies are being hidden or shown again with it",
        "until that is done",
    )
    ordering = KeyOfText(
        "ordering:<token>",
        "the comments of a list in another order, until it takes the place of that list",
        "ten minutes",
    )
    comment_report = KeyOfTwo(
        "comment-report:<id>.<number>", "the open reports of one comment, by member", "until they are settled"
    )
    reported_comments = KeyOfMember(
        "reported-comments:<name>", "the comments that one member reported, so that nobody reports twice"
    )
    inbox = KeyOfMember(
        "inbox:<name>",
        "the newest 200 entries of a member's inbox (``<kind> <what> <unix time>``), newest first",
        "90 days after the newest",
    )
    unread = KeyOfMember(
        "unread:<name>",
        "those entries of a member's inbox that have not been read, newest first",
        "90 days after the newest",
    )
    seen = KeyOfMember(
        "seen:<name>",
        "what a member has seen of the conversations of 200 articles, by id",
        "30 days after the last visit",
    )
    inbox_feed = KeyOfText(
        "inbox-feed:<digest>",
        "whose inbox the feed with the secret address of this digest shows",
        "until it is withdrawn",
    )
    follows = KeyOfMember("follows:<name>", "the names of the groups that one member follows, by the time of that")
    hides = KeyOfMember(
        "hides:<name>",
        "what one member hides (``a<id>``, ``g<group>``, ``d<host>``, ``m<member>``), by the time of that",
    )
    saved = KeyOfMember("saved:<name>", "the articles that one member saved for later, by the time of that")
    saved_feed = KeyOfText(
        "saved-feed:<digest>",
        "whose saved articles the feed with the secret address of this digest has",
        "until it is withdrawn",
    )
    log_entries = OneKey("log-entries:", "all acts in the log, each as JSON at the place of its id, from 1")
    log = OneKey("log:", "the ids of all acts in the log, ascending")
    log_by = KeyOfMember("log-by:<moderator>", "the ids of the acts of one moderator, ascending")
    #: Those of the method log_kind().
    _log_kind = KeyForm("log-kind:<kind>", "the ids of the acts of one kind, ascending")
    _log_kind_by = KeyForm("log-kind:<kind>+<moderator>", "the ids of the acts of one kind by one moderator, ascending")
    log_about = KeyOfMember("log-about:<name>", "the ids of the acts about one member, ascending")
    invite = KeyOfText("invite:<digest>", "one invitation, by a digest of the token in its link")
    invites = KeyOfMember("invites:<name>", "the invitations one member made, by their end")
    reset = KeyOfText(
        "reset:<digest>",
        "who may set a new password with a link of this digest, and for which old one it was made",
        "a day",
    )
    outbox = OneKey(
        "outbox:",
        "the mails that members asked for (``reset ann``), 1,000 at most, and warnings, by the time of the next "
        "attempt",
    )
    digests = OneKey("digests:", "mails of layout 3 that its conversion deletes", "until that is done")
    mails = OneKey("mails:", "of each mail in ``outbox:``, since when, and how many attempts")
    mail_status = OneKey(
        "mail-status:", "how many mails ended how: sent nothing refused failed dropped failing failure"
    )
    log_ins = OneKey(
        "log-ins:", "the last 10,000 attempts to log in, as JSON, by their time", "30 days after the last one"
    )
    member_log_ins = KeyOfMember(
        "log-ins:<name>",
        "the last 100 attempts that logged in as one member, and 100 that did not",
        "30 days after the last one",
    )
    stats = KeyOfText(
        "stats:<day>", "what was counted on one UTC day: votes comments reports settled wait-<bucket>", "400 days"
    )
    leaving = OneKey("leaving:", "the members whose accounts are being deleted", "until the deletion is complete")
    jobs = OneKey("jobs:", "when each background job was last done, in unix seconds")
    lease = KeyOfText("lease:<job>", "which process runs a background job", "half a minute after its last step")
    once = KeyOfTwo("once:<member id>-<token>", "the article or comment that a member's sent form became", "a day")
    done = KeyOfText("done:<token>", "the answer of one act, so that sending it again changes nothing", "ten minutes")
    limit = KeyOfTwo(
        "limit:<kind>-<digest>",
        "the unix time up to which acts of one kind by one member, address or name are used up",
        "until then",
    )
    known_network = KeyOfText(
        "known:<digest>",
        "that a member has logged in from a network, by a keyed digest of both",
        "90 days after the last time",
    )
    imported = KeyOfId("imported:<bucket>", "the fingerprints of some imported rows, so that none is imported twice")
    changes = OneKey(
        "changes:",
        "the articles (``a <id>``), comments (``c <id>.<number>``) and conversations with their articles (``t <id>``)"
        " of which something that is searched has changed, and what was purged (``p <id>`` or ``p <id>.<number>``), "
        "the last 100,000 about",
    )
    search_epoch = OneKey(
        "search:", "random characters by which an index of the site knows that it belongs to these data"
    )
    restoring = OneKey("restoring:", "the unix time at which a restore began that has not ended", "until it ends")
    last_backup = OneKey("backup:", "the last good backup: time size")
    schema = OneKey("schema:", "the number of the layout of the data")
    migrating = OneKey("migrating:", "the backup that a migration made before it began to convert", "until it ends")

    def combined(self, order: str, names: tuple[str, ...]) -> str:
        """Return the key of the ranking in this *order* of the articles that are in all of several groups."""
        return f"{self.prefix}{combined_member(order, names)}"

    def log_kind(self, kind: str, who: str = "") -> str:
        """Return the key of the list of the acts of one *kind*, by anybody or by one moderator."""
        return f"{self.prefix}log-kind:{kind}" + (f"+{name_key(who)}" if who else "")

    def is_ours(self, key: str) -> bool:
        """Tell whether *key* is one that this class could spell."""
        pattern = _PATTERNS.get(self.split(key)[0]) if key.startswith(self.prefix) else None
        return pattern is not None and pattern.fullmatch(key, len(self.prefix)) is not None

    def covers(self, key: str) -> bool:
        """Tell whether *key* is in the site's part of the database: that without a name has all but the named ones."""
        return key.startswith(self.prefix) if self.prefix else not _NAMED.match(key)

    def split(self, key: str) -> tuple[str, str]:
        """Return the noun of *key* and the id or name after its colon: ``("user", "ann")``."""
        noun, _, name = key.removeprefix(self.prefix).partition(":")
        return noun, name


#: Every form of a key, in the order of docs/data.md.
FORMS = [form for form in vars(Keys).values() if isinstance(form, KeyForm)]
#: The patterns of the keys of each noun, without a prefix.
_PATTERNS = {
    noun: re.compile("|".join(form.pattern() for form in FORMS if form.noun == noun))
    for noun in {form.noun for form in FORMS}
}


def site_of(key: str) -> str | None:
    """Return the name of the site of voteweb that could have made *key*, "" for one without a name, None for none."""
    match = _NAMED.match(key)
    name = match[1] if match else ""
    return name if Keys.of_site(name).is_ours(key) else None


#: The member of a ranking by votes that has the value of the best article it left out, and stands below all articles.
LEFT_OUT = "-"


def combined_member(order: str, names: tuple[str, ...]) -> str:
    """Return the member that stands for a combined ranking: its key without the prefix."""
    return f"{order}:{'+'.join(names)}"


def article_member(id: int | str) -> str:
    """Return the member that stands for an article in sets and rankings."""
    return f"{_ARTICLE}{id}"


def article_id(member: str) -> int:
    """Return the id in ``article:<id>``; raise ValueError when *member* does not stand for an article."""
    number = member.removeprefix(_ARTICLE)
    if number == member or not number.isascii() or not number.isdigit():
        raise ValueError(member)
    return int(number)


def is_article(member: str) -> bool:
    """Tell whether *member* stands for an article."""
    try:
        return article_member(article_id(member)) == member
    except ValueError:
        return False


def is_member_id(voter: str) -> bool:
    """Tell whether a voter is the id of a member, rather than a name that a program after the book stored."""
    return voter.isascii() and voter.isdigit() and str(int(voter)) == voter


def invitation_member(digest: str) -> str:
    """Return the member that stands for an invitation in rankings."""
    return f"{_INVITATION}{digest}"


def invitation_digest(member: str) -> str:
    """Return the digest in ``invite:<digest>``, "" when *member* does not stand for an invitation."""
    return member.removeprefix(_INVITATION) if member.startswith(_INVITATION) else ""


def comment_member(id: int | str, number: int | str) -> str:
    """Return the member that stands for a comment in rankings: ``comment:<id>.<number>``."""
    return f"{_COMMENT}{id}.{number}"


def comment_of(member: str) -> CommentId | None:
    """Return the comment for which *member* (``comment:<id>.<number>``) stands, None if it stands for none."""
    return parse_comment(member.removeprefix(_COMMENT)) if member.startswith(_COMMENT) else None


def parse_comment(text: str) -> CommentId | None:
    """Return the comment of ``<id>.<number>``, None if *text* is not spelled so."""
    return CommentId(*map(int, text.split("."))) if _COMMENT_ID.fullmatch(text) else None
