"""Spell, read and check single stored values, by the rules of the forms.

Members of sets and rankings, and stored values, never carry the prefix of a site.

Taste is left out of what members write: a title or a name that would be refused in a new post is no fault. What has
never been stored is one: an address of another kind, a character that turns the direction of a text.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from hashlib import blake2b, sha256
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from voteweb.core import config, links, passwords, validation
from voteweb.core.comments import AccountChange, CommentId, NoticeKind
from voteweb.core.models import (
    DomainAction,
    DomainRule,
    Note,
    PlannedMerge,
    Program,
    Reason,
    Report,
    Right,
)
from voteweb.core.my_site import HiddenKind, parse_hidden
from voteweb.core.names import INVISIBLE_LETTERS, only_visible
from voteweb.core.settings_in_force import RESCORED, RESCORING, SINCE, SITE_ID, is_stored_setting
from voteweb.core.site_switches import Switch, SwitchName, checked_value, switches

T = TypeVar("T")
Check = Callable[[str], bool]
#: A check of a field of a hash with its value.
PairCheck = Callable[[str, str], bool]
#: Ids are counted from 1: nobody posts more than this.
MAX_ID = 2**53
#: Characters of names of any program, of texts, and of all other values.
MAX_NAME_LENGTH, MAX_TEXT_LENGTH, MAX_VALUE_LENGTH = 100, 10 * config.MAX_TEXT_LENGTH, 10_000
#: Groups of one article: VOTEWEB_MAX_GROUPS may be high, and each group takes 300 bytes.
MAX_ARTICLE_GROUPS = 100
#: Buckets of imported rows of one site. Redis keeps whole numbers compact up to set-max-intset-entries, 512 unless set:
#: two million rows in all, and 33 million with the 8192 that we advise. A bucket with more takes 60 bytes per row.
BUCKETS = 4_096
_SIGNED_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_ARTICLE, _INVITATION, _COMMENT = "article:", "invite:", "comment:"
#: The spelling of a comment: ids and numbers of Redis's own counters have 19 digits at most.
_COMMENT_ID = re.compile(r"[1-9][0-9]{0,18}\.[1-9][0-9]{0,18}")
#: The member of a ranking by votes that has the value of the best article it left out, and stands below all articles.
LEFT_OUT = "-"
#: Members of rankings that stand for no article.
_MARKERS = frozenset((LEFT_OUT, "whole", "bounded"))
_TIME = re.compile(r"[0-9]{1,11}(\.[0-9]{1,8})?")
_PROGRAM = re.compile(r"([0-9]{1,11}),([0-9]{1,11}),([0-9]{1,11}),([a-z ]{1,60}),([^\n]{1,100})")
_HEX_16 = re.compile(r"[0-9a-f]{16}")
#: A link that a form took, earlier ones also with a name and a password: pages do not show such a link.
_POSTED_LINK = re.compile(rf"(?=.{{,{config.MAX_LINK_LENGTH}}}\Z)https?://[^/?# \\][^ \\]*", re.IGNORECASE)
#: The characters of texts that are not seen: line ends, also of other programs, and tabs.
_LINE_ENDS = str.maketrans("", "", "\n\t\u2028\u2029")


def combined_member(order: str, names: tuple[str, ...]) -> str:
    """Return the member that stands for a combined ranking: its key without the prefix."""
    return f"{order}:{'+'.join(names)}"


def article_member(id: int | str) -> str:
    """Return the member that stands for an article in sets and rankings."""
    return f"{_ARTICLE}{id}"


def article_of(member: str) -> int | None:
    """Return the id in ``article:<id>``, None when *member* does not stand for an article."""
    id = whole_number(member.removeprefix(_ARTICLE), 19)
    return id if id is not None and article_member(id) == member else None


def is_article(member: str) -> bool:
    return article_of(member) is not None


def articles_of(members: Iterable[str]) -> list[int]:
    """Return the ids of the articles among *members*: another program may have put something else there."""
    return [id for id in map(article_of, members) if id is not None]


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


def posted_of(member: str) -> int | CommentId | None:
    """Return the article or comment for which *member* stands, None if it stands for none."""
    return article_of(member) or comment_of(member)


def parse_comment(text: str) -> CommentId | None:
    """Return the comment of ``<id>.<number>``, None if *text* is not spelled so."""
    return CommentId(*map(int, text.split("."))) if _COMMENT_ID.fullmatch(text) else None


def finite_number(text: str | None) -> float | None:
    """Return the finite number that *text* spells, or None: another program may have stored a text in its place."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if isfinite(number) else None


