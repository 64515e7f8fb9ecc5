"""Damages of the site of the fixture ``site``: what spoils it, and what the doctor finds and leaves."""

from typing import Any

from tests.store.doctor.conversation_damages import (
    CONVERSATION_CONSEQUENCES,
    CONVERSATION_DAMAGES,
    CONVERSATION_UNREPAIRABLE,
    REPORT,
)
from tests.store.examination import run
from voteweb.core import links
from voteweb.store import Store
from voteweb.store.site.rate_limits import this_day

#: The keys of article 1, which is in the group "go".
TOPS = {"top:", "top-day:today", "top-group:go"}
EVERYWHERE = {
    *("time:", "score:", "posted:ann", "group:go", "time:go", "score:go", "link:go", "domain:go.example", *TOPS),
}
TIMES = {"time:", "posted:ann", "time:go", "link:go", "domain:go.example", "top-day:2023-11-14", *TOPS}
SCORES = {"score:", "score:go"}
GROUP_GO = {"group:go", "time:go", "score:go", "top-group:go"}
GROUP_JAVA = {"group:java", "time:java", "score:java", "top-group:java"}
#: The keys of article 4, had it not been removed.
FOURTH = {*(EVERYWHERE - {"link:go", "domain:go.example"}), "link:gone", "domain:gone.example"}
#: Short names for the keys of the links of articles 1, 2 and 4.
_LINKS = {f"link:{links.digest(f'https://{name}.example/')}": f"link:{name}" for name in ("go", "java", "gone")}


def _short_names() -> dict[str, str]:
    """Return short names for the keys of links, and of the day of posting."""
    return {**_LINKS, f"top-day:{this_day()}": "top-day:today"}


def spoil(store: Store, command: str) -> None:
    """Run a raw command, in which the keys of links have their short names."""
    long_names = {name: key for key, name in _short_names().items()}
    run(store, *(long_names.get(argument, argument.replace("~", " ")) for argument in command.split()))


def named_keys(findings: list[tuple[str, str]]) -> set[str]:
    """Return the keys of *findings*, those of links by their short names."""
    short_names = _short_names()
    return {short_names.get(key, key) for key, _ in findings}


def changed_keys(before: dict[str, object], after: dict[str, object]) -> set[str]:
    """Return the keys that differ, but for the revisions of conversations and the stream of changes.

    Those of links come by their short names.
    """
    short_names = _short_names()
    return {
        short_names.get(key, key)
        for key in (before.keys() | after.keys()) - {"changes:"}
        if _without_revision(before.get(key)) != _without_revision(after.get(key))
    }


def _without_revision(content: Any) -> Any:
    if content and isinstance(content[1], dict):
        kind, fields, expires = content
        return kind, {name: value for name, value in fields.items() if name != "rev"}, expires
    return content


