"""A call of every script that writes, on the site of the fixture ``site``."""

import json
from collections.abc import Callable

from tests.store.scripts.call import call
from voteweb.core import links
from voteweb.core.models import LogAction, LogEntry, Order
from voteweb.core.ranking import day_name, day_number
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import script_values
from voteweb.store.site.rate_limits import this_day

LINK = "https://a.example/"
GO = "group:go time:go score:go top-group:go"
#: An imported article is of the year 2096.
IMPORT_TIME = 4e9
IMPORT_DAY = day_name(day_number(IMPORT_TIME))

#: Two rate limits: the first allows 3 acts at once, the second 2.
LIMITED = {"limits": ("few-one", "fewer-one"), "rates": (3, 10, 2, 100)}
NEWCOMER = {"limits": ("new-one", "newday-one"), "rates": (3, 3_600, 6, 14_400)}
VOTE = {
    "action": "cast", "article": 1, "voter_id": 2, "voter": "bob", "session": "session-1", "today": "2026-11-22",
}  # fmt: skip
VOTE_KEYS = "top-day:today score:go top-group:go"
ARTICLE = {
    "article": 9, "words": json.dumps({"title": "A title", "link": LINK}), "link_digest": links.digest(LINK),
    "poster": "ann", "poster_id": 1, "groups": "go",
}  # fmt: skip
WRITE = {
    "article": 3, "parent": 0, "text": "Yes.", "author": "bob", "author_id": 2, "token": "form-0009",
    "today": "2026-11-22", "known_block": 0, "known_poster": "ann", "known_answered": "", "reasons": "[]", **NEWCOMER,
}  # fmt: skip
VOTE_COMMENT = {
    "action": "cast", "article": 3, "number": 1, "block": 0, "voter_id": 2, "voter": "bob", "session": "session-1",
}  # fmt: skip
LOG_ENTRY = LogEntry(LogAction.REMOVE, "mod", about="ann", article=1, title="A title")
INBOXES = "user:ann inbox:ann unread:ann user:eve inbox:eve unread:eve"


def told(keys: Keys) -> str:
    """Return ann, whose comment is answered, and eve, who is named, as those who may be told."""
    reasons = (("ann", "reply article"), ("eve", "mention"))
    return json.dumps([(keys.user(name), keys.inbox(name), keys.unread(name), kinds) for name, kinds in reasons])


def with_key(noun: str, template: str) -> Callable[[Keys], str]:
    """Return what gives the key of a *noun* to a *template*."""
    return lambda keys: template % getattr(keys, noun)("go")


def log_keys(keys: Keys) -> list[str]:
    return script_values(keys, LOG_ENTRY)[1]


#: By the name of the script, with a word about the case if there are several.
CALLS = {
    "commit": call(
        "commit",
        named=lambda keys: [keys.group_info("go"), keys.done("token"), *log_keys(keys), keys.user("mod")],
        done_key=lambda keys: keys.done("token"),
        entry=script_values(Keys(), LOG_ENTRY)[0],
        log_keys=lambda keys: json.dumps(log_keys(keys)),
        actor_key=lambda keys: keys.user("mod"),
        actor_id=5,
        actor_session="",
        role="moderator",
        reads=with_key("group_info", '[["HGET", "%s", "title"]]'),
        replies='["Go"]',
        writes=with_key("group_info", '[["HSET", "%s", "title", "Golang"]]'),
        types=with_key("group_info", '[["%s", "hash"]]'),
        told="[]",
        not_after="",
        when_full=0,
        is_repeated=0,
        added="",
        removed="",
        until_time="",
        former="",
        told_of="",
    ),
    "post_article": call(
        "post_article",
        f"top-day:today domain:a.example {GO}",
        **ARTICLE,
        **NEWCOMER,
        token="form-0009",
        listed_domain="a.example",
        allow_duplicate=0,
    ),
    "cast_vote": call("cast_vote", VOTE_KEYS, **VOTE),
    "cast_vote with a limit": call("cast_vote", VOTE_KEYS, **VOTE, **LIMITED),
    "cast_vote to take back": call(
        "cast_vote", VOTE_KEYS, **VOTE | {"action": "take-back", "article": 2}, good_votes=2
    ),
    "cast_vote by a ban": call(
        "cast_vote",
        f"{VOTE_KEYS} revoked-votes:bob",
        **VOTE | {"action": "take-back", "article": 2, "ban": "7 removing", "digest": ""},
    ),
    "note_visit": call("note_visit", name="bob", article=1, root=0, page=1, goes_on=0, block=0, fields=("title",)),
    "note_shown": call("note_shown", name="bob", article=3, numbers="1 2"),
    "import_article": call(
        "import_article",
        f"top-day:{IMPORT_DAY} domain:a.example {GO}",
        **ARTICLE,
        domain="a.example",
        bucket=7,
        row=-7,
        wanted_time=IMPORT_TIME,
        votes=7,
    ),
    "import_comment": call(
        "import_comment",
        article=3,
        number=5,
        block=0,
        parent=0,
        text="From elsewhere.",
        poster="Ann",
        time=1.5e9,
        votes=7,
        bucket=7,
        row=-7,
        numbered_bucket=8,
        numbered_row=-8,
        answered_bucket=9,
        answered_row=-9,
    ),
    "write_comment": call("write_comment", **WRITE),
    "write_comment in a new conversation": call("write_comment", **WRITE | {"article": 2}),
    "write_comment as an answer": call(
        "write_comment", INBOXES, **WRITE | {"parent": 1, "known_answered": "ann", "reasons": told}
    ),
    "vote_comment": call("vote_comment", **VOTE_COMMENT),
    "vote_comment with a limit": call("vote_comment", **VOTE_COMMENT, **LIMITED),
    "vote_comment to take back": call("vote_comment", **VOTE_COMMENT | {"action": "take-back", "number": 4}),
    "vote_comment by a ban": call(
        "vote_comment",
        "revoked-votes:bob",
        **VOTE_COMMENT | {"action": "take-back", "number": 4, "ban": "7 removing", "digest": ""},
    ),
    "use_session": call("use_session", name="bob", session="session-1", checked=""),
    "use_session with the password": call(
        "use_session", name="bob", session="session-1", digest="fresh", checked="checked"
    ),
    "repair_top": call("repair_top", ranking=lambda keys: keys.top(), MAX_RANKED=1),
    "merge_days": call(
        "merge_days",
        period="week",
        part="week.2026-11-22",
        days=lambda _: (this_day(), "2000-01-01"),
        days_before=0,
        days_in_all=2,
    ),
    "rank_since": call("rank_since", period="week+go", part="week+go.2026-11-22", group="go"),
    "combine_groups": call(
        "combine_groups",
        "score:go score:redis",
        ranking=lambda keys: keys.combined(Order.SCORE, ("go", "redis")),
        member="score:go+redis",
        order="score",
        groups="go redis",
        seconds=60,
        first_row=0,
        last_row=25,
        newest="",
        limits=("few-one",),
        rates=(3, 10),
    ),
    "hit_rate_limit": call("hit_rate_limit", mode="when-full", **LIMITED),
    "refund_rate_limit": call("refund_rate_limit", token="token", limits=("few-spent",), intervals=(100,)),
}
