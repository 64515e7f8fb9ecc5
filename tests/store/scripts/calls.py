"""A call of every script that writes, on the site of the fixture ``site``."""

from tests.store.scripts.call import DEFAULTS, Actor, LimitArguments, Log, call
from voteweb.core import links
from voteweb.core.ranking import day_name, day_number

LOG_KEYS = "done:token log-entries: log: log-by:mod log-kind:remove log-kind:remove+mod log-about:ann".split()
REMOVAL = {"kind": "remove", "who": "mod", "about": "ann"}
NOT_REMEMBERED = Log([], None)
LOGGED = Log(LOG_KEYS, REMOVAL | {"article": "1", "title": "A title"})
#: Entry 3 is a change of article 1's groups.
UNDOING = Log(LOG_KEYS, REMOVAL | {"kind": "groups", "article": "1", "undoes": "3"})

ANN, BOB, CID = Actor("ann", 1, "member"), Actor("bob", 2, "member"), Actor("cid", 20, "member")
MOD, ADMIN = Actor("mod", 5, "moderator"), Actor("boss", 6, "admin")

LINK, OTHER_LINK = "https://example.com/redis", "https://a.example/"
LINK_KEY, OTHER_LINK_KEY, NO_LINK_KEY = (f"link:{links.digest(link)}" for link in (LINK, OTHER_LINK, ""))
GO, REDIS = "group:go time:go score:go top-group:go", "group:redis time:redis score:redis top-group:redis"
THREAD_KEYS = "article:5 thread:5 hidden:5 removing:"
TODAY = f"top-day:{day_name(DEFAULTS['day'])}"
SITE, OTHER_SITE = (f"time: score: good: top: {TODAY} domain:{domain}" for domain in ("example.com", "a.example"))
#: An imported article is of the year 2096.
IMPORT_TIME = 4e9
IMPORT_SITE = f"time: score: good: top: top-day:{day_name(day_number(IMPORT_TIME))} domain:a.example"
#: The keys of an article by ann that unlist_article takes between those of the site and those of the groups.
POSTER_KEYS = f"posted:ann gone:ann {LINK_KEY} reports:"

VOTE_KEYS = (
    "article:1 voted:1 score: good: user:bob sessions:bob stats:2026-11-22 open-votes:2"
    f" top: {TODAY} score:go top-group:go"
)
VOTE = {"voter_id": 2, "voter_name": "bob", "session_id": "session-1", "known_groups": "go", "digest": "idle"}
ARTICLE = {"title": "A title", "link": OTHER_LINK, "text": "", "poster": "ann", "poster_id": 1}
EDIT = {"member": "article:1", "title": "Another", "text": "text", "known_link": LINK, "add_count": 1}
KNOWN = {"known_link": LINK, "known_poster": "ann"}
SET_GROUPS = {"member": "article:1", "add_count": 1}
WRITE_KEYS = (
    "article:3 thread:3 words:3 hidden:3 voted-comments:3-0 comments: commented:bob once:2-form-0009 user:bob seen:bob"
    " limit:new-bob limit:newday-bob stats:2026-11-22 changes:"
)
WRITE = {
    "stem": "comment:3", "id": 3, "text": "Yes.", "author": "bob", "author_id": 2, "known_block": 0,
    "known_poster": "ann",
}  # fmt: skip
VOTE_COMMENT_KEYS = "article:3 thread:3 voted-comments:3-0 user:bob sessions:bob"
VOTE_COMMENT = {
    "action": "cast", "number": 1, "voter_id": 2, "voter_name": "bob", "session_id": "session-1", "digest": "idle",
}  # fmt: skip
COMMENT_2 = {"number": 2, "comment": "3.2"}

