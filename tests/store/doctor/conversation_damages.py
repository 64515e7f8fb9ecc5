"""Damages of the conversation of article 2 on the site of the fixture ``site``; a "~" stands for a blank."""

#: An open report.
REPORT = '{"by":"bob","reason":"spam","note":"","time":1}'
#: Commands that break an invariant of a conversation, and the keys that the doctor names, if others than their own.
CONVERSATION_DAMAGES: list[str | tuple[str, set[str]]] = [
    # the article's number of comments, and the bits of those that nobody can read
    "HINCRBY article:2 comments 1",
    "HSET article:2 comments some",
    "HDEL article:2 comments",
    "HSET article:1 comments 3",
    "SETBIT hidden:2 1 1",
    "SETBIT hidden:2 7 0",
    "SETBIT hidden:2 0 1",
    "SETBIT hidden:2 99 1",
    "DEL hidden:2",
    # places
    "HSET thread:2 5 9~1~0~1700000005.000000~-~bob",
    "HSET thread:2 5 77~1~0~1700000005.000000~-~bob",
    "HSET thread:2 5 5~1~0~1700000005.000000~-~bob",
    "HSET thread:2 2 3~0~0~1700000002.000000~-~bob",
    ("HSET thread:2 2 nonsense", {"thread:2", "hidden:2", "article:2"}),
    ("HSET thread:2 2 1~0~0~inf~-~bob", {"thread:2", "hidden:2", "article:2"}),
    ("HSET thread:2 2 1~many~0~1700000002.000000~-~bob", {"thread:2", "hidden:2", "article:2"}),
    (
        "HDEL thread:2 2",
        {
            *("thread:2", "words:2", "hidden:2", "comments:", "commented:bob", "comment-report:2.2", "inbox:ann"),
            *("unread:ann", "article:2"),
        },
    ),
    # states
    ("HSET thread:2 5 4~1~0~1700000005.000000~r~bob", {"hidden:2", "article:2"}),
    ("HSET thread:2 6 0~0~0~1700000006.000000~r~ann", {"hidden:2", "article:2"}),
    ("HSET thread:2 3 2~3~3~1700000003.000000~-~ann", {"hidden:2", "article:2"}),
    "HSET thread:2 4 0~1~0~1700000004.000000~d~eve",
    (
        "HSET thread:2 2 1~0~0~1700000002.000000~d~",
        {"hidden:2", "article:2", "words:2", "commented:bob", "comment-report:2.2"},
    ),
    # votes = base + voters, where all voters are there
    "HSET thread:2 1 0~3~0~1700000001.000000~-~ann",
    "HSET thread:2 1 0~2~1~1700000001.000000~-~ann",
    ("SREM voted-comments:2-0 4294967298", {"thread:2"}),
    "SREM voted-comments:2-0 0",
    "DEL voted-comments:2-0",
    ("SADD voted-comments:2-0 4294968295", {"thread:2", "voted-comments:2-0"}),
    "SADD voted-comments:2-0 nonsense",
    "SADD voted-comments:2-0 429496729601",
    "SADD voted-comments:2-0 4294967296",
    "SADD voted-comments:2-1 0",
    "SADD voted-comments:77-0 0",
    "PERSIST voted-comments:2-0",
    "EXPIRE voted-comments:2-0 3600",
    # words
    "HDEL words:2 1",
    "HSET words:2 4 secret",
    "HSET words:2 77 secret",
    "HSET words:2 01 secret",
    "DEL words:2",
    "HSET words:1 1 text",
    "SETBIT hidden:1 1 1",
    # the fields of a conversation
    "HDEL thread:2 last",
    "HSET thread:2 last 3",
    "HSET thread:2 last many",
    "HSET thread:2 last 1000000000",
    "HDEL thread:2 rev",
    "HSET thread:2 rev x",
    "HDEL thread:2 closes",
    "HSET thread:2 closes soon",
    "HSET thread:2 closed soon",
    "HSET thread:2 quiet x",
    "HSET thread:2 02 x",
    "HSET thread:2 reason:x spam",
    # lists of comments
    "RPUSH comments: 2.77",
    "RPUSH comments: nonsense",
    "RPUSH comments: 2.1",
    "LREM commented:ann 1 2.1",
    "LREM commented:ann 1 2.3",
    "DEL commented:ann",
    "RPUSH commented:ann 2.1",
    "LPUSH commented:ann 2.2",
    "LPUSH commented:ann 2.4",
    "LPUSH commented:ann 77.1",
    "LPUSH commented:nobody nonsense",
    # reports of comments
    "ZREM reports: comment:2.2",
    "ZINCRBY reports: 1 comment:2.2",
    "ZADD reports: 1 comment:2.1",
    ("DEL comment-report:2.2", {"reports:"}),
    (f"HSET comment-report:2.1 bob {REPORT}", {"reports:"}),
    (f"HSET comment-report:2.3 bob {REPORT}", {"comment-report:2.3", "reports:"}),
    (f"HSET comment-report:2.4 bob {REPORT}", {"comment-report:2.4", "reports:"}),
    (f"HSET comment-report:2.7 bob {REPORT}", {"comment-report:2.7", "reports:"}),
    (f"HSET comment-report:77.1 bob {REPORT}", {"comment-report:77.1", "reports:"}),
    # inboxes
    "LPUSH inbox:ann reply~2.77~1700000009",
    "LPUSH inbox:ann nonsense",
    "LPUSH inbox:ann removed~log-77~1700000009",
    ("LPUSH inbox:ann mention~2.2~1700000009", {"inbox:ann", "unread:ann"}),
    "LPUSH unread:ann reply~2.5~1700000009",
    "RPUSH unread:ann reply~2.2~1700000002",
    ("DEL inbox:ann", {"unread:ann"}),
    "PERSIST inbox:ann",
    ("COPY inbox:ann inbox:nobody", {"inbox:nobody"}),
    # visits
    "HSET seen:bob 2 nonsense",
    "HSET seen:bob 2 5~3~1700000005.000000~",
    "HSET seen:bob 2 3~77~1700000005.000000~",
    ("COPY seen:bob seen:nobody", {"seen:nobody"}),
    # feeds of inboxes
    "SET inbox-feed:other bob",
    "DEL inbox-feed:digest",
    "SET inbox-feed:digest ann",
    "DEL saved-feed:saved",
    # programs with a token
    "HSET programs:bob nonsense 1,0,2,read,bot",
    "HSET programs:bob abcdefghijklmnopqrst nonsense",
    # what members follow, hide and have saved
    "ZADD hides:bob 1 nonsense",
    "ZADD follows:bob 1 A~Group",
    "ZADD saved:bob 1 article:77",
    "HDEL user:bob my",
    ("COPY hides:bob hides:nobody", {"hides:nobody"}),
    # removals that are being counted
    "SADD removing: 77",
    # no orphans
    (
        "DEL article:2",
        {
            *("time:", "score:", "good:", "posted:bob", "group:java", "time:java", "score:java", "link:java"),
            *("voted:2", "thread:2", "top:", "top-day:today", "top-group:java", "domain:java.example"),
        },
    ),
    (
        "DEL thread:2",
        {
            *("article:2", "words:2", "hidden:2", "voted-comments:2-0", "comments:", "commented:ann", "commented:bob"),
            *("comment-report:2.2", "inbox:ann", "unread:ann", "seen:bob"),
        },
    ),
]
#: Damages of the source data, with the keys that differ from before once the rest agrees with it again.
CONVERSATION_CONSEQUENCES: dict[str, set[str]] = {
    "HSET article:1 comments 3": {"article:1"},
    "HSET thread:2 5 9~1~0~1700000005.000000~-~bob": {"thread:2"},  # nobody knows what it answered
    "HSET thread:2 5 77~1~0~1700000005.000000~-~bob": {"thread:2"},
    "HSET thread:2 5 5~1~0~1700000005.000000~-~bob": {"thread:2"},
    "HSET thread:2 2 3~0~0~1700000002.000000~-~bob": {"thread:2"},
    "HSET thread:2 5 4~1~0~1700000005.000000~r~bob": {"thread:2", "hidden:2", "article:2"},
    "HSET thread:2 6 0~0~0~1700000006.000000~r~ann": {"thread:2", "hidden:2", "article:2"},
    "HSET thread:2 3 2~3~3~1700000003.000000~-~ann": {"thread:2", "hidden:2", "article:2"},
    "HSET thread:2 2 1~0~0~1700000002.000000~d~": {
        *("thread:2", "hidden:2", "article:2", "words:2", "commented:bob", "comment-report:2.2", "reports:"),
    },
    "HSET thread:2 1 0~3~0~1700000001.000000~-~ann": {"thread:2"},  # more votes than voters: they go into the base
    "HSET thread:2 1 0~2~1~1700000001.000000~-~ann": {"thread:2"},
    "SREM voted-comments:2-0 4294967298": {"thread:2", "voted-comments:2-0"},
    "SREM voted-comments:2-0 0": {"thread:2", "voted-comments:2-0"},  # voting is over, and the votes stay
    "DEL voted-comments:2-0": {"thread:2", "voted-comments:2-0"},
    "SADD voted-comments:2-0 4294968295": set(),
    "DEL comment-report:2.2": {"comment-report:2.2", "reports:"},
    f"HSET comment-report:2.1 bob {REPORT}": {"comment-report:2.1", "reports:"},
    "DEL inbox:ann": {"inbox:ann", "unread:ann"},
    "LPUSH inbox:ann mention~2.2~1700000009": {"inbox:ann", "unread:ann"},
    "PERSIST inbox:ann": {"inbox:ann"},
    "HSET seen:bob 2 nonsense": {"seen:bob"},
    "HSET seen:bob 2 5~3~1700000005.000000~": {"seen:bob"},
    "HSET seen:bob 2 3~77~1700000005.000000~": {"seen:bob"},
    "HDEL user:bob my": {"user:bob"},
}
#: Damages that cannot be repaired from the database, with the keys that stay wrong and the reasons.
CONVERSATION_UNREPAIRABLE: dict[str, list[tuple[str, str]]] = {
    command: [("thread:2", "a backup may hold it")]
    for command in (
        "HSET thread:2 2 nonsense",
        "HSET thread:2 2 1~0~0~inf~-~bob",
        "HSET thread:2 2 1~many~0~1700000002.000000~-~bob",
    )
} | {
    "HDEL thread:2 2": [("words:2", "a backup may hold")],
    "HDEL words:2 1": [("words:2", "a backup may hold them")],
    "HSET words:2 77 secret": [("words:2", "else HDEL")],
    "HSET words:2 01 secret": [("words:2", "else HDEL")],
    "DEL words:2": [("words:2", "a backup may hold them")] * 7,
    "HSET words:1 1 text": [("words:1", "else UNLINK")],
    "HSET thread:2 closed soon": [("thread:2", "a backup may hold it")],
    "HSET thread:2 quiet x": [("thread:2", "a backup may hold it")],
    "HSET thread:2 02 x": [("thread:2", "another program")],
    "HSET thread:2 reason:x spam": [("thread:2", "another program")],
    "DEL article:2": [("thread:2", "a backup may hold the article")],
    "DEL thread:2": [("words:2", "a backup may hold the conversation")],
}
