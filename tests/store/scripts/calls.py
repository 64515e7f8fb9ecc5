"""A call of every script that writes, on the site of the fixture ``site``."""

from tests.store.scripts.call import LimitArguments, Log, call
from voteweb.core import links

LOG_KEYS = "log-entry:7 log: log-by:mod log-kind:remove log-kind:remove+mod log-about:ann".split()
REMOVAL = {"kind": "remove", "who": "mod", "about": "ann"}
LOGGED = Log(LOG_KEYS, REMOVAL | {"article": "1", "title": "A title"})
UNDOING = Log([*LOG_KEYS, "log-entry:5"], REMOVAL | {"undoes": "5"})

LINK, OTHER_LINK = "https://example.com/redis", "https://a.example/"
LINK_KEY, OTHER_LINK_KEY, NO_LINK_KEY = (f"link:{links.digest(link)}" for link in (LINK, OTHER_LINK, ""))
GO, REDIS = "group:go time:go score:go", "group:redis time:redis score:redis"
SITE = "time: score: good:"
#: The keys of an article by ann that unlist_article takes between those of the site and those of the groups.
POSTER_KEYS = f"posted:ann gone:ann {LINK_KEY} reports:"

VOTE_KEYS = "article:1 voted:1 score: good: user:bob score:go"
VOTE = {"voter_id": 2, "voter_name": "bob", "session_id": "session-1", "known_groups": "go"}
ARTICLE = {"title": "A title", "link": OTHER_LINK, "text": "", "poster": "ann", "poster_id": 1}
EDIT = {"member": "article:1", "title": "Another", "text": "text", "known_link": LINK, "add_count": 1}
KNOWN = {"known_link": LINK, "known_poster": "ann"}
SET_GROUPS = {"member": "article:1", "add_count": 1}

