"""Every key in Redis, spelled once: ``noun:`` or ``noun:id``, with its type, meaning and lifetime.

The names are those of *Redis in Action*, chapter 1. The README's table is tested against this module: each
public function that ends in a key is described as "A type: meaning; lifetime."
An article and its voters would share a slot of a later cluster, the rankings another; nothing here depends on it.
"""

import re

ARTICLE = "article:"
#: Every key there may be: nouns of one key, of numbers (and the counter), of names (and the whole site's), of names.
_GRAMMAR = re.compile(
    r"(?:good|groups|reports|log|leaving|imported|restoring):"
    r"|(?:article|log-entry):[0-9]*"
    r"|(?:voted|report):[0-9]+"
    r"|(?:time|score|user):[^:]*"
    r"|(?:group|group-info|posted|gone|link|reported|log-by|log-kind|log-about|invite|invites|reset|once|limit):[^:]+"
)


def articles_count() -> str:
    """A string: the last article id given out; for ever."""
    return ARTICLE


def article(id: int | str) -> str:
    """A hash: one article: title link text poster time votes base groups edited gone reason; for ever."""
    return f"{ARTICLE}{id}"


def voted(id: int | str) -> str:
    """A set: the numeric ids of an article's voters; expires an hour after its voting time."""
    return f"voted:{id}"


def by_time() -> str:
    """A sorted set: all articles by publish time in unix seconds; for ever."""
    return "time:"


def by_score() -> str:
    """A sorted set: all articles by score in seconds; for ever."""
    return "score:"


def good() -> str:
    """A sorted set: the good articles by publish time in unix seconds; for ever."""
    return "good:"


def groups() -> str:
    """A set: the names of all groups; for ever."""
    return "groups:"


def group_info(name: str) -> str:
    """A hash: one group: title description; for ever."""
    return f"group-info:{name}"


def group(name: str) -> str:
    """A set: the articles of one group; for ever."""
    return f"group:{name}"


def group_by_time(name: str) -> str:
    """A sorted set: the articles of one group by publish time, kept up by every write; for ever."""
    return f"time:{name}"


def group_by_score(name: str) -> str:
    """A sorted set: the articles of one group by score, kept up by every write; for ever."""
    return f"score:{name}"


def combined(order: str, names: tuple[str, ...]) -> str:
    """A sorted set: the articles that are in all of several groups (``a+b``), and one mark; 60 seconds."""
    return f"{order}:{'+'.join(names)}"


def users_count() -> str:
    """A string: the last user id given out; for ever."""
    return "user:"


def user(name: str) -> str:
    """A hash: one member: id name password role since session banned ban-reason left leaving invited-by; for ever."""
    return f"user:{name.lower()}"


def posted(name: str) -> str:
    """A sorted set: the articles of one member, by the name in lower case, by publish time; for ever."""
    return f"posted:{name.lower()}"


def gone(name: str) -> str:
    """A sorted set: the deleted and removed articles of one member, by publish time; for ever."""
    return f"gone:{name.lower()}"


def link(digest: str) -> str:
    """A sorted set: the listed articles with one link, by publish time; 30 days after the newest."""
    return f"link:{digest}"


def reports() -> str:
    """A sorted set: the articles with open reports, by their number; for ever."""
    return "reports:"


def report(id: int | str) -> str:
    """A hash: the open reports of one article, by member; until they are settled."""
    return f"report:{id}"


def reported(name: str) -> str:
    """A hash: what one member reported, by article, so that nobody reports twice; for ever."""
    return f"reported:{name.lower()}"


def log_count() -> str:
    """A string: the last log entry's id given out; for ever."""
    return "log-entry:"


def log_entry(id: int | str) -> str:
    """A hash: one act in the log: kind who time about article title why added removed undoes undone; for ever."""
    return f"log-entry:{id}"


def log() -> str:
    """A sorted set: all acts in the log, by time; for ever."""
    return "log:"


def log_by(who: str) -> str:
    """A sorted set: the acts of one moderator, by time; for ever."""
    return f"log-by:{who.lower()}"


def log_kind(kind: str, who: str = "") -> str:
    """A sorted set: the acts of one kind (``kind``, or ``kind+moderator``: of one moderator), by time; for ever."""
    return f"log-kind:{kind}" + (f"+{who.lower()}" if who else "")


def log_about(name: str) -> str:
    """A sorted set: the acts about one member, by time; for ever."""
    return f"log-about:{name.lower()}"


def invite(token: str) -> str:
    """A hash: one invitation: by until used revoked; for ever."""
    return f"invite:{token}"


def invites(name: str) -> str:
    """A sorted set: the invitations one member made, by their end; for ever."""
    return f"invites:{name.lower()}"


def reset(digest: str) -> str:
    """A string: the member who may set a new password with a link of this digest; a day."""
    return f"reset:{digest}"


def leaving() -> str:
    """A set: the members whose accounts are being deleted; until they are."""
    return "leaving:"


def once(member: int | str, token: str) -> str:
    """A string: the article that a member's sent form became; a day."""
    return f"once:{member}-{token}"


def limit(kind: str, digest: str) -> str:
    """A string: the unix time up to which acts of one kind by one member, address or name are used up; until then."""
    return f"limit:{kind}-{digest}"


def imported() -> str:
    """A set: digests of all imported rows, so that none is imported twice; for ever."""
    return "imported:"


def restoring() -> str:
    """A string: the unix time at which a restore began that has not ended; until it ends."""
    return "restoring:"


def is_ours(key: str) -> bool:
    """Tell whether *key* is one that this module could spell."""
    return _GRAMMAR.fullmatch(key) is not None


def article_id(member: str) -> int:
    """Return the id in a ranking's member ``article:<id>``; raise ValueError when it is none."""
    prefix, _, number = member.partition(":")
    if prefix != "article" or not number.isascii() or not number.isdigit():
        raise ValueError(member)
    return int(number)
