"""Every kind of key in Redis, once: ``noun:`` or ``noun:id``, with its meaning, lifetime, and what it may hold.

The names are those of *Redis in Action*, chapter 1, so that programs written after the book share the data. The checks
of the doctor and of a restore, and the table in docs/data.md, are made from here.
"""

import re

from voteweb.core import config, mail
from voteweb.core.names import name_key
from voteweb.core.validation import is_member_key
from voteweb.store.schema import fields, values
from voteweb.store.schema.key_forms import KeyForm, KeyOf, KeyOfMember, KeyOfTwo, Noun, OneKey, Part

#: The beginning of the keys of a site with a name.
_NAMED = re.compile(r"\{([a-z0-9][a-z0-9-]{0,31})\}:")
#: Characters that patterns of SCAN read as more than themselves.
PATTERN_CHARACTERS = set("*?[]^\\")

PRIMARY, DERIVED, PASSING = Part
_UNLINK = ("UNLINK",)
#: Checks and fields that several kinds of keys share. Other versions may allow ten times as many entries as this one.
_COUNTER = Noun("string", PRIMARY)
_INBOX = Noun(
    "list", PRIMARY, ("EXPIRE", config.INBOX_SECONDS), "user", item=values.is_inbox_entry, most=10 * config.INBOX_SIZE
)
_VISITS = Noun(
    "hash",
    PRIMARY,
    ("EXPIRE", config.VISITED_SECONDS),
    "user",
    pair=values.pair_of(values.is_id_text, values.is_visit),
    most=10 * config.MAX_VISITED_THREADS,
)
_RANKING = Noun("zset", DERIVED, item=values.is_ranked)
_EXPIRING_RANKING = _RANKING._replace(expires=())
_MADE_RANKING = Noun("zset", PASSING, _UNLINK, item=values.is_ranked)
_BEST = _RANKING._replace(most=config.MAX_RANKED)
_MEMBERS_BY_TIME = Noun("zset", DERIVED, item=is_member_key)
_MEMBERS = Noun("set", DERIVED, item=is_member_key)
_FEED = Noun("string", DERIVED, item=is_member_key)
_COMMENTS = Noun("list", DERIVED, item=values.is_comment)
_ACTS = Noun("list", DERIVED, item=values.is_id_text)
_LOG_INS = Noun("zset", PASSING, ("EXPIRE", config.LOG_IN_SECONDS))
_EXPIRING = Noun("string", PASSING, _UNLINK)
_FACTS, _FACT = Noun("hash", PASSING), Noun("string", PASSING)