#: By the name of the script, with a word about the case if there are several.
CALLS = {
    "post_article": call(
        "post_article",
        f"article:9 voted:9 {SITE} posted:ann once:1-form-0009 groups: {OTHER_LINK_KEY} user:ann {GO}",
        "go",
        member="article:9",
        **ARTICLE,
        allow_duplicate=0,
    ),
    "cast_vote": call("cast_vote", VOTE_KEYS, action="cast", member="article:1", **VOTE),
    "cast_vote with a limit": call(
        "cast_vote",
        f"{VOTE_KEYS} limit:few-one",
        *LimitArguments(burst=3, interval=10),
        action="cast",
        member="article:1",
        **VOTE,
    ),
    "cast_vote to take back": call(
        "cast_vote",
        "article:2 voted:2 score: good: user:bob score:go",
        action="take-back",
        member="article:2",
        good_votes=2,
        **VOTE,
    ),
    "set_groups": call("set_groups", f"article:1 groups: {REDIS} {GO}", "redis", "go", **SET_GROUPS),
    "set_groups in the log": call(
        "set_groups", f"article:1 groups: {REDIS} {GO}", "redis", "go", log=LOGGED, **SET_GROUPS
    ),
    "set_groups to undo": call(
        "set_groups", f"article:1 groups: {REDIS} {GO}", "redis", "go", log=UNDOING, **SET_GROUPS
    ),
    "edit_article": call(
        "edit_article",
        f"article:1 groups: {LINK_KEY} {OTHER_LINK_KEY} {REDIS} {GO}",
        "redis",
        "go",
        editor="ANN",
        link=OTHER_LINK,
        **EDIT,
    ),
    "edit_article in the log": call(
        "edit_article",
        f"article:1 groups: {LINK_KEY} {NO_LINK_KEY} {REDIS} {GO}",
        "redis",
        "go",
        log=LOGGED,
        editor="",
        edit_seconds=0,
        link="",
        **EDIT,
    ),
    "unlist_article to delete": call(
        "unlist_article",
        f"article:1 voted:1 {SITE} {POSTER_KEYS} report:1 user:ann {GO}",
        "go",
        member="article:1",
        status="deleted",
        reason="",
        deleter="ann",
        **KNOWN,
    ),
    "unlist_article to delete a removed one": call(
        "unlist_article",
        f"article:4 voted:4 {SITE} {POSTER_KEYS} report:4 user:ann {GO}",
        "go",
        member="article:4",
        status="deleted",
        reason="",
        deleter="",
        **KNOWN,
    ),
    "unlist_article to remove": call(
        "unlist_article",
        f"article:1 voted:1 {SITE} {POSTER_KEYS} report:1 user:ann {GO}",
        "go",
        log=LOGGED,
        member="article:1",
        status="removed",
        reason="spam",
        deleter="",
        **KNOWN,
    ),
    "restore_article": call(
        "restore_article",
        f"article:4 {SITE} posted:ann gone:ann {LINK_KEY} user:ann {GO}",
        "go",
        log=LOGGED,
        member="article:4",
        **KNOWN,
    ),
    "report_article": call(
        "report_article",
        "article:2 reports: report:2 reported:bob",
        member="article:2",
        reporter="bob",
        json='{"by": "bob", "note": "à"}',
    ),
    "dismiss_reports": call("dismiss_reports", "article:1 reports: report:1", log=LOGGED, member="article:1"),
    "import_article": call(
        "import_article",
        f"article:9 voted:9 {SITE} posted:ann imported: {OTHER_LINK_KEY} {GO}",
        "go",
        member="article:9",
        **ARTICLE,
        time=4e9,
        votes=7,
        digest="digest",
    ),
    "make_group": call(
        "make_group",
        "groups: group-info:lua",
        log=LOGGED,
        action="make",
        name="lua",
        title="Lua",
        description="the language",
    ),
    "make_group to change": call(
        "make_group",
        "groups: group-info:go",
        log=LOGGED,
        action="change",
        name="go",
        title="Golang",
        description="the language",
    ),
    "make_user": call(
        "make_user",
        "user:dan invite:none user:bob user:",
        log=LOGGED,
        needs_invitation=0,
        name="dan",
        password_hash="hash",
        role="admin",
        session_id="session-2",
    ),
    "make_user by invitation": call(
        "make_user",
        "user:dan invite:open user:bob user:",
        needs_invitation=1,
        name="dan",
        password_hash="hash",
        role="member",
        session_id="session-2",
    ),
    "change_user": call("change_user", "user:bob", "role", "admin", "session", "session-2", log=LOGGED, condition=""),
    "change_user to ban": call(
        "change_user", "user:bob", "banned", "17", "session", "session-2", log=LOGGED, condition="free"
    ),
    "change_user to unban": call("change_user", "user:eve", "banned", "0", log=LOGGED, condition="banned"),
    "make_invitation": call("make_invitation", "invite:new invites:bob", member="invite:new", name="bob", expires=4e9),
    "revoke_invitation": call("revoke_invitation", "invite:open", maker="BOB"),
    "reset_password": call(
        "reset_password", "reset:digest user:bob", name="bob", password_hash="new hash", session_id="session-2"
    ),
    "start_account_deletion": call(
        "start_account_deletion", "user:bob leaving:", name="bob", session_id="session-2", articles="keep"
    ),
    "disown_article": call(
        "disown_article", "article:1 posted:ann gone:ann", member="article:1", replacement="[deleted]"
    ),
    "finish_account_deletion": call("finish_account_deletion", "leaving: posted:zoe gone:zoe", name="zoe"),
    "repair_article": call(
        "repair_article",
        f"article:1 voted:1 {SITE} posted:ann gone:ann {LINK_KEY} user:ann {GO}",
        member="article:1",
        vote_score=100,
        known_groups="go",
        **KNOWN,
    ),
    "repair_voters": call("repair_voters", "article:1 voted:1", voting_seconds=1_000_000),
    "repair_reports": call("repair_reports", "article:2 reports: report:1", member="article:2"),
    "repair_group to make it": call(
        "repair_group", "groups: group-info:perl group:perl time:perl score:perl", name="perl", is_named=1
    ),
    "repair_group to clear it away": call("repair_group", f"groups: group-info:perl {GO}", name="perl", is_named=0),
    "index_log_entry": call("index_log_entry", "log-entry:1 log-by:eve", member="log-entry:1", field="time"),
    "remove_stray_member": call(
        "remove_stray_member", "posted:ann article:1", member="article:1", field="poster", value="ann"
    ),
    "remove_stray_member from a set": call(
        "remove_stray_member", "group:go article:1", member="article:1", field="groups", value="go"
    ),
    "rescore_article": call(
        "rescore_article", "article:1 score: good: score:go", member="article:1", vote_score=100, known_groups="go"
    ),
    "combine_groups": call("combine_groups", "score:go+redis score:go score:redis", seconds=60, max_articles=2_000),
    "hit_rate_limit": call(
        "hit_rate_limit",
        "limit:few-one limit:fewer-two",
        *LimitArguments(burst=3, interval=10),
        *LimitArguments(burst=2, interval=100),
    ),
    "refund_rate_limit": call("refund_rate_limit", "limit:few-spent", LimitArguments(burst=2, interval=100).interval),
}
