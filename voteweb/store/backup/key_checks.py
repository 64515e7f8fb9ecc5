"""Check whole keys of a backup: their types, their expiry, and what they hold."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from voteweb.core import validation
from voteweb.core.config import MAX_COMMENT_LENGTH
from voteweb.store.backup import hash_checks
from voteweb.store.backup.comment_checks import is_inbox_entry, is_thread_field, is_visit
from voteweb.store.backup.json_checks import (
    is_domain_rule,
    is_earlier_version,
    is_member_note,
    is_packed_entry,
    is_report,
    is_switch,
)
from voteweb.store.backup.records import Key
from voteweb.store.backup.value_checks import (
    MAX_ID,
    MAX_TEXT_LENGTH,
    Check,
    hash_faults,
    is_count,
    is_expiry,
    is_foreign_name,
    is_group_name,
    is_id_text,
    is_reset,
    shown,
    text_of,
    value_faults,
)
from voteweb.store.key_types import COUNTED_NOUNS, EXPIRING, TYPES
from voteweb.store.keys import LEFT_OUT, is_article, parse_comment
from voteweb.store.my_site import is_entry
from voteweb.store.scanner import finite_number

_HEX = re.compile(r"([0-9a-f]{2})*")
#: Members of rankings that stand for no article.
_MARKERS = frozenset((LEFT_OUT, "whole", "bounded"))
_HASHES: dict[str, Mapping[str, Check]] = {
    "user": hash_checks.MEMBER,
    "invite": hash_checks.INVITATION,
    "group-info": hash_checks.GROUP,
    "log-entry": hash_checks.LOG_ENTRY,
}


def _is_ranked(member: str) -> bool:
    return is_article(member) or member in _MARKERS


def _is_comment(text: str) -> bool:
    return parse_comment(text) is not None


#: The check of a member, an item or a string, or of the value of each field of a hash.
_VALUES: dict[str, Check] = {
    **dict.fromkeys(("time", "score", "good", "posted", "gone", "held-articles", "answers", "link"), _is_ranked),
    **dict.fromkeys(("top", "top-day", "top-group", "top-of", "domain", "group", "open-votes"), _is_ranked),
    **dict.fromkeys(("groups", "follows"), is_group_name),
    **dict.fromkeys(("users", "admins", "held", "leaving", "ban-removals"), validation.is_member_key),
    **dict.fromkeys(("network", "inbox-feed", "saved-feed"), validation.is_member_key),
    **dict.fromkeys(("comments", "commented", "reported-comments"), _is_comment),
    **dict.fromkeys(("log", "log-by", "log-kind", "log-about", "reported", "schema"), is_id_text),
    **dict.fromkeys(("inbox", "unread"), is_inbox_entry),
    **{noun: partial(is_entry, noun) for noun in ("hides", "saved")},
    "log-entries": is_packed_entry,
    "reset": is_reset,
    "seen": is_visit,
    "stats": is_count,
    "voted": is_foreign_name,
    "was": is_earlier_version,
    "words": text_of(MAX_COMMENT_LENGTH),
}
#: The check of each field of a hash with its value.
_PAIRS: dict[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(
        ("report", "comment-report"), lambda name, text: validation.is_member_key(name) and is_report(text)
    ),
    "domain-rules": is_domain_rule,
    "group-aliases": lambda alias, group: is_group_name(alias) and is_group_name(group),
    "notes": is_member_note,
    "site": is_switch,
    "thread": is_thread_field,
}


def key_faults(record: Key) -> Iterator[str]:
    """Yield what is wrong with a key, as far as it is the same in each layout that can be converted."""
    what, items = f"the key {shown(record.name)}", record.items
    noun, _, name = record.name.partition(":")
    is_counter = not name and noun in COUNTED_NOUNS
    type = "string" if record.type == "bits" else record.type
    is_whole = len(items) == 1 if type == "string" else type in ("set", "list") or len(items) % 2 == 0
    is_whole = is_whole and all(len(item) <= MAX_TEXT_LENGTH for item in items)
    is_whole = is_whole and (record.type != "bits" or _HEX.fullmatch(items[0]) is not None)
    scores = items[1::2] if type == "zset" else ()
    is_whole = is_whole and all(finite_number(score) is not None for score in scores)
    # A ranking of a group that another program keeps for a while, or of several groups.
    may_expire = noun in EXPIRING or (noun in ("time", "score") and name)
    until = record.until is None or (bool(may_expire) and is_expiry(record.until))
    is_right = type == ("string" if is_counter else TYPES.get(noun))
    yield from value_faults(what, type=is_right, until=until, first=record.first <= MAX_ID)
    yield from value_faults(what, items=is_whole)
    if not is_whole or not is_right:
        return
    if type == "hash":
        yield from _hash_faults(what, noun, dict(zip(items[::2], items[1::2], strict=True)))
    elif check := is_id_text if is_counter else _VALUES.get(noun):
        yield from value_faults(what, items=all(map(check, items[::2] if type == "zset" else items)))


def _hash_faults(what: str, noun: str, fields: Mapping[str, str]) -> Iterator[str]:
    if noun == "article":
        yield from hash_faults(what, fields, hash_checks.article_checks(fields))
    elif noun in _HASHES:
        yield from hash_faults(what, fields, _HASHES[noun])
    elif noun in _PAIRS:
        yield from value_faults(what, items=all(_PAIRS[noun](name, value) for name, value in fields.items()))
    elif noun in _VALUES:
        yield from value_faults(what, items=all(map(_VALUES[noun], fields.values())))
