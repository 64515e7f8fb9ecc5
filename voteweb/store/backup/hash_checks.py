"""The checks of the fields of hashes, in records of a backup and in copies of whole keys."""

import re
from collections.abc import Mapping

from voteweb.core import config, links, mail, passwords, validation
from voteweb.core.models import ArticleStatus, LogAction, Role
from voteweb.core.recovery_codes import is_stored
from voteweb.store.backup.value_checks import (
    Check,
    are_group_names,
    is_count,
    is_foreign_name,
    is_id_text,
    is_note,
    is_time,
    line_of,
    one_of,
    stored_by,
    text_of,
)
from voteweb.store.digests import is_digest

#: Groups of one article: VOTEWEB_MAX_GROUPS may be high, and each group takes 300 bytes.
MAX_ARTICLE_GROUPS = 100
#: The name and the password in a link, which earlier versions took: pages do not show such a link.
_USER_INFO = re.compile(r"(?<=//)[^/?#]*@")
_BAN_REMOVAL = re.compile(r"[0-9]{1,15} (removing|removed|restoring) ([0-9]{1,11}|-) ([0-9]{1,11}|-)")
_LANGUAGE = re.compile(r"[A-Za-z-]{0,20}")


def is_actor(name: str) -> bool:
    """Tell whether *name* is that of a member, or of the operator."""
    return name == config.COMMAND_LINE or validation.is_member_name(name)


def is_author(name: str) -> bool:
    """Tell whether *name* is that of a member, or stands for one who left or whose words are deleted."""
    return name in ("", config.DELETED_MEMBER) or validation.is_member_name(name)


def _is_link(link: str) -> bool:
    return validation.accepts(validation.link, _USER_INFO.sub("", link, count=1))


def _is_foreign_link(link: str) -> bool:
    """Tell whether another program's *link* is one to a page, or none: nothing that a browser would run."""
    return bool(links.web_address(link)) or ":" not in link.partition("/")[0]


def article_checks(fields: Mapping[str, str]) -> Mapping[str, Check]:
    """Return the checks for an article with these *fields*: without a base, a program after the book has written it."""
    return _ARTICLE | OWN_ARTICLE if "base" in fields else _ARTICLE


_ARTICLE: dict[str, Check] = {
    "link": _is_foreign_link,
    "poster": is_foreign_name,
    "time": is_time,
    "closes": is_id_text,
    "edited": is_time,
    "votes": is_count,
    "base": is_count,
    "revision": lambda text: is_count(text) and not text.startswith("-"),
    "comments": is_count,
    "removed-by": is_id_text,
    "was-held": one_of(["1"]),
    "released": one_of(["1"]),
    "gone": one_of([ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD]),
    "groups": lambda names: len(names.split()) <= MAX_ARTICLE_GROUPS and are_group_names(names),
    "reason": is_note,
    "answer": is_note,
    "answered": is_time,
}
OWN_ARTICLE: dict[str, Check] = {
    "title": line_of(config.MAX_TITLE_LENGTH),
    "link": _is_link,
    "text": text_of(config.MAX_TEXT_LENGTH),
    # A repair gives a base to an article of a program after the book.
    "poster": lambda name: is_author(name) or (name.startswith("user:") and is_foreign_name(name)),
}
MEMBER: dict[str, Check] = {
    "id": is_id_text,
    "name": validation.is_member_name,
    "password": lambda stored: not stored or passwords.is_hash(stored),
    "role": one_of(Role),
    "since": is_time,
    "session": validation.is_submission_token,
    "banned": is_time,
    "banned-until": is_time,
    "ban-reason": is_note,
    "ban-removal": lambda stored: _BAN_REMOVAL.fullmatch(stored) is not None,
    "left": is_time,
    "leaving": one_of(["keep", "delete"]),
    "voted": is_time,
    "invited-by": validation.is_member_name,
    "signed-up": is_time,
    "held": is_time,
    "request": is_note,
    "inbox-feed": is_digest,
    "saved-feed": is_digest,
    "my": is_time,
    "front": one_of(["", "my"]),
    "recovery": is_stored,
    "recovered": is_time,
    "email-language": lambda code: _LANGUAGE.fullmatch(code) is not None,
    **mail.FIELD_CHECKS,
}
INVITATION: dict[str, Check] = {
    "by": validation.is_member_name,
    "until": is_time,
    "used": validation.is_member_name,
    "revoked": one_of(["1"]),
}
GROUP: dict[str, Check] = {
    "title": stored_by(validation.group_title),
    "description": stored_by(validation.group_description),
}
LOG_ENTRY: dict[str, Check] = {
    "kind": one_of(LogAction),
    "who": is_actor,
    "time": is_time,
    "about": is_foreign_name,
    "article": is_id_text,
    "why": is_note,
    "added": are_group_names,
    "removed": are_group_names,
    "undoes": is_id_text,
    "undone": one_of(["1"]),
    "comment": is_id_text,
    "articles": is_id_text,
    "comments": is_id_text,
    "until": is_time,
}
