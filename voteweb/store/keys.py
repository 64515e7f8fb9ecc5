"""Every key in Redis, spelled once: ``noun:`` or ``noun:id``, with its type, meaning and lifetime.

The names are those of *Redis in Action*, chapter 1, so that programs written after the book share the data.
docs/data.md is tested against this module: the docstring of each public method of :class:`Keys` that spells a key is
"A type: meaning; lifetime."
Members of sets and rankings, and stored values, never carry the prefix of a site: the functions at the end spell them.
"""

import re

from voteweb.core.comments import CommentId
from voteweb.core.names import name_key

_ARTICLE = "article:"
_INVITATION = "invite:"
_COMMENT = "comment:"
#: The spelling of a comment: ids and numbers of Redis's own counters have 19 digits at most.
_COMMENT_ID = re.compile(r"[1-9][0-9]{0,18}\.[1-9][0-9]{0,18}")
#: Every key there may be, in this order: keys without an id; numbered things and their counters; things with a
#: number; rankings and members by name, where no name stands for the whole site or the counter; things with a name.
_GRAMMAR = re.compile(
    r"(?:good|groups|combined|users|admins|held|reports|log|log-entries|leaving|restoring|schema|migrating):"
    r"|(?:answers|group-aliases|comments|removing|ban-removals|domain-rules|held-articles|top|changes|search):"
    r"|(?:outbox|digests|mails|mail-status):"
    r"|site:|log-ins:[^:]*|jobs:|backup:|lease:[^:]+|stats:[^:]+"
    r"|(?:article|imported):[0-9]*"
    r"|(?:voted|open-votes|report|was|thread|words|hidden):[0-9]+"
    r"|voted-comments:[0-9]+-[0-9]+|comment-report:[0-9]+\.[0-9]+"
    r"|(?:commented|reported-comments|inbox|unread|seen|inbox-feed|follows|hides|saved|saved-feed):[^:]+"
    r"|(?:time|score|user):[^:]*|top-day:[0-9]{4}-[0-9]{2}-[0-9]{2}|top-(?:group|of):[^:]+|domain:[0-9a-z._:-]*"
    r"|(?:group|group-info|notes|signup|network|posted|gone|link|reported|log-by|log-kind|log-about|invite|invites):[^:]+"
    r"|(?:sessions|known|reset|once|done|limit|ordering):[^:]+"
)
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

    def last_article_id(self) -> str:
        """A string: the last article id given out; for ever."""
        return f"{self.prefix}{_ARTICLE}"

    def article(self, id: int | str) -> str:
        """A hash: one article: title link text poster time votes base closes groups edited revision gone reason removed-by was-held released answer answered comments; for ever."""  # noqa: E501
        return f"{self.prefix}{_ARTICLE}{id}"

    def voted(self, id: int | str) -> str:
        """A set: the numeric ids of an article's voters; expires an hour after voting ends."""
        return f"{self.prefix}voted:{id}"

    def was(self, id: int | str) -> str:
        """A sorted set: an article before each of its last edits, as JSON, by their time; 30 days after the last."""
        return f"{self.prefix}was:{id}"

    def open_votes(self, member: int | str) -> str:
        """A sorted set: the articles on which a member's vote can be taken back, by the end of voting; expires an hour after the last of these."""  # noqa: E501
        return f"{self.prefix}open-votes:{member}"

    def by_time(self) -> str:
        """A sorted set: all articles by publish time in unix seconds; for ever."""
        return f"{self.prefix}time:"

    def by_score(self) -> str:
        """A sorted set: all articles by score in seconds; for ever."""
        return f"{self.prefix}score:"

    def good(self) -> str:
        """A sorted set: the good articles by publish time in unix seconds; for ever."""
        return f"{self.prefix}good:"

    def groups(self) -> str:
        """A set: the names of all groups; for ever."""
        return f"{self.prefix}groups:"

    def group_info(self, name: str) -> str:
        """A hash: one group: title description; for ever."""
        return f"{self.prefix}group-info:{name}"

    def group_aliases(self) -> str:
        """A hash: the name of a group by a second name, under which its address is found too; for ever."""
        return f"{self.prefix}group-aliases:"

    def group(self, name: str) -> str:
        """A set: the articles of one group; for ever."""
        return f"{self.prefix}group:{name}"

    def group_by_time(self, name: str) -> str:
        """A sorted set: the articles of one group by publish time, updated by every write; for ever."""
        return f"{self.prefix}time:{name}"

    def group_by_score(self, name: str) -> str:
        """A sorted set: the articles of one group by score, updated by every write; for ever."""
        return f"{self.prefix}score:{name}"

    def top(self) -> str:
        """A sorted set: the 250 articles with the most votes (by votes × 2³² + publish time), and what those left out are worth at most; for ever."""  # noqa: E501
        return f"{self.prefix}top:"

    def top_of_day(self, day: str) -> str:
        """A sorted set: the 250 articles of one UTC day with the most votes, as in ``top:``; for ever."""
        return f"{self.prefix}top-day:{day}"

    def top_of_group(self, name: str) -> str:
        """A sorted set: the 250 articles of one group with the most votes, as in ``top:``; for ever."""
        return f"{self.prefix}top-group:{name}"

    def top_of(self, period: str) -> str:
        """A sorted set: the best of a period (``week``, ``week+group``), as in ``top:``, and one marker, or what is made of it so far (``week.2026-11-22``); ten minutes."""  # noqa: E501
        return f"{self.prefix}top-of:{period}"

    def domain(self, domain: str) -> str:
        """A sorted set: the listed articles with a link to one host, by publish time in whole seconds; for ever."""
        return f"{self.prefix}domain:{domain}"

    def combined(self, order: str, names: tuple[str, ...]) -> str:
        """A sorted set: the articles in all of several groups (``a+b``) and one marker; VOTEWEB_GROUP_CACHE_SECONDS."""
        return f"{self.prefix}{combined_member(order, names)}"

    def combinations(self) -> str:
        """A sorted set: the combined rankings that are kept, by their end; VOTEWEB_GROUP_CACHE_SECONDS."""
        return f"{self.prefix}combined:"

    def last_user_id(self) -> str:
        """A string: the last user id given out; for ever."""
        return f"{self.prefix}user:"

    def user(self, name: str) -> str:
        """A hash: one member: id name password role since session banned ban-reason banned-until ban-removal left leaving voted invited-by signed-up held request inbox-feed saved-feed my front recovery recovered email email-pending email-language; for ever."""  # noqa: E501
        return f"{self.prefix}user:{name_key(name)}"

    def users(self) -> str:
        """A sorted set: the members who have not left, by name in lower case, by time of joining; for ever."""
        return f"{self.prefix}users:"

    def admins(self) -> str:
        """A set: the admins who have neither left nor been banned, by name in lower case; for ever."""
        return f"{self.prefix}admins:"

    def ban_removals(self) -> str:
        """A set: the members of whom what they posted is being removed with a ban, or restored; until that is done."""
        return f"{self.prefix}ban-removals:"

    def held(self) -> str:
        """A sorted set: the members who wait for a moderator, by name in lower case, by time of joining; for ever."""
        return f"{self.prefix}held:"

    def held_articles(self) -> str:
        """A sorted set: the articles that wait for a moderator, by time of posting; for ever."""
        return f"{self.prefix}held-articles:"

    def domain_rules(self) -> str:
        """A hash: how links to some domains are treated, as JSON by domain, 1,000 at most; for ever."""
        return f"{self.prefix}domain-rules:"

    def site(self) -> str:
        """A hash: the announcement and the switches that admins have set, as JSON by name, and the settings that shape scores; for ever."""  # noqa: E501
        return f"{self.prefix}site:"

    def notes(self, name: str) -> str:
        """A hash: the notes of moderators on one member, as JSON by id, 50 at most; for ever."""
        return f"{self.prefix}notes:{name_key(name)}"

    def sign_up(self, name: str) -> str:
        """A string: the keyed digest of the network that a member signed up from; 30 days."""
        return f"{self.prefix}signup:{name_key(name)}"

    def network(self, digest: str) -> str:
        """A sorted set: the members who signed up from one network, by time of joining; 30 days after the newest."""
        return f"{self.prefix}network:{digest}"

    def sessions(self, name: str) -> str:
        """A hash: the open sessions of one member, by a digest of their token, and their session id; until the last has ended."""  # noqa: E501
        return f"{self.prefix}sessions:{name_key(name)}"

    def posted(self, name: str) -> str:
        """A sorted set: the articles of one member, by the name in lower case, by publish time; for ever."""
        return f"{self.prefix}posted:{name_key(name)}"

    def gone(self, name: str) -> str:
        """A sorted set: the articles of one member that are deleted, removed or held, by publish time; for ever."""
        return f"{self.prefix}gone:{name_key(name)}"

    def link(self, digest: str) -> str:
        """A sorted set: the listed articles with one link, by publish time in whole seconds; 30 days after the newest."""  # noqa: E501
        return f"{self.prefix}link:{digest}"

    def reports(self) -> str:
        """A sorted set: the reported articles and comments, by number of open reports; for ever."""
        return f"{self.prefix}reports:"

    def answers(self) -> str:
        """A sorted set: the removed articles whose posters' answers wait for moderators, by their time; for ever."""
        return f"{self.prefix}answers:"

    def report(self, id: int | str) -> str:
        """A hash: the open reports of one article, by member; until they are settled."""
        return f"{self.prefix}report:{id}"

    def reported(self, name: str) -> str:
        """A set: the ids of the articles that one member reported, so that nobody reports twice; for ever."""
        return f"{self.prefix}reported:{name_key(name)}"

    def thread(self, id: int | str) -> str:
        """A hash: the conversation of one article without the words: a field for each comment and some of its own; for ever."""  # noqa: E501
        return f"{self.prefix}thread:{id}"

    def words(self, id: int | str) -> str:
        """A hash: the texts of the comments of one article, by number; for ever."""
        return f"{self.prefix}words:{id}"

    def hidden(self, id: int | str) -> str:
        """A string: a bit for each comment of one article, 1 if nobody can read it any more; for ever."""
        return f"{self.prefix}hidden:{id}"

    def voted_comments(self, id: int | str, block: int | str) -> str:
        """A set: the voters of 512 comments of one article, as number × 2³² + member id, and 0; expires an hour after the conversation ends."""  # noqa: E501
        return f"{self.prefix}voted-comments:{id}-{block}"

    def comments(self) -> str:
        """A list: the site's newest 10,000 comments (``<id>.<number>``), newest first; for ever."""
        return f"{self.prefix}comments:"

    def commented(self, name: str) -> str:
        """A list: the comments of one member (``<id>.<number>``), newest first; for ever."""
        return f"{self.prefix}commented:{name_key(name)}"

    def removing(self) -> str:
        """A set: the articles with a comment whose replies are being hidden or shown again with it; until that is done."""  # noqa: E501
        return f"{self.prefix}removing:"

    def ordering(self, token: str) -> str:
        """A list: the comments of a list in another order, until it takes the place of that list; ten minutes."""
        return f"{self.prefix}ordering:{token}"

    def comment_report(self, id: int | str, number: int | str) -> str:
        """A hash: the open reports of one comment, by member; until they are settled."""
        return f"{self.prefix}comment-report:{id}.{number}"

    def reported_comments(self, name: str) -> str:
        """A set: the comments that one member reported, so that nobody reports twice; for ever."""
        return f"{self.prefix}reported-comments:{name_key(name)}"

    def inbox(self, name: str) -> str:
        """A list: the newest 200 entries of a member's inbox (``<kind> <what> <unix time>``), newest first; 90 days after the newest."""  # noqa: E501
        return f"{self.prefix}inbox:{name_key(name)}"

    def unread(self, name: str) -> str:
        """A list: those entries of a member's inbox that have not been read, newest first; 90 days after the newest."""
        return f"{self.prefix}unread:{name_key(name)}"

    def seen(self, name: str) -> str:
        """A hash: what a member has seen of the conversations of 200 articles, by id; 30 days after the last visit."""
        return f"{self.prefix}seen:{name_key(name)}"

    def inbox_feed(self, digest: str) -> str:
        """A string: whose inbox the feed with the secret address of this digest shows; until it is withdrawn."""
        return f"{self.prefix}inbox-feed:{digest}"

    def follows(self, name: str) -> str:
        """A sorted set: the names of the groups that one member follows, by the time of that; for ever."""
        return f"{self.prefix}follows:{name_key(name)}"

    def hides(self, name: str) -> str:
        """A sorted set: what one member hides (``a<id>``, ``g<group>``, ``d<host>``, ``m<member>``), by the time of that; for ever."""  # noqa: E501
        return f"{self.prefix}hides:{name_key(name)}"

    def saved(self, name: str) -> str:
        """A sorted set: the articles that one member saved for later, by the time of that; for ever."""
        return f"{self.prefix}saved:{name_key(name)}"

    def saved_feed(self, digest: str) -> str:
        """A string: whose saved articles the feed with the secret address of this digest has; until it is withdrawn."""
        return f"{self.prefix}saved-feed:{digest}"

    def log_entries(self) -> str:
        """A list: all acts in the log, each as JSON at the place of its id, from 1; for ever."""
        return f"{self.prefix}log-entries:"

    def log(self) -> str:
        """A list: the ids of all acts in the log, ascending; for ever."""
        return f"{self.prefix}log:"

    def log_by(self, who: str) -> str:
        """A list: the ids of the acts of one moderator, ascending; for ever."""
        return f"{self.prefix}log-by:{name_key(who)}"

    def log_kind(self, kind: str, who: str = "") -> str:
        """A list: the ids of the acts of one kind (``kind``, or ``kind+moderator``: of one moderator); for ever."""
        return f"{self.prefix}log-kind:{kind}" + (f"+{name_key(who)}" if who else "")

    def log_about(self, name: str) -> str:
        """A list: the ids of the acts about one member, ascending; for ever."""
        return f"{self.prefix}log-about:{name_key(name)}"

    def invite(self, digest: str) -> str:
        """A hash: one invitation, by a digest of the token in its link: by until used revoked; for ever."""
        return f"{self.prefix}{_INVITATION}{digest}"

    def invites(self, name: str) -> str:
        """A sorted set: the invitations one member made, by their end; for ever."""
        return f"{self.prefix}invites:{name_key(name)}"

    def reset(self, digest: str) -> str:
        """A string: who may set a new password with a link of this digest, and for which old one it was made; a day."""
        return f"{self.prefix}reset:{digest}"

    def outbox(self) -> str:
        """A sorted set: the mails that members asked for (``reset ann``), 1,000 at most, and warnings, by the time of the next attempt; for ever."""  # noqa: E501
        return f"{self.prefix}outbox:"

    def digests(self) -> str:
        """A sorted set: mails of layout 3 that its conversion deletes; until that is done."""
        return f"{self.prefix}digests:"

    def mails(self) -> str:
        """A hash: of each mail in ``outbox:``, since when, how many attempts, and the claim of one; for ever."""
        return f"{self.prefix}mails:"

    def mail_status(self) -> str:
        """A hash: how many mails ended how: sent nothing refused failed dropped failing failure; for ever."""
        return f"{self.prefix}mail-status:"

    def log_ins(self) -> str:
        """A sorted set: the last 10,000 attempts to log in, as JSON, by their time; 30 days after the last one."""
        return f"{self.prefix}log-ins:"

    def member_log_ins(self, name: str) -> str:
        """A sorted set: the last 100 attempts that logged in as one member, and 100 that did not; 30 days after the last one."""  # noqa: E501
        return f"{self.prefix}log-ins:{name_key(name)}"

    def stats(self, day: str) -> str:
        """A hash: what was counted on one UTC day: votes comments reports settled wait-<bucket>; 400 days."""
        return f"{self.prefix}stats:{day}"

    def leaving(self) -> str:
        """A set: the members whose accounts are being deleted; until the deletion is complete."""
        return f"{self.prefix}leaving:"

    def jobs(self) -> str:
        """A hash: when each background job was last done, in unix seconds; for ever."""
        return f"{self.prefix}jobs:"

    def lease(self, job: str) -> str:
        """A string: which process runs a background job; half a minute after its last step."""
        return f"{self.prefix}lease:{job}"

    def once(self, member: int | str, token: str) -> str:
        """A string: the article or comment that a member's sent form became; a day."""
        return f"{self.prefix}once:{member}-{token}"

    def done(self, token: str) -> str:
        """A string: the answer of one act, so that sending it again changes nothing; ten minutes."""
        return f"{self.prefix}done:{token}"

    def limit(self, kind: str, digest: str) -> str:
        """A string: the unix time up to which acts of one kind by one member, address or name are used up; until then."""  # noqa: E501
        return f"{self.prefix}limit:{kind}-{digest}"

    def known_network(self, digest: str) -> str:
        """A string: that a member has logged in from a network, by a keyed digest of both; 90 days after the last time."""  # noqa: E501
        return f"{self.prefix}known:{digest}"

    def imported(self, bucket: int | str) -> str:
        """A set: the fingerprints of some imported rows, so that none is imported twice; for ever."""
        return f"{self.prefix}imported:{bucket}"

    def changes(self) -> str:
        """A stream: the articles (``a <id>``), comments (``c <id>.<number>``) and conversations with their articles (``t <id>``) of which something that is searched has changed, and what was purged (``p <id>`` or ``p <id>.<number>``), the last 100,000 about; for ever."""  # noqa: E501
        return f"{self.prefix}changes:"

    def search_epoch(self) -> str:
        """A string: random characters by which an index of the site knows that it belongs to these data; for ever."""
        return f"{self.prefix}search:"

    def restoring(self) -> str:
        """A string: the unix time at which a restore began that has not ended; until it ends."""
        return f"{self.prefix}restoring:"

    def last_backup(self) -> str:
        """A hash: the last good backup: time size; for ever."""
        return f"{self.prefix}backup:"

    def schema(self) -> str:
        """A string: the number of the layout of the data; for ever."""
        return f"{self.prefix}schema:"

    def migrating(self) -> str:
        """A string: the backup that a migration made before it began to convert; until it ends."""
        return f"{self.prefix}migrating:"

    def is_ours(self, key: str) -> bool:
        """Tell whether *key* is one that this class could spell."""
        return key.startswith(self.prefix) and _GRAMMAR.fullmatch(key, len(self.prefix)) is not None

    def covers(self, key: str) -> bool:
        """Tell whether *key* is in the site's part of the database: that without a name has all but the named ones."""
        return key.startswith(self.prefix) if self.prefix else not _NAMED.match(key)

    def split(self, key: str) -> tuple[str, str]:
        """Return the noun of *key* and the id or name after its colon: ``("user", "ann")``."""
        noun, _, name = key.removeprefix(self.prefix).partition(":")
        return noun, name


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