#: A deleted comment, as stored.
DELETED = "1 0 0 1700000002.000000 d "
#: By the name of the script, with a word about the case if there are several.
CALLS = {
    "commit": call(
        "commit",
        "group-info:go",
        log=LOGGED,
        reads='[["HGET", "group-info:go", "title"]]',
        replies='["Go"]',
        writes='[["HSET", "group-info:go", "title", "Golang"]]',
        types='[["group-info:go", "hash"]]',
        actor=MOD,
    ),
    "post_article": call(
        "post_article",
        f"article:9 voted:9 {OTHER_SITE} posted:ann once:1-form-0009 groups: {OTHER_LINK_KEY} user:ann"
        f" limit:new-ann limit:newday-ann domain-rules: held-articles: gone:ann changes: {GO}",
        "go",
        member="article:9",
        **ARTICLE,
        allow_duplicate=0,
    ),
    "cast_vote": call("cast_vote", VOTE_KEYS, action="cast", member="article:1", **VOTE),
    "cast_vote with a limit": call(
        "cast_vote",
        f"{VOTE_KEYS} limit:few-one limit:fewer-one",
        *LimitArguments(burst=3, interval=10),
        *LimitArguments(burst=2, interval=100),
        action="cast",
        member="article:1",
        **VOTE,
    ),
    "cast_vote to take back": call(
        "cast_vote",
        VOTE_KEYS.replace(":1", ":2"),
        action="take-back",
        member="article:2",
        good_votes=2,
        **VOTE,
    ),
    "note_visit": call(
        "note_visit",
        "seen:bob thread:1 article:1 words:1 voted-comments:1-0",
        "title",
        id=1,
        visit_seconds=1_800,
        seconds=2_592_000,
        most=200,
        noted_seconds=60,
    ),
    "hide_replies": call("hide_replies", "article:6 thread:6 hidden:6 removing:", id=6, count=2),
    "import_article": call(
        "import_article",
        f"article:9 voted:9 {IMPORT_SITE} posted:ann imported:7 {OTHER_LINK_KEY} changes: {GO} user:ann",
        "go",
        member="article:9",
        **ARTICLE,
        time=IMPORT_TIME,
        day=day_number(IMPORT_TIME),
        votes=7,
        row=-7,
    ),
    "import_comment": call(
        "import_comment",
        "article:3 thread:3 words:3 hidden:3 voted-comments:3-0 commented:ann imported:7 imported:8 imported:9"
        " user:ann changes:",
        comment="3.5",
        number=5,
        parent=0,
        text="From elsewhere.",
        author="Ann",
        time=1.5e9,
        votes=7,
        row=-7,
        numbered_row=-8,
        answered_row=-9,
    ),
    "write_comment": call("write_comment", WRITE_KEYS, parent=0, known_answered="", **WRITE),
    "write_comment in a new conversation": call(
        "write_comment",
        "article:2 thread:2 words:2 hidden:2 voted-comments:2-0 comments: commented:bob once:2-form-0009 user:bob"
        " seen:bob limit:new-bob limit:newday-bob stats:2026-11-22 changes:",
        parent=0,
        known_answered="",
        **WRITE | {"stem": "comment:2", "id": 2},
    ),
    "write_comment as an answer": call(
        "write_comment",
        f"{WRITE_KEYS} user:ann inbox:ann unread:ann user:eve inbox:eve unread:eve",
        "reply article",
        "mention",
        parent=1,
        known_answered="ann",
        **WRITE,
    ),
    "vote_comment": call("vote_comment", VOTE_COMMENT_KEYS, **VOTE_COMMENT),
    "vote_comment with a limit": call(
        "vote_comment",
        f"{VOTE_COMMENT_KEYS} limit:few-one limit:fewer-one",
        *LimitArguments(burst=3, interval=10),
        *LimitArguments(burst=2, interval=100),
        **VOTE_COMMENT,
    ),
    "vote_comment to take back": call(
        "vote_comment", VOTE_COMMENT_KEYS, **VOTE_COMMENT | {"action": "take-back", "number": 4}
    ),
    "open_session": call(
        "open_session",
        "user:bob sessions:bob",
        member_id=2,
        session_id="session-1",
        digest="new",
        browser="Firefox/Linux",
        max_sessions=2,
    ),
    "use_session": call("use_session", "sessions:bob", session_id="session-1", digest="idle", checked=""),
    "use_session with the password": call(
        "use_session", "sessions:bob", session_id="session-1", digest="fresh", checked="checked"
    ),
    "repair_top": call("repair_top", "top:", max_ranked=1),
    "merge_days": call(
        "merge_days",
        f"top-of:week top-of:week.2026-11-22 {TODAY} top-day:2000-01-01",
        seconds=600,
        max_added=300,
        days_before=0,
        days_in_all=2,
    ),
    "rank_since": call(
        "rank_since", "top-of:week+go top-of:week+go.2026-11-22 time:go", seconds=600, max_looked_at=300
    ),
    "combine_groups": call(
        "combine_groups",
        "score:go+redis combined: groups: score:go score:redis limit:few-one",
        "go",
        "redis",
        *LimitArguments(burst=3, interval=10),
        member="score:go+redis",
        seconds=60,
        max_kept=100,
        max_articles=500,
        first=0,
        last=25,
        count=2,
    ),
    "hit_rate_limit": call(
        "hit_rate_limit",
        "limit:few-one limit:fewer-two",
        *LimitArguments(burst=3, interval=10),
        *LimitArguments(burst=2, interval=100),
    ),
    "refund_rate_limit": call("refund_rate_limit", "limit:few-spent", LimitArguments(burst=2, interval=100).interval),
}