def is_finite(stored: str) -> bool:
    return finite_number(stored) is not None


def whole_number(text: str | None, digits: int = 16) -> int | None:
    """Return the whole number that *text* spells in so many *digits* at most: with 16 it is exact in scripts too."""
    return int(text) if text and len(text) <= digits and text.isascii() and text.isdigit() else None


def digest_of(text: str) -> str:
    """Return 32 hexadecimal digits that tell *text* from all others, and from which nobody learns it."""
    return sha256(text.encode()).hexdigest()[:32]


class Fingerprint(NamedTuple):
    """The place of an imported row: its bucket, and a signed number of 64 bits, of which Redis makes integer sets."""

    bucket: int
    member: int


def fingerprint(digest: str) -> Fingerprint:
    """Return the fingerprint of the imported row that *digest* identifies.

    It has 76 bits: 12 name its bucket, 64 are its member there. That a new row has the fingerprint of one of a million
    others has a probability of 1.4e-17; that any two of a million have the same one, of 7e-12.
    """
    hashed = int.from_bytes(blake2b(digest.encode(), digest_size=10).digest(), "big")
    bucket, member = divmod(hashed % (BUCKETS << 64), 1 << 64)
    return Fingerprint(bucket, member - (1 << 63))


def is_bucket(name: str) -> bool:
    return len(name) < 20 and is_member_id(name) and int(name) < BUCKETS


def is_fingerprint(stored: str) -> bool:
    """Tell whether *stored* is a member of a bucket as Redis spells it."""
    return _SIGNED_NUMBER.fullmatch(stored) is not None and -(1 << 63) <= int(stored) < 1 << 63


def stored_by(rule: Callable[[str], str]) -> Check:
    """Return the check of the values that a form with this *rule* stores."""
    return partial(validation.accepts, rule)


def line_of(max_length: int) -> Check:
    """Return the check of a line of at most *max_length* characters that somebody wrote."""
    return lambda text: len(text) <= max_length and _are_visible(text)


def text_of(max_length: int) -> Check:
    """Return the check of a text of at most *max_length* characters that somebody wrote."""
    return lambda text: len(text) <= max_length and _are_visible(text.translate(_LINE_ENDS))


def matching(pattern: str) -> Check:
    """Return the check of a text that is all of this *pattern*."""
    expression = re.compile(pattern)
    return lambda text: expression.fullmatch(text) is not None


def one_of(values: Iterable[str]) -> Check:
    return frozenset(map(str, values)).__contains__


def pair_of(is_name: Check, is_value: Check) -> PairCheck:
    """Return the check of a field whose name and value pass one check each."""
    return lambda name, value: is_name(name) and is_value(value)


def joined(is_first: Check, is_second: Check) -> Check:
    """Return the check of two parts with a hyphen between them."""
    return lambda text: is_first(text.partition("-")[0]) and is_second(text.partition("-")[2])


def _are_visible(text: str) -> bool:
    return text.isprintable() or only_visible(text, lambda c: c if c in INVISIBLE_LETTERS else "") == text


#: A digest of a text that the store must recognize and not know, such as the token of a link.
is_token_digest = matching(r"[A-Za-z0-9_-]{20}")
is_digest = matching(r"[0-9a-f]{32}")
is_count = matching(r"-?[0-9]{1,12}")
#: A number of a comment, or 0.
is_number = matching(r"[0-9]{1,9}")
#: Other versions may keep ten times as many ranges as this one, or have numbers with commas.
is_visit = matching(r"[0-9]{1,15} [0-9]{1,15} [0-9.]{1,20}( [0-9,]*)?( [0-9]{1,9}(-[0-9]{1,9}(@[0-9]{1,15})?)?){0,640}")
#: A name that another program may have chosen, such as user:7.
is_foreign_name = line_of(MAX_NAME_LENGTH)
is_group_name = stored_by(validation.group_name)
#: A reason, or other words of moderators in one line.
is_note = stored_by(validation.note)


def are_group_names(names: str) -> bool:
    return all(map(is_group_name, names.split()))


def are_article_groups(names: str) -> bool:
    return len(names.split()) <= MAX_ARTICLE_GROUPS and are_group_names(names)


