"""The fields of hashes, each with its check and its meaning, and checks of all else that has several parts.

The checks of the doctor and of a restore, and the tables of docs/data.md, are made from here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from voteweb.core import config, mail, my_site, second_factor, validation
from voteweb.core.comments import CommentOrder
from voteweb.core.models import ArticleStatus, Draft, LogAction, Role
from voteweb.core.passwords import is_stored
from voteweb.store.schema import values
from voteweb.store.schema.nodes import STATE, split_node

#: The doctor's reason for leaving a value that nothing replaces.
BY_HAND = "the value is stored nowhere else: a backup may hold it; set the field with HSET"
#: The fields of a conversation in which each comment has its own, by their beginnings.
_FIELD_OF_COMMENT = re.compile(r"(reason:|removed-by:|)([1-9][0-9]{0,8})")


class End(StrEnum):
    """The ends of fields: the act after which no word of a field is left.

    DELETION is that of the article, comment or group, ACCOUNT that of the member's account, PURGE that of an article by
    the operator. ACT is the act of a moderator that overrules the one that the words explain. NEVER: the words stay.
    """

    DELETION = "deletion"
    ACCOUNT = "account"
    PURGE = "purge"
    ACT = "act"
    NEVER = "never"


class Field(NamedTuple):
    """A field of a hash: what it may hold, its meaning, whether it must be there, and what replaces a lost value.

    Nothing replaces it if that is None. ``ends`` is what ends it, None for a field that lasts as long as the hash: no
    words that people wrote. ``own`` is the stricter check of an article with a base: without one, a program after the
    book has written it.
    """

    check: values.Check
    meaning: str
    required: bool = False
    lost: str | None = None
    ends: End | None = None
    own: values.Check | None = None


def ended_by(end: End, table: Mapping[str, Field]) -> tuple[str, ...]:
    """Return the names of the fields of *table* that *end* ends."""
    return tuple(name for name, field in table.items() if field.ends is end)


#: The words of an article: members post and edit them, a moderator sees those of its earlier versions, and its poster
#: finds them in the download. ``Draft`` in ``voteweb/core/models.py`` has each, and the groups.
ARTICLE_WORDS = {
    "title": Field(
        values.is_any,
        "what was posted; empty once the article is deleted",
        required=True,
        ends=End.DELETION,
        own=values.line_of(config.MAX_TITLE_LENGTH),
    ),
    "link": Field(values.is_foreign_link, "the same; may be empty", ends=End.DELETION, own=values.is_link),
    "text": Field(
        lambda _: True,
        "the same; may be empty or absent",
        ends=End.DELETION,
        own=values.text_of(config.MAX_TEXT_LENGTH),
    ),
}
is_earlier_version = values.object_of(
    {name: field.check for name, field in ARTICLE_WORDS.items()}  # also of another program's article
    | {"groups": values.are_group_names, "time": values.is_time, "by": values.matching("poster|moderator|[0-9]{1,15}")},
    optional=[name for name, field in ARTICLE_WORDS.items() if not field.required],
)
ARTICLE_FIELDS = ARTICLE_WORDS | {
    "poster": Field(values.is_foreign_name, "the poster's name, or `[deleted]`", own=values.is_poster),
    "time": Field(values.is_time, "publish time; no two articles posted here have the same", required=True),
    "votes": Field(values.is_count, "the number of votes that pages show"),
    "base": Field(
        values.is_count,
        "votes that have no voter in `voted:<id>`, such as imported ones; −1 if the poster's own vote does not count",
    ),
    "closes": Field(
        values.is_id_text,
        "time at which voting ends, in whole seconds; where a program after the book has stored none, `time` + "
        "`VOTEWEB_VOTING_SECONDS`",
    ),
    "groups": Field(values.are_article_groups, "names of its groups, separated by spaces"),
    "edited": Field(values.is_time, "time of the last edit; absent if never edited"),
    "revision": Field(
        values.matching(r"[0-9]{1,12}"),
        "number of changes of title, link, text or groups; absent if there was none. The form that edits the article "
        "carries it, so that it cannot undo what somebody else has changed since",
    ),
    "comments": Field(
        values.is_count, "the number of its comments that anybody can read; absent if there never was one"
    ),
    "gone": Field(
        values.one_of(set(ArticleStatus) - {ArticleStatus.LISTED}),
        "`deleted`, `removed`, or `held` while it waits for a moderator, in no list; absent while it is listed",
    ),
    "reason": Field(values.is_note, "the moderator's reason of a removal", ends=End.DELETION),
    "answer": Field(
        values.is_note,
        "what its poster answered to the removal, or to edits by others, once; absent if nothing, and once that is "
        "no more",
        ends=End.DELETION,
    ),
    "answered": Field(values.is_time, "time of that answer while no moderator has looked at it; absent otherwise"),
    "hidden-title": Field(
        values.is_any,
        "the title that a removal has hidden, which only its poster and moderators read: `title` is empty meanwhile; "
        "after a restore, both are there until the log has its titles back; empty once such an article is deleted, "
        "absent otherwise",
        ends=End.DELETION,
        own=values.line_of(config.MAX_TITLE_LENGTH),
    ),
    "was-held": Field(
        values.one_of(["1"]),
        "`1` if it waited for a moderator until it was removed: a restore lets it wait again; absent otherwise",
    ),
    "released": Field(
        values.one_of(["1"]),
        "`1` if it waited until a moderator published it: its poster can no longer edit it; absent otherwise",
    ),
    "no-group": Field(
        values.one_of(["1"]),
        "`1` if a moderator decided that no group fits: it is not offered for sorting; absent otherwise, and once it "
        "is in a group",
    ),
    "as-posted": Field(
        lambda stored: not stored or is_earlier_version(stored),
        "what its poster had last, as in `was:<id>`, once somebody else has edited these words; absent or empty if "
        "nobody has, and once they are back",
        ends=End.DELETION,
    ),
    "removed-by": Field(
        values.is_id_text,
        "id of the log entry of the ban that removed it, which restores it if that is undone; absent otherwise",
    ),
    "program": Field(values.one_of(["1"]), "`1` if a program posted it, or edited it for its poster; absent otherwise"),
}
#: Those of an article with a base.
OWN_ARTICLE_FIELDS = {name: field._replace(check=field.own or field.check) for name, field in ARTICLE_FIELDS.items()}
MEMBER_FIELDS = {
    "id": Field(
        values.is_id_text,
        "number, never given out twice; the value that stands for the member in the sets `voted:<id>`",
        required=True,
    ),
    "name": Field(validation.is_member_name, "the name as typed", required=True),
    "role": Field(values.one_of(Role), "`member`, `moderator` or `admin`", required=True, lost=Role.MEMBER),
    "since": Field(values.is_time, "time of joining", required=True),
    "password": Field(values.is_password, "argon2 hash; empty: this account cannot log in", required=True, lost=""),
    "session": Field(
        validation.is_submission_token,
        "session id of the member, which the cookies of all their sessions repeat; a new one ends all of them",
    ),
    "banned": Field(values.is_time, "time of the ban, 0 for none"),
    "ban-reason": Field(values.is_note, "its reason", ends=End.ACT),
    "banned-until": Field(
        values.is_time,
        "time at which the ban ends by itself; absent: it stays until it is lifted. Every check compares it with the "
        "clock, so that an ended ban is none without being taken out",
    ),
    "ban-answer": Field(
        values.is_note,
        "what the member answered to the ban, once; absent if nothing, and after the ban",
        ends=End.ACCOUNT,
    ),
    "ban-answered": Field(
        values.is_time, "time of that answer while no moderator has looked at it; absent otherwise", ends=End.ACCOUNT
    ),
    "ban-removal": Field(
        values.matching(r"[0-9]{1,15} (removing|removed|restoring) ([0-9]{1,11}|-) ([0-9]{1,11}|-)( votes)?"),
        "what the ban removes: `<log id> <state> <articles from> <comments from>`, and ` votes` if it takes votes "
        "back. The state is `removing`, `removed` or `restoring`, the others are unix times, or `-`. A later ban that "
        "removes something too replaces it",
        ends=End.ACCOUNT,
    ),
    "left": Field(values.is_time, "time of the account's deletion"),
    "leaving": Field(values.one_of(["keep", "delete"]), "what happens to its articles then: `keep` or `delete`"),
    "voted": Field(
        values.is_time,
        "time of the member's last vote on an article, or of the last one taken back; a worker remembers own votes "
        "until another one changes it",
    ),
    "invited-by": Field(validation.is_member_name, "name of the inviter"),
    "signed-up": Field(
        values.is_time, "time of signing up on the site; absent if the operator or an import made the member"
    ),
    "recovery": Field(
        is_stored,
        "eight digits that tell which secret key made the digests, then a keyed digest of each recovery code that is "
        "left; empty or absent for none",
        lost="",
        ends=End.ACCOUNT,
    ),
    "recovered": Field(
        values.is_time, "the unix time at which a recovery code was last used; absent for never", ends=End.ACCOUNT
    ),
    "second-factor": Field(
        second_factor.is_stored,
        "`<nonce> <step>`: random characters, from which only the secret key of the site makes the secret of the "
        "member's app, and the number of the 30 seconds of the last code that was accepted; absent for none",
        ends=End.ACCOUNT,
    ),
    "inbox-feed": Field(
        values.is_digest, "the digest in the key `inbox-feed:<digest>` of the feed of the inbox; absent for none"
    ),
    "saved-feed": Field(values.is_digest, "the same of the feed of the articles saved for later"),
    "my": Field(
        values.is_time,
        "the time at which the member last followed, hid or saved something or took it back, by which processes know "
        "whether what they have read of it is still true; absent if there never was any",
    ),
    "front": Field(
        values.one_of(["", "my"]),
        "`my`: the front page shows the member the groups they follow; absent or empty: all articles",
        lost="",
        ends=End.ACCOUNT,
    ),
    "theme": Field(
        values.one_of(my_site.THEMES),
        "`light` or `dark`: the colours of pages that the member gets; absent or empty: those of the system",
        lost="",
        ends=End.ACCOUNT,
    ),
    "order": Field(
        values.one_of(CommentOrder),
        "`score`, `time` or `new`: the order in which the member reads conversations; absent: `score`",
        lost=CommentOrder.SCORE,
        ends=End.ACCOUNT,
    ),
    "about": Field(
        values.stored_by(validation.about),
        "what the member says about themselves, as Markdown; absent for nothing",
        ends=End.ACCOUNT,
    ),
    "about-reported": Field(
        values.is_time,
        "time of the report of these lines that waits for a moderator; 0 once one has left them as they are; absent if "
        "nobody has reported them",
        ends=End.ACCOUNT,
    ),
    "email": Field(
        mail.FIELD_CHECKS["email"],
        "the address that the member has confirmed; absent or empty for none",
        lost="",
        ends=End.ACCOUNT,
    ),
    "email-pending": Field(
        mail.FIELD_CHECKS["email-pending"],
        "`<until> <nonce> <address>`: an address to be confirmed, until when, and random characters for its link",
        lost="",
        ends=End.ACCOUNT,
    ),
    "email-language": Field(
        values.matching(r"[A-Za-z-]{0,20}"), "the code of the language of mails to the member", ends=End.ACCOUNT
    ),
    "held": Field(
        values.is_time, "time since which the account waits for a moderator; absent once let in", ends=End.ACCOUNT
    ),
    "request": Field(values.is_note, "what its owner wrote to the moderators; absent once let in", ends=End.ACCOUNT),
}
INVITATION_FIELDS = {
    "by": Field(validation.is_member_name, "name of the member who made it", required=True),
    "until": Field(values.is_time, "time at which it ends", required=True),
    "used": Field(validation.is_member_name, "name of the member who used it; absent if nobody has"),
    "revoked": Field(values.one_of(["1"]), "`1` once revoked; absent otherwise"),
}
GROUP_FIELDS = {
    "title": Field(values.stored_by(validation.group_title), "its title", ends=End.DELETION),
    "description": Field(values.stored_by(validation.group_description), "its description", ends=End.DELETION),
}
#: In the order in which an entry of the log stores them: a JSON array of strings, without empty ones at its end.
LOG_FIELDS = {
    "kind": Field(values.one_of(LogAction), "see `LogAction` in `voteweb/core/models.py`", required=True),
    "who": Field(values.is_actor, "name of who acted", required=True),
    "time": Field(values.is_time, "time of the act", required=True),
    "about": Field(values.is_foreign_name, "name of the member concerned"),
    "article": Field(values.is_id_text, "id of the article"),
    "title": Field(values.is_any, "title of the article at that time, or the name of a group", ends=End.PURGE),
    "why": Field(values.is_note, "the reason, or the new role", ends=End.NEVER),
    "added": Field(values.are_changes, "names of groups, or the new value of a switch or of settings"),
    "removed": Field(values.are_changes, "names of groups, or the former values of settings"),
    "undoes": Field(values.is_id_text, "id of another entry"),
    "undone": Field(values.is_id_text, "`1` once undone, or the id of the entry that undid it with other acts"),
    "comment": Field(values.is_id_text, "number of the comment"),
    "articles": Field(values.is_id_text, "how many articles a ban removes"),
    "comments": Field(values.is_id_text, "how many comments a ban removes"),
    "until": Field(values.is_time, "the end of a ban, or the time at which a planned merge begins"),
    "votes": Field(values.is_id_text, "how many votes a ban takes back, or its end gives back"),
    "closed": Field(values.is_id_text, "how many votes the end of a ban cannot give back, since voting has closed"),
    "since": Field(values.is_time, "the time from which on the acts of a member are undone"),
    "acts": Field(values.is_count, "how many of these were undone; absent until all are done"),
    "kept": Field(values.is_count, "how many of these stay"),
    "former": Field(
        values.is_any,
        "what undoing the act brings back: of an edit the `time` of the version in `was:<id>`, of a conversation that "
        "was opened again why it was closed, of a group and of the rule of a domain their fields as JSON, `{}` for no "
        "rule; absent if nothing is needed, and in older entries",
        ends=End.NEVER,
    ),
    "hidden": Field(values.is_any, "the title, in place of `title`, while it is hidden", ends=End.PURGE),
    "program": Field(values.one_of(["1"]), "`1` if a program did it for the moderator"),
}
#: Those of ``thread:<id>`` that are the conversation's own; all others are of its comments.
THREAD_FIELDS = {
    "last": Field(values.is_number, "the highest number given out"),
    "rev": Field(
        values.matching("[0-9]{1,16}"),
        "a number that no other state of the conversation has had, for readers that keep what they have read",
    ),
    "closes": Field(
        values.is_id_text, "the time at which writing and voting end, in whole seconds, stored with the first comment"
    ),
    "closed": Field(values.is_time, "the time since which a moderator has closed it; absent while it is open"),
    "close-reason": Field(values.is_note, "why; absent while it is open", ends=End.ACT),
    "quiet": Field(values.one_of(["1"]), "`1`: the article's poster wants no notice of comments"),
}
#: The parts of the field of a comment, those that have fields of their own, and its text in ``words:<id>``.
COMMENT_FIELDS = {
    "parent": Field(values.is_number, "the number of the comment that it answers, 0 for none", required=True),
    "votes": Field(values.is_count, "the number of votes that pages show", required=True),
    "base": Field(values.is_count, "votes that have no voter in `voted-comments:<id>-<block>`", required=True),
    "time": Field(values.is_time, "time of writing", required=True),
    "state": Field(
        values.matching(STATE),
        "`-`, or letters: `d` deleted, `r` removed, `R` removed with all replies, `q` its author wants no notice of "
        "replies, `e` edited, `p` written or edited by a program; another capital for each name after `@` in its text: "
        "`A` for no member's, `B` for a member's, `C` for one that ends a letter earlier, and so on",
        required=True,
    ),
    "author": Field(values.is_author, "the author's name, empty once it is deleted", required=True),
    "reason": Field(values.is_note, "`reason:<number>`: why a comment was removed", ends=End.DELETION),
    "removed-by": Field(
        values.is_id_text,
        "`removed-by:<number>`: id of the log entry of the ban that removed a comment; absent otherwise",
    ),
    "text": Field(values.text_of(config.MAX_COMMENT_LENGTH), "`<number>` in `words:<id>`: its text", ends=End.DELETION),
}
is_word = values.pair_of(values.is_number, COMMENT_FIELDS["text"].check)


def words_of(article: Draft) -> dict[str, Any]:
    """Return the words of an article, a draft or an earlier version by their fields."""
    return {name: getattr(article, name) for name in ARTICLE_WORDS}


def article_fields(stored: Mapping[str, str]) -> Mapping[str, Field]:
    return OWN_ARTICLE_FIELDS if "base" in stored else ARTICLE_FIELDS


def is_thread_field(name: str, value: str) -> bool:
    """Tell whether a field of a conversation is one of its own, or of a comment in it."""
    match = _FIELD_OF_COMMENT.fullmatch(name)
    if match is None:
        return name not in THREAD_FIELDS or THREAD_FIELDS[name].check(value)
    node = split_node(value) if not match[1] else {match[1].removesuffix(":"): value}
    return node is not None and all(COMMENT_FIELDS[part].check(text) for part, text in node.items())


def pack(fields: Mapping[str, str]) -> str:
    """Return the text that stores an entry of the log with these fields."""
    values = [fields.get(name, "") for name in LOG_FIELDS]
    while values and not values[-1]:
        values.pop()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> dict[str, str]:
    """Return the fields that *text* stores, but empty ones; none for the place of an id that no act has."""
    try:
        values = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return {}
    return {name: value for name, value in zip(LOG_FIELDS, values, strict=False) if value}


def is_packed_entry(stored: str) -> bool:
    """Tell whether *stored* is an act in the log, or the place of an id that no act has."""
    fields = unpack(stored) if len(stored) <= values.MAX_TEXT_LENGTH else {}
    return not stored or not any(faults(LOG_FIELDS, fields))


def faults(fields: Mapping[str, Field], stored: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield each field that is missing with None, and each that holds what it cannot hold with its value."""
    for name, field in fields.items():
        value = stored.get(name)
        if field.required if value is None else not field.check(value):
            yield name, value
