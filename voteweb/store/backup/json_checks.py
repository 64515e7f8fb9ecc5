"""Checks of values that are stored as JSON: a page that shows one may take its fields for texts."""

import json
from collections.abc import Mapping

from voteweb.core import validation
from voteweb.core.models import DomainAction, Reason
from voteweb.store import site_switches
from voteweb.store.backup.hash_checks import LOG_ENTRY, OWN_ARTICLE
from voteweb.store.backup.value_checks import (
    MAX_TEXT_LENGTH,
    Check,
    are_group_names,
    is_note,
    is_time,
    one_of,
    stored_by,
)
from voteweb.store.moderation_log import unpack

_ACT: dict[str, Check] = {"by": validation.is_member_name, "time": is_time}
_REPORT = _ACT | {"reason": one_of(Reason), "note": is_note}
_NOTE = _ACT | {"text": stored_by(validation.member_note)}
_RULE = _ACT | {"action": one_of(DomainAction), "why": is_note}
_EARLIER_VERSION = {name: OWN_ARTICLE[name] for name in ("title", "link", "text")} | {
    "groups": are_group_names,
    "time": is_time,
    "by": one_of(["poster", "moderator"]),
}


def is_report(stored: str) -> bool:
    return _passes(stored, _REPORT)


def is_member_note(id: str, stored: str) -> bool:
    return id.isalnum() and id.isascii() and len(id) <= 32 and _passes(stored, _NOTE)


def is_domain_rule(domain: str, stored: str) -> bool:
    return validation.is_rule_domain(domain) and _passes(stored, _RULE)


def is_switch(name: str, stored: str) -> bool:
    return _passes(stored, _ACT) and site_switches.is_switch(name, stored)


def is_earlier_version(stored: str) -> bool:
    return _passes(stored, _EARLIER_VERSION)


def is_packed_entry(stored: str) -> bool:
    """Tell whether *stored* is an act in the log, or the place of an id that no act has."""
    fields = unpack(stored) if len(stored) <= MAX_TEXT_LENGTH else {}
    is_whole = {"kind", "who", "time"} <= fields.keys()
    return not stored or (is_whole and all(LOG_ENTRY[name](text) for name, text in fields.items() if name in LOG_ENTRY))


def _passes(stored: str, checks: Mapping[str, Check]) -> bool:
    """Tell whether *stored* is an object with a text that passes for each of *checks*; a time may be a number."""
    try:
        fields = json.loads(stored) if len(stored) <= MAX_TEXT_LENGTH else None
    except (ValueError, RecursionError):
        return False
    if not isinstance(fields, dict):
        return False
    if isinstance(time := fields.get("time"), int | float):
        fields["time"] = str(time)
    return all(isinstance(fields.get(name), str) and check(fields[name]) for name, check in checks.items())