def are_changes(words: str) -> bool:
    """Tell whether *words* are what a log entry names: groups, the value of a switch, values of settings."""
    accepts_link = partial(validation.accepts, partial(checked_value, SwitchName.ANNOUNCEMENT))
    return all(
        is_group_name(word) or is_stored_setting(*word.partition("=")[::2]) or accepts_link(word)
        for word in words.split()
    )


def is_id_text(text: str) -> bool:
    return len(text) < 20 and is_member_id(text) and 0 < int(text) <= MAX_ID


def is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None and float(text) < config.MAX_TIME


def is_actor(name: str) -> bool:
    """Tell whether *name* is that of a member, or of the operator."""
    return name == config.COMMAND_LINE or validation.is_member_name(name)


def is_author(name: str) -> bool:
    """Tell whether *name* is that of a member, or stands for one who left or whose words are deleted."""
    return name in ("", config.DELETED_MEMBER) or validation.is_member_name(name)


def is_poster(name: str) -> bool:
    """Tell whether an article with a base may have this poster: a repair gives one to those of other programs."""
    return is_author(name) or (name.startswith("user:") and is_foreign_name(name))


def is_link(link: str) -> bool:
    """Tell whether a form of this or an earlier version took *link*: others may be refused by now."""
    return not link or (_POSTED_LINK.fullmatch(link) is not None and link.isprintable())


def is_foreign_link(link: str) -> bool:
    """Tell whether another program's *link* is one to a page, or none: nothing that a browser would run."""
    return link.lower().startswith(("http://", "https://")) or ":" not in link.partition("/")[0]


def is_password(stored: str) -> bool:
    return not stored or passwords.is_hash(stored)


def is_comment(text: str) -> bool:
    return parse_comment(text) is not None


def is_comment_voter(text: str) -> bool:
    """Tell whether *text* is a number of a comment and the id of a member who voted on it, or 0."""
    return text == "0" or is_id_text(text)


def is_posted(member: str) -> bool:
    """Tell whether *member* is what a form became: an article or a comment."""
    return posted_of(member) is not None


def is_sent(stored: str) -> bool:
    """Tell whether *stored* says what a form became or, with the digest of its body, what a program sent."""
    member, _, body = stored.partition(" ")
    return is_posted(member) and (not body or is_token_digest(body))


def is_program(name: str, stored: str) -> bool:
    """Tell whether *stored* is the field *name* of a member's programs: the session id, or one of them."""
    if name == "of":
        return validation.is_submission_token(stored)
    program = parse_program(name, stored)
    return program is not None and is_token_digest(name) and _are_visible(program.name)


def parse_program(digest: str, stored: str) -> Program | None:
    """Return the program with this *digest* of its token, None if *stored* is none.

    It is "<unix time at which it was made>,<seconds until its last noted use>,<unix time of its end>,<rights>,<name>".
    """
    match = _PROGRAM.fullmatch(stored)
    if match is None or not set(match[4].split()) <= set(Right):
        return None
    made, used, until = (int(match[at]) for at in (1, 2, 3))
    return Program(digest, match[5], tuple(map(Right, match[4].split())), made, until, made + used)


def format_program(program: Program) -> str:
    """Return what is stored of *program*."""
    made = int(program.made)
    return f"{made},{int(program.used) - made},{int(program.until)},{' '.join(program.rights)},{program.name}"


def is_any(text: str) -> bool:
    return len(text) <= MAX_VALUE_LENGTH


def is_ranked(member: str) -> bool:
    return is_article(member) or member in _MARKERS


def is_reset(link: str) -> bool:
    """Tell whether *link* is the value of a one-time link: a member, and for which password and address it was made."""
    name, *states = link.split(" ")
    return validation.is_member_key(name) and 1 <= len(states) <= 2 and all(map(_HEX_16.fullmatch, states))


def is_inbox_entry(text: str) -> bool:
    parts = text.split(" ")
    if len(parts) != 3 or parts[0] not in set(NoticeKind):
        return False
    kind, what, time = parts
    if kind in (NoticeKind.REMOVED, NoticeKind.REPORT, NoticeKind.ROLE, NoticeKind.UNDONE):
        is_known = what.startswith("log-") and is_id_text(what.removeprefix("log-"))
    elif kind == NoticeKind.ACCOUNT:
        change, _, since = what.partition("-")
        is_known = change in set(AccountChange) and is_id_text(since)
    else:
        is_known = is_comment(what)
    return is_known and is_time(time)