class Keys:
    """The keys of one site, all with the same *prefix* in front.

    The primary keys stand in the order in which a backup reads them: what names another thing before what it names.
    """

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

    # Forms that members send, and requests that were answered.
    once = KeyOfTwo(
        "once:<member id>-<token>",
        "the article or comment that a member's sent form became",
        Noun("string", PRIMARY, ("EXPIRE", config.ONCE_SECONDS), item=values.is_sent),
    )
    imported = KeyOf(
        "imported:<bucket>",
        "the fingerprints of some imported rows, so that none is imported twice",
        Noun("set", PRIMARY, item=values.is_fingerprint),
    )
    invite = KeyOf(
        "invite:<digest>",
        "one invitation, by a digest of the token in its link",
        Noun("hash", PRIMARY, fields=fields.INVITATION_FIELDS),
    )
    invites = KeyOfMember("invites:<name>", "the invitations one member made, by their end", Noun("zset", DERIVED))
    reset = KeyOf(
        "reset:<digest>",
        "who may set a new password with a link of this digest, and for which old one it was made",
        Noun("string", PRIMARY, ("EXPIRE", config.RESET_SECONDS), item=values.is_reset),
    )
    reported = KeyOfMember(
        "reported:<name>",
        "the ids of the articles that one member reported, so that nobody reports twice",
        Noun("set", PRIMARY, item=values.is_id_text),
    )
    reported_comments = KeyOfMember(
        "reported-comments:<name>",
        "the comments that one member reported, so that nobody reports twice",
        Noun("set", PRIMARY, item=values.is_comment),
    )

    # Lists of a member's own.
    inbox = KeyOfMember(
        "inbox:<name>", "the newest 200 entries of an inbox (``<kind> <what> <unix time>``), newest first", _INBOX
    )
    unread = KeyOfMember("unread:<name>", "those entries of an inbox that have not been read, newest first", _INBOX)
    inbox_feed = KeyOf(
        "inbox-feed:<digest>", "whose inbox the feed with the secret address of this digest shows", _FEED
    )
    seen = KeyOfMember("seen:<name>", "what a member has seen of the conversations of 200 articles, by id", _VISITS)
    notes = KeyOfMember(
        "notes:<name>",
        "the notes of moderators on one member, as JSON by id, 50 at most",
        Noun("hash", PRIMARY, owner="user", pair=values.is_member_note, most=2 * config.MAX_NOTES),
    )
    follows = KeyOfMember(
        "follows:<name>",
        "the names of the groups that one member follows, by the time of that",
        Noun("zset", PRIMARY, owner="user", item=values.is_group_name, most=config.MAX_FOLLOWED_GROUPS),
    )
    hides = KeyOfMember(
        "hides:<name>",
        "what one member hides (``a<id>``, ``g<group>``, ``d<host>``, ``m<member>``), by the time of that",
        Noun("zset", PRIMARY, owner="user", item=values.is_hidden_entry, most=config.MAX_HIDDEN),
    )
    saved = KeyOfMember(
        "saved:<name>",
        "the articles that one member saved for later, by the time of that",
        Noun("zset", PRIMARY, owner="user", item=values.is_article, most=config.MAX_SAVED),
    )
    saved_feed = KeyOf(
        "saved-feed:<digest>", "whose saved articles the feed with the secret address of this digest has", _FEED
    )
    programs = KeyOfMember(
        "programs:<name>",
        "the programs to which one member gave a token, by a digest of it, and the member's session id",
        Noun("hash", PRIMARY, (), "user", pair=values.is_program, most=2 * config.MAX_PROGRAMS),
        "when the last has ended",
    )
    former_mail = KeyOfMember(
        "former-mail:<name>",
        "a member's former addresses for mail, as in ``email-pending``, with commas between them",
        Noun("string", PRIMARY, (), "user", item=mail.are_former),
        "seven days after the last of these",
    )
    revoked_votes = KeyOfMember(
        "revoked-votes:<name>",
        "the articles and comments on which a ban took the member's votes back, by the end of voting",
        Noun("zset", PRIMARY, (), "user", item=values.is_posted, most=2 * config.MAX_REVOKED_VOTES),
        "an hour after the last of these",
    )

    # The site's own pages.
    page_texts = KeyOf(
        "page-texts:<page>",
        "the last 6 texts that admins wrote for one of the site's own pages, as in ``site:``, by their time",
        Noun("zset", PRIMARY, item=values.is_page_text, most=10 * (1 + config.EARLIER_TEXTS)),
    )

    # Conversations.
    thread = KeyOf(
        "thread:<id>",
        "the conversation of one article without the words: a field for each comment and some of its own",
        Noun("hash", PRIMARY, pair=fields.is_thread_field),
    )
    words = KeyOf(
        "words:<id>",
        "the texts of the comments of one article, by number",
        Noun(
            "hash",
            PRIMARY,
            owner="thread",
            orphan="a backup may hold the conversation; else UNLINK the key",
            pair=fields.is_word,
        ),
    )
    hidden = KeyOf(
        "hidden:<id>",
        "a bit for each comment of one article, 1 if nobody can read it any more",
        Noun("string", DERIVED, owner="thread"),
    )
    voted_comments = KeyOfTwo(
        "voted-comments:<id>-<block>",
        "the voters of 512 comments of one article, as number × 2³² + member id, and 0",
        Noun("set", PRIMARY, (), item=values.is_comment_voter),
        "an hour after the conversation ends",
    )
    comment_report = KeyOfTwo(
        "comment-report:<id>.<number>",
        "the open reports of one comment, by member",
        Noun("hash", PRIMARY, pair=values.is_report),
    )
    comments = OneKey("comments:", "the site's newest 10,000 comments (``<id>.<number>``), newest first", _COMMENTS)
    commented = KeyOfMember(
        "commented:<name>", "the comments of one member (``<id>.<number>``), newest first", _COMMENTS
    )
    removing = OneKey(
        "removing:",
        "the articles of which comments below a removed one, or titles in the log, are being hidden or shown",
        Noun("set", DERIVED),
    )
    ordering = KeyOf(
        "ordering:<token>",
        "the comments of a list in another order, until it takes the place of that list",
        Noun("list", PASSING, _UNLINK),
        "after ten minutes",
    )

    # Articles.
    last_article_id = OneKey("article:", "the last article id given out", _COUNTER)
    article = KeyOf("article:<id>", "one article", Noun("hash", PRIMARY, fields=fields.ARTICLE_FIELDS))
    voted = KeyOf(
        "voted:<id>",
        "the numeric ids of an article's voters",
        Noun("set", PRIMARY, (), "article", item=values.is_foreign_name),
        "an hour after voting ends",
    )
    open_votes = KeyOf(
        "open-votes:<member id>",
        "the articles on which a member's vote can be taken back, by the end of voting",
        _EXPIRING_RANKING,
        "an hour after the last of these",
    )
    report = KeyOf(
        "report:<id>",
        "the open reports of one article, by member",
        Noun("hash", PRIMARY, owner="article", pair=values.is_report),
    )
    dismissed = KeyOf(
        "dismissed:<thing>",
        "the dismissed reports of one article or comment, by member, as long as that can be undone",
        Noun("hash", PASSING, ("EXPIRE", config.UNDO_SECONDS), pair=values.is_report),
    )
    reports = OneKey("reports:", "what is reported, by the time of its first open report", Noun("zset", DERIVED))
    answers = OneKey(
        "answers:", "the removed or edited articles whose posters' answers wait for moderators, by their time", _RANKING
    )
    was = KeyOf(
        "was:<id>",
        "an article before each of its last edits, as JSON, by their time",
        Noun("zset", PASSING, ("EXPIRE", config.EARLIER_SECONDS), "article", item=fields.is_earlier_version),
    )
    #: Those of the method combined(). They stand before those whose nouns they share: NOUNS has the last of each.
    _combined_by_time, _combined_by_score = (
        KeyForm(
            text,
            "the articles in all of several groups (``a+b``) and one marker",
            _MADE_RANKING,
            "after a minute",
        )
        for text in ("time:<a>+<b>", "score:<a>+<b>")
    )
    combinations = OneKey(
        "combined:",
        "the combined rankings that are kept, by their end",
        Noun("zset", PASSING, _UNLINK),
        "after a minute",
    )
    by_time = OneKey("time:", "all articles by publish time in unix seconds", _RANKING)
    by_score = OneKey("score:", "all articles by score in seconds", _RANKING)
    group_by_time = KeyOf("time:<group>", "the articles of one group by publish time, updated by every write", _RANKING)
    group_by_score = KeyOf("score:<group>", "the articles of one group by score, updated by every write", _RANKING)
    good = OneKey("good:", "the good articles by publish time in unix seconds", _RANKING)
    top = OneKey(
        "top:",
        "the 250 articles with the most votes (by votes × 2³² + publish time), and the value of the best left out",
        _BEST,
    )
    top_of_day = KeyOf("top-day:<day>", "the 250 articles of one UTC day with the most votes, as in ``top:``", _BEST)
    top_of_group = KeyOf(
        "top-group:<group>", "the 250 articles of one group with the most votes, as in ``top:``", _BEST
    )
    top_of = KeyOf(
        "top-of:<period>",
        "the best of a period (``week``, ``week+group``), as in ``top:``, and one marker, or what is made of it so "
        "far (``week.2026-11-22``)",
        _MADE_RANKING,
        "after ten minutes",
    )
    domain = KeyOf(
        "domain:<domain>", "the listed articles with a link to one host, by publish time in whole seconds", _RANKING
    )
    link = KeyOf(
        "link:<digest>",
        "the listed articles with one link, by publish time in whole seconds",
        _EXPIRING_RANKING,
        "30 days after the newest",
    )
    posted = KeyOfMember(
        "posted:<name>", "the articles of one member, by the name in lower case, by publish time", _RANKING
    )
    gone = KeyOfMember(
        "gone:<name>", "the articles of one member that are deleted, removed or held, by publish time", _RANKING
    )
    held_articles = OneKey("held-articles:", "the articles that wait for a moderator, by time of posting", _RANKING)

    # Groups and the site.
    group_aliases = OneKey(
        "group-aliases:",
        "the name of a group by a second name, under which its address is found too",
        Noun("hash", PRIMARY, pair=values.pair_of(values.is_group_name, values.is_group_name)),
    )
    merging = OneKey(
        "merging:",
        "the second names of groups whose articles and followers are still those of a group of that name",
        Noun("set", DERIVED, item=values.is_group_name),
    )
    planned_merges = OneKey(
        "planned-merges:",
        "the merges of groups that have not begun, as JSON by the name of the group",
        Noun("hash", PRIMARY, pair=values.is_planned_merge),
    )
    group_info = KeyOf("group-info:<group>", "one group", Noun("hash", PRIMARY, fields=fields.GROUP_FIELDS))
    groups = OneKey("groups:", "the names of all groups", Noun("set", DERIVED, item=values.is_group_name))
    group = KeyOf("group:<group>", "the articles of one group", Noun("set", DERIVED, item=values.is_ranked))
    domain_rules = OneKey(
        "domain-rules:",
        "how links to some domains are treated, as JSON by domain, 1,000 at most",
        Noun("hash", PRIMARY, pair=values.is_domain_rule),
    )
    site = OneKey(
        "site:",
        "the announcement and the switches that admins have set, as JSON by name, the settings that shape scores, and "
        "the id of the site",
        Noun("hash", PRIMARY, pair=values.is_site_field),
    )

    # Members.
    last_user_id = OneKey("user:", "the last user id given out", _COUNTER)
    user = KeyOfMember("user:<name>", "one member", Noun("hash", PRIMARY, fields=fields.MEMBER_FIELDS))
    users = OneKey(
        "users:", "the members who have not left, by name in lower case, by time of joining", _MEMBERS_BY_TIME
    )
    names = KeyOf("names:<block>", "the names of 100 members who have not left, in lower case, by id", _MEMBERS_BY_TIME)
    admins = OneKey("admins:", "the admins who have neither left nor been banned, by name in lower case", _MEMBERS)
    ban_removals = OneKey(
        "ban-removals:", "the members whose posts are being removed with a ban, or restored", _MEMBERS
    )
    ban_answers = OneKey(
        "ban-answers:",
        "the banned members whose answers wait for a moderator, by name in lower case, by the end of the ban",
        _MEMBERS_BY_TIME,
    )
    abouts = OneKey(
        "abouts:",
        "the members who may log in and whose lines about themselves were reported, by name in lower case, by time of "
        "the report",
        _MEMBERS_BY_TIME,
    )
    undoing = OneKey(
        "undoing:",
        "the members whose acts are being undone, each with the id of the log entry of that",
        Noun("hash", PRIMARY, pair=values.pair_of(is_member_key, values.is_id_text)),
    )
    held = OneKey(
        "held:", "the members who wait for a moderator, by name in lower case, by time of joining", _MEMBERS_BY_TIME
    )
    leaving = OneKey("leaving:", "the members whose accounts are being deleted", _MEMBERS)
    sign_up = KeyOfMember(
        "signup:<name>", "the keyed digest of the network that a member signed up from", _EXPIRING, "after 30 days"
    )
    network = KeyOf(
        "network:<digest>",
        "the members who signed up from one network, by time of joining",
        Noun("zset", PASSING, _UNLINK, item=is_member_key),
        "30 days after the newest",
    )
    known_network = KeyOf(
        "known:<digest>",
        "that a member has logged in from a network, by a keyed digest of both",
        _EXPIRING,
        "90 days after the last time",
    )
    sessions = KeyOfMember(
        "sessions:<name>",
        "the open sessions of one member, by a digest of their token, and their session id",
        Noun("hash", PASSING, ("EXPIRE", config.MAX_SESSION_SECONDS), "user"),
        "when the last has ended",
    )
    log_ins = OneKey("log-ins:", "the last 10,000 attempts to log in, as JSON, by their time", _LOG_INS)
    member_log_ins = KeyOfMember(
        "log-ins:<name>", "the last 100 attempts that logged in as one member, and 100 that did not", _LOG_INS
    )
    looks = OneKey(
        "looks:",
        "10,000 looks of moderators at votes (``<id> <a or u><id> <day>``), once a day for each, by their time",
        Noun("zset", PASSING, ("EXPIRE", config.LOOK_SECONDS)),
    )

    # The log.
    log_entries = OneKey(
        "log-entries:",
        "all acts in the log, each as JSON at the place of its id, from 1",
        Noun("list", PRIMARY, item=fields.is_packed_entry),
    )
    log = OneKey("log:", "the ids of all acts in the log, ascending", _ACTS)
    log_by = KeyOfMember("log-by:<moderator>", "the ids of the acts of one moderator, ascending", _ACTS)
    #: Those of the method log_kind().
    _log_kind = KeyForm("log-kind:<kind>", "the ids of the acts of one kind, ascending", _ACTS)
    _log_kind_by = KeyForm(
        "log-kind:<kind>+<moderator>", "the ids of the acts of one kind by one moderator, ascending", _ACTS
    )
    log_about = KeyOfMember("log-about:<name>", "the ids of the acts about one member, ascending", _ACTS)

    # Mails, jobs, counts and passing keys.
    outbox = OneKey(
        "outbox:",
        "the mails that members asked for (``reset ann``), 1,000 at most, and warnings, by the time of the next "
        "attempt",
        Noun("zset", PASSING),
    )
    digests = OneKey("digests:", "mails of layout 3 that its conversion deletes", Noun("zset", PASSING))
    mails = OneKey("mails:", "of each mail in ``outbox:``, since when, and how many attempts", _FACTS)
    mail_status = OneKey(
        "mail-status:", "how many mails ended how: sent nothing refused failed dropped failing failure", _FACTS
    )
    stats = KeyOf(
        "stats:<day>",
        "what was counted on one UTC day: votes comments reports settled wait-<bucket>",
        Noun("hash", PASSING, ("EXPIRE", config.STATISTICS_SECONDS), pair=lambda _, count: values.is_count(count)),
        "after 400 days",
    )
    jobs = OneKey("jobs:", "when each background job was last done, in unix seconds", _FACTS)
    lease = KeyOf("lease:<job>", "which process runs a background job", _EXPIRING, "half a minute after its last step")
    done = KeyOf(
        "done:<token>",
        "the answer of one act, so that sending it again changes nothing",
        Noun("string", PASSING, ("EXPIRE", config.DONE_SECONDS)),
    )
    limit = KeyOfTwo(
        "limit:<kind>-<digest>",
        "the unix time up to which acts of one kind by one member, address or name are used up",
        _EXPIRING,
        "then",
    )
    changes = OneKey(
        "changes:",
        "the articles (``a <id>``), comments (``c <id>.<number>``) and conversations with their articles (``t <id>``)"
        " of which something that is searched has changed, and what was purged (``p <id>`` or ``p <id>.<number>``), "
        "the last 100,000 about",
        Noun("stream", PASSING),
    )
    search_epoch = OneKey(
        "search:", "random characters by which an index of the site knows that it belongs to these data", _FACT
    )
    restoring = OneKey("restoring:", "the unix time at which a restore began that has not ended", _FACT)
    last_backup = OneKey("backup:", "the last good backup: time size", _FACTS)
    schema = OneKey("schema:", "the number of the layout of the data", Noun("string", PASSING, item=values.is_id_text))
    migrating = OneKey("migrating:", "the backup that a migration made before it began to convert", _FACT)

    def combined(self, order: str, names: tuple[str, ...]) -> str:
        """Return the key of the ranking in this *order* of the articles that are in all of several groups."""
        return f"{self.prefix}{values.combined_member(order, names)}"

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
#: The fields and checks of the keys of each noun; the key without an id of COUNTED_NOUNS is the counter of their ids.
NOUNS = {form.noun: form.holds for form in FORMS}
COUNTED_NOUNS = frozenset(form.noun for form in FORMS if form.holds.type != NOUNS[form.noun].type)
#: The types of the keys of each noun; keys of other nouns are another program's.
TYPES = {name: noun.type for name, noun in NOUNS.items()}
#: The nouns whose keys expire, with the command (without its key) for one that does not; all others are for ever.
EXPIRING = {name: noun.expires for name, noun in NOUNS.items() if noun.expires is not None}
#: The patterns of the keys of each noun, without a prefix.
_PATTERNS = {
    noun: re.compile("|".join(form.pattern() for form in FORMS if form.noun == noun))
    for noun in {form.noun for form in FORMS}
}


def keys_owned_by(keys: Keys, owner: str, name: int | str) -> list[str]:
    """Return the keys that make no sense without that of the *owner*, a noun, and this *name*."""
    return [f"{keys.prefix}{noun}:{name}" for noun, kind in NOUNS.items() if kind.owner == owner]


def key_type(keys: Keys, key: str) -> str | None:
    """Return the type that *key* must have; None for a key of another program."""
    noun, name = keys.split(key)
    return "string" if noun in COUNTED_NOUNS and not name else TYPES.get(noun)