#: Acts of the log: one that does not say that it is undone, one without a time, one of an unknown kind.
UNMARKED = 'LSET log-entries: 2 ["remove","Mod","1700000000","","1"]'
UNTIMED = 'LSET log-entries: 0 ["remove","Mod","","ann","4"]'
UNKNOWN_KIND = 'LSET log-entries: 0 ["sorcery","Mod","1700000000","ann","4"]'
#: Commands that break an invariant of the site, and the keys that the doctor names, if others than their own.
_DAMAGES: list[str | tuple[str, set[str]]] = [
    "HSET article:5 title Words text Words",  # it is deleted
    # votes = base + voters, while there are voters
    ("HINCRBY article:1 votes 1", {"article:1", *SCORES, *TOPS}),
    ("HINCRBY article:1 base 1", {"article:1", *SCORES, *TOPS}),
    "HDEL article:1 votes",
    ("HDEL article:2 base", set()),  # as a program after the book leaves it: a missing number is 0
    ("SADD voted:1 8", {"article:1", "voted:1", *SCORES, *TOPS}),
    ("DEL voted:2", {"article:2"}),
    ("DEL voted:1", {"article:1"}),
    "HSET article:1 closes soon",
    ("HDEL article:1 closes", set()),  # as a program after the book leaves it
    # the open votes of a member are stored ones, and expire
    "ZADD open-votes:2 9 article:1",
    "ZADD open-votes:2 9 nonsense",
    "ZADD open-votes:2 inf nonsense",
    "ZADD open-votes:2 1e300 nonsense",
    "ZADD open-votes:999 9 article:1",
    # a ban took votes back from a member, on articles and comments
    "ZADD revoked-votes:bob 9 nonsense",
    "ZADD revoked-votes:nobody 9 article:1",
    # the voters expire, but not too early
    "PERSIST voted:1",
    "EXPIRE voted:1 86400",
    # every article is in the rankings of the site, with its score
    "ZREM time: article:1",
    "ZINCRBY time: 1 article:1",
    "ZREM score: article:1",
    "ZINCRBY score: 432 article:1",
    "ZINCRBY score: -432 article:3",
    # good articles, and no others, are listed as good
    "ZREM good: article:2",
    "ZINCRBY good: 5 article:2",
    "ZADD good: 5 article:1",
    # the best by votes, and no others, are ranked by votes
    "DEL top:",
    "ZREM top-day:today article:1",
    "ZINCRBY top-group:go 4294967296 article:1",
    "ZADD top: 1e15 -",
    "ZADD top: 9 article:4",
    "ZADD top: 9 nonsense",
    "ZADD top-day:2023-11-14 9 article:1",
    "ZADD top-group:java 9 article:1",
    "ZADD top-group:ghost 9 article:1",
    # articles are listed under the domain of their link
    "ZREM domain:go.example article:1",
    "ZINCRBY domain:go.example 9 article:1",
    "ZADD domain:java.example 9 article:1",
    "ZADD domain:go.example 9 article:77",
    # the groups of an article, their sets and their rankings say the same
    "SREM group:go article:1",
    "SADD group:java article:1",
    "ZREM time:go article:1",
    "ZREM score:go article:1",
    "ZINCRBY time:go 9 article:1",
    "ZINCRBY score:go 9 article:1",
    "ZADD time:java 9 article:1",
    "ZADD score:java 9 article:1",
    ("HDEL article:1 groups", GROUP_GO),
    ("HSET article:1 groups java", GROUP_GO | GROUP_JAVA),
    "HSET article:3 groups nowhere",
    # every group exists
    ("SREM groups: go", {"article:1", "group-info:go", *GROUP_GO}),
    "SADD group:ghost article:1",
    "ZADD time:ghost 9 article:1",
    "ZADD score:ghost 9 article:1",
    "HSET group-info:ghost title Ghost",
    # the articles of a member
    "ZREM posted:ann article:1",
    "ZINCRBY posted:ann 9 article:1",
    "ZADD posted:bob 9 article:1",
    ("HSET article:1 poster bob", {"posted:ann", "posted:bob"}),
    # a deleted or removed article is only in its poster's list of those
    ("HSET article:1 gone removed", {"gone:ann", "report:1", *EVERYWHERE}),
    "HSET article:1 gone somehow",
    ("HDEL article:4 gone", {"gone:ann", *FOURTH}),
    "ZREM gone:ann article:4",
    "ZINCRBY gone:ann 9 article:4",
    "ZADD gone:ann 9 article:1",
    "ZADD gone:bob 9 article:4",
    "ZADD gone:ann 9 article:77",
    "ZADD posted:ann 9 article:4",
    "ZADD time: 9 article:4",
    "ZADD score: 9 article:5",
    "ZADD good: 9 article:4",
    "SADD group:go article:4",
    "ZADD time:go 9 article:4",
    ("SADD voted:4 8", {"article:4", "voted:4"}),
    "SADD voted:5 8",
    # a link leads to the listed articles that have it, while a second posting is a duplicate
    "ZREM link:go article:1",
    "ZINCRBY link:go 9 article:1",
    "ZADD link:go 9 article:2",
    "ZADD link:go 9 article:5",
    "ZADD link:go 9 article:77",
    "ZADD link:go 9 nonsense",
    "ZADD link:go inf article:1",
    "ZADD link:go -inf nonsense",
    "PERSIST link:go",
    "EXPIRE link:go 86400",
    # the queue of answers to removals
    "ZADD answers: 1 article:4",
    "ZADD answers: 1 article:1",
    "ZADD answers: 1 nonsense",
    ("HSET article:4 answer words answered 5", {"answers:"}),
    # the queue of reports
    "ZINCRBY reports: 1 article:1",
    "ZREM reports: article:1",
    ("DEL report:1", {"reports:"}),
    (f"HSET report:2 bob {REPORT}", {"reports:"}),
    "HSET report:1 eve x",
    (f"HSET report:4 bob {REPORT}", {"report:4", "reports:"}),
    # settings are those that processes take, too
    "HSET site: voting-seconds 1e300",
    # earlier versions are of articles that are not deleted, and expire
    "ZADD was:5 1 x",
    "ZADD was:77 1 x",
    "ZADD reports: 1 article:77",
    "ZADD reports: 1 nonsense",
    # the log: each act is in its lists of ids, each list has only its acts, in order
    "LREM log: 0 1",
    "LREM log-by:mod 0 3",
    "LREM log-kind:remove 0 1",
    "LREM log-kind:remove+mod 0 3",
    "LREM log-about:ann 0 1",
    "RPUSH log: 1",
    "LPUSH log: 9",
    "RPUSH log-kind:ban 1",
    "RPUSH log-about:bob 1",
    "RPUSH log: 77",
    "RPUSH log-by:mod nonsense",
    (UNMARKED, {"log-entries:"}),
    (UNTIMED, {"log-entries:"}),
    (UNKNOWN_KIND, {"log-entries:"}),
    # invitations, reset links, deletions of accounts
    "ZREM invites:bob invite:open",
    "ZADD invites:ann 9 invite:open",
    "ZADD invites:bob 9 invite:none",
    "ZADD invites:bob 9 nonsense",
    "HSET invite:open used eve",
    "HDEL invite:open until",
    ("HDEL user:dan invited-by", {"invite:used"}),
    (
        "DEL user:bob",
        {
            *(
                "article:2",
                "invite:open",
                "invite:used",
                "names:0",
                "posted:bob",
                "reset:digest",
                "sessions:bob",
                "users:",
                "voted:2",
            ),
            *("voted-comments:2-0", "seen:bob", "inbox-feed:digest"),
            *("saved-feed:saved", "follows:bob", "hides:bob", "saved:bob", "notes:bob"),
        },
    ),
    "PERSIST sessions:bob",
    "PERSIST reset:digest",
    "SET limit:vote-0123456789 1",
    "SADD leaving: nobody",
    "SADD leaving: bob",
    # the index of members and the set of admins
    "ZREM users: ann",
    "ZINCRBY users: 9 ann",
    "ZADD users: 9 zoe",
    "ZADD users: 9 nobody",
    "ZREM names:0 ann",
    "ZINCRBY names:0 9 ann",
    "ZADD names:7 1 ann",
    "ZADD names:0 9 nobody",
    "ZREM held: hal",
    "ZADD held: 9 hal",
    "ZADD held: 9 ann",
    "ZADD held: 9 nobody",
    "ZADD ban-answers: 9 ann",
    "ZADD abouts: 9 ann",
    "SADD ban-removals: nobody",
    "ZADD held-articles: 9 article:1",
    "ZADD held-articles: 9 article:77",
    ("HSET article:1 gone held", {"gone:ann", "held-articles:", "report:1", *EVERYWHERE}),
    "HSET domain-rules: spam.example x",
    "HSET planned-merges: go x",
    "HSET notes:nobody 1 x",
    "SREM admins: boss",
    "SADD admins: barred",
    "SADD admins: nobody",
    ("HSET user:ann role admin", {"admins:"}),
    # the fields of members
    ("HDEL user:ann id", {"voted-comments:2-0", "user:ann", "users:", "posted:ann", "gone:ann", "voted:1", "voted:4"}),
    ("HSET user:ann id x", {"voted-comments:2-0", "user:ann", "voted:1", "voted:4"}),
    ("HSET user:ann id 2", {"voted-comments:2-0", "names:0", "user:ann", "user:bob", "voted:1", "voted:4"}),
    "HDEL user:ann name",
    "HSET user:ann name Bob",
    "HSET user:ann role root",
    "HSET user:ann recovery 12345678~code",
    "HSET user:ann second-factor code",
    "HDEL user:ann role",
    "HDEL user:ann password",
    ("HDEL user:ann since", {"user:ann", "users:"}),
    ("HSET user:ann since nan", {"user:ann", "users:"}),
    "HSET user:ann banned nan",
    # every alias leads to a group, and is none
    "HSET group-aliases: golang nowhere",
    "HSET group-aliases: java go",
    "SADD merging: nowhere",
    # every group has a title
    "DEL group-info:go",
    # imported rows are whole numbers in buckets
    "SADD imported:7 nonsense",
    "SADD imported:7 99999999999999999999",
    "SADD imported:4096 1",
    "SADD imported: 5AyIVc0D0bRUNKUqFx4zAQ",
    # no orphans
    ("DEL article:1", {"voted:1", "report:1", "reports:", *EVERYWHERE}),
    ("HDEL article:1 title", {"article:1", "report:1", "reports:", *EVERYWHERE}),
    "HDEL article:1 time",
    "SADD voted:77 1",
    "ZADD time: 9 article:77",
    "ZADD score: 9 nonsense",
    "ZADD good: 9 article:77",
    "SADD group:go article:77",
    "ZADD time:go 9 article:77",
    "ZADD score:go 9 article:77",
    "ZADD posted:ann 9 article:77",
    # permanent keys do not expire
    *[
        f"EXPIRE {key} 60"
        for key in (
            "time: score: good: top: top-day:today top-group:go domain:go.example "
            "group:go time:go score:go posted:ann groups: gone:ann reports: report:1 "
            "reported:bob users: admins: held: log: log-by:mod log-kind:ban+mod log-entries: invite:open invites:bob "
            "leaving:"
        ).split()
    ],
    "EXPIRE article:1 60",
    "EXPIRE group-info:go 60",
    # all rankings disagree with the time in the hash
    ("HSET article:1 time 1700000000", {*TIMES, *SCORES}),
    # no counter is behind the ids in use
    "SET article: 4",
    "DEL user:",
    "SET article: many",
    # invalid numbers
    "HSET article:1 votes many",
    "HSET article:1 time soon",
    "HSET article:1 time inf",
    "HDEL article:4 time",
    "HSET article:1 base few",
    "HSET article:1x title t time 1",
    # addresses and mails
    "HSET user:ann email ann",
    "ZADD outbox: 5 weekly~ann",
    "HSET mails: reset~ann 5",
    *CONVERSATION_DAMAGES,
]
#: Each command, and the keys that the doctor then names.
DAMAGES = [(damage, {damage.split()[1]}) if isinstance(damage, str) else damage for damage in _DAMAGES]
#: Damages of the source data, with the keys that differ from before once the rest agrees with it again.
CONSEQUENCES: dict[str, set[str]] = {
    "HSET article:4 answer words answered 5": {"article:4", "answers:"},
    UNMARKED: {"log-entries:"},
    "HINCRBY article:1 votes 1": {"article:1", *SCORES, *TOPS},  # more votes than voters: they go into the base
    "HINCRBY article:1 base 1": {"article:1", *SCORES, *TOPS},
    "HDEL article:2 base": {"article:2"},
    "HDEL article:1 closes": {"article:1"},
    "DEL voted:1": {"voted:1", "article:1"},  # voting on it is over
    "DEL voted:2": {"voted:2", "article:2"},
    "HDEL article:1 groups": {"article:1", *GROUP_GO},
    "HSET article:1 groups java": {"article:1", *GROUP_GO, *GROUP_JAVA},
    "HSET article:3 groups nowhere": {
        *("article:3", "groups:", "group:nowhere", "time:nowhere", "score:nowhere", "group-info:nowhere"),
        "top-group:nowhere",
    },
    "DEL group-info:go": {"group-info:go"},
    "HSET group-info:ghost title Ghost": {"group-info:ghost", "groups:"},
    "HSET article:1 poster bob": {"article:1", "posted:ann", "posted:bob"},
    "HSET article:1 gone removed": {"article:1", "gone:ann", "report:1", "reports:", *EVERYWHERE},
    "HSET article:1 gone held": {"article:1", "gone:ann", "held-articles:", "report:1", "reports:", *EVERYWHERE},
    "HDEL article:4 gone": {"article:4", "gone:ann", *FOURTH},
    "HSET article:1 time 1700000000": {"article:1", *TIMES, *SCORES},
    "DEL report:1": {"report:1", "reports:"},
    f"HSET report:2 bob {REPORT}": {"report:2", "reports:"},
    "HSET invite:open used eve": {"invite:open", "user:eve"},
    "HSET user:ann role admin": {"user:ann", "admins:"},
    "PERSIST reset:digest": {"reset:digest"},
    "PERSIST sessions:bob": {"sessions:bob"},
    "DEL article:1": {"article:1", "voted:1", "report:1", "reports:", *EVERYWHERE},
    "HSET user:ann recovery 12345678~code": {"user:ann"},
    "HSET user:ann email ann": {"user:ann"},
    **CONVERSATION_CONSEQUENCES,
}
_LOST_VOTER = [(key, "the id that a member has lost") for key in ("voted-comments:2-0", "voted:1", "voted:4")]
#: Damages that cannot be repaired from the database, with the keys that stay wrong and the reasons.
UNREPAIRABLE: dict[str, list[tuple[str, str]]] = {
    "HDEL user:ann id": [("user:ann", "a backup may hold it"), *_LOST_VOTER],
    "HSET user:ann id x": [("user:ann", "a backup may hold it"), *_LOST_VOTER],
    "HSET user:ann id 2": [
        *(("user:ann", "whose votes are whose"), ("user:bob", "whose votes are whose"), *_LOST_VOTER),
    ],
    "HSET user:ann name Bob": [("user:ann", "a backup may hold it")],
    "HSET user:ann banned nan": [("user:ann", "a backup may hold it")],
    "HSET user:ann second-factor code": [("user:ann", "a backup may hold it")],
    **CONVERSATION_UNREPAIRABLE,
    "SADD imported:4096 1": [("imported:4096", "another program")],
    "SADD imported: 5AyIVc0D0bRUNKUqFx4zAQ": [("imported:", "another program")],
    "HSET article:1 gone somehow": [("article:1", "the value is stored nowhere else")],
    "HDEL article:1 title": [("article:1", "the value is stored nowhere else"), ("report:1", "repair that first")],
    "HSET article:1x title t time 1": [("article:1x", "another program")],
    UNTIMED: [("log-entries:", "the value is stored nowhere else")],
    UNKNOWN_KIND: [("log-entries:", "the value is stored nowhere else")],
    "HDEL invite:open until": [("invite:open", "the value is stored nowhere else")],
    "DEL user:bob": [
        ("invite:open", "a backup may hold"),
        ("invite:used", "a backup may hold"),
    ],
    "SET article: many": [("article:", "set it by hand to 5 or more")],
}
#: Damages that are repaired from other keys, which other damages spoil.
REPAIRED_FROM_OTHERS = {
    "HDEL thread:2 closes",
    "HSET thread:2 closes soon",
    "HDEL article:1 time",
    "HSET article:1 time soon",
    "HSET article:1 time inf",
    "HDEL article:4 time",
    "HDEL user:ann since",
    "HSET user:ann since nan",
}
#: Damages of derived data, with a place for the id of an article.
DERIVED_DAMAGES = (
    "HINCRBY article:{} votes -3",
    "ZREM score: article:{}",
    "ZINCRBY time: 5 article:{}",
    "ZADD good: 5 article:{}",
    "ZADD score:go 9 article:{}",
    "ZREM top: article:{}",
    "ZADD top-group:go 9 article:{}",
    "SADD group:lua article:{}",
    "SREM group:redis article:{}",
    "PERSIST voted:{}",
    "ZREM reports: article:{}",
    "DEL score:",
    "HINCRBY article:{} comments 3",
    "SETBIT hidden:{} 1 1",
    "SETBIT hidden:{} 2 1",
    "PERSIST voted-comments:{}-0",
    "HSET thread:{} last 1",
    "DEL comments:",
)