_HIDDEN: dict[HiddenKind, Check] = {
    HiddenKind.GROUP: is_group_name,
    HiddenKind.DOMAIN: links.is_domain,
    HiddenKind.MEMBER: validation.is_member_key,
}


def is_hidden_entry(entry: str) -> bool:
    """Tell whether *entry* could be what a member hides, whether it exists or not."""
    hidden = parse_hidden(entry)
    return hidden is not None and _HIDDEN.get(hidden.kind, is_any)(entry[1:])


def json_object(stored: str | None) -> dict[str, Any]:
    """Return the JSON object that *stored* holds, an empty one for what another program wrote."""
    try:
        fields = json.loads(stored or "{}")
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def object_of(checks: Mapping[str, Check], *, optional: Collection[str] = ()) -> Check:
    """Return the check of a JSON object with a text that passes for each of *checks*, but for *optional* ones.

    A time may be a number.
    """
    absent = dict.fromkeys(optional, "")

    def check(stored: str) -> bool:
        fields = absent | json_object(stored if len(stored) <= MAX_TEXT_LENGTH else None)
        if isinstance(time := fields.get("time"), int | float):
            fields["time"] = str(time)
        return all(isinstance(fields.get(name), str) and is_right(fields[name]) for name, is_right in checks.items())

    return check


_ACT: dict[str, Check] = {"by": validation.is_member_name, "time": is_time}
#: An open report, by the name of a member.
is_report = pair_of(validation.is_member_key, object_of(_ACT | {"reason": one_of(Reason), "note": is_note}))
is_member_note = pair_of(matching(r"[A-Za-z0-9]{1,32}"), object_of(_ACT | {"text": stored_by(validation.member_note)}))
is_domain_rule = pair_of(validation.is_rule_domain, object_of(_ACT | {"action": one_of(DomainAction), "why": is_note}))

is_page_text = object_of(_ACT | {"words": stored_by(validation.text)})
is_planned_merge = pair_of(is_group_name, object_of(_ACT | {"into": is_group_name, "entry": is_id_text}))


def parse_object(stored: str, kind: Callable[..., T], fields: Mapping[str, Callable[[str], Any]]) -> T | None:
    """Return what *kind* makes of these *fields* of a JSON object and of its time.

    None for what another program wrote.
    """
    texts = json_object(stored)
    try:
        values = {name: read(str(texts[name])) for name, read in fields.items()}
        return kind(**values, time=finite_number(str(texts["time"])) or 0.0)
    except (ValueError, LookupError):
        return None


def parse_switch(stored: str) -> Switch | None:
    """Return the switch that *stored* holds, None if it holds none."""
    return parse_object(stored, Switch, {"value": str, "words": str, "by": str})


def parse_rule(domain: str, stored: str) -> DomainRule | None:
    """Return the rule that *stored* holds of a domain, None if it holds none."""
    return parse_object(stored, partial(DomainRule, domain), {"action": DomainAction, "why": str, "by": str})


def parse_planned_merge(name: str, stored: str) -> PlannedMerge | None:
    """Return the planned merge of the group *name* that *stored* holds, None if it holds none."""
    return parse_object(stored, partial(PlannedMerge, name), {"into": str, "by": str, "entry": int})


def parse_report(stored: str) -> Report | None:
    """Return the report that *stored* holds, None if it holds none."""
    return parse_object(stored, Report, {"by": str, "reason": Reason, "note": str})


def parse_note(id: str, stored: str) -> Note | None:
    """Return the note that *stored* holds under its id, None if it holds none."""
    return parse_object(stored, partial(Note, id), {"by": str, "text": str})


def is_site_field(name: str, stored: str) -> bool:
    """Tell whether *stored* is a switch, a setting or the id of the site, or a time of a change of these settings."""
    if name == SITE_ID:
        return _HEX_16.fullmatch(stored) is not None
    if name in (SINCE, RESCORING):
        return is_time(stored)
    if name == RESCORED:
        return is_count(stored)
    return is_stored_setting(name, stored) or is_switch(name, stored)


def is_switch(name: str, stored: str) -> bool:
    """Tell whether *stored* sets the switch *name*."""
    switch = parse_switch(stored) if name in set(SwitchName) and object_of(_ACT)(stored) else None
    return switch is not None and bool(switches({SwitchName(name): switch}))
