"""The values of a backup's lines: all that a site can store passes, all else is a fault or refused."""

from collections import ChainMap
from dataclasses import replace
from typing import Any

import pytest

from tests.store.backup.copying import back_up
from voteweb.core.config import MAX_COMMENT_LEVEL, MAX_TEXT_LENGTH
from voteweb.core.errors import Invalid
from voteweb.store import Store
from voteweb.store.backup import Backup, KeyLine, LineChecks, parse_line
from voteweb.store.schema.fields import THREAD_FIELDS
from voteweb.store.schema.keys import NOUNS

REPORT = '{"by":"Ann","reason":"spam","note":"","time":1700000000.5}'
RULE = '{"action":"hold","why":"spam","by":"Mod","time":"1700000000.5"}'
SWITCH = '{"value":"on","words":"","by":"ann","time":1}'
NOTE = '{"by":"Mod","time":"1700000000.5","text":"Asked to stop."}'
#: No site stores this anywhere: it has no end of a line that is known, turns the direction of a text, and is markup.
HOSTILE = "\x00\u202e<b>"
DIGEST, NODE = "0123456789abcdef" * 2, "0 2 1 1700000000.5 qe Ann"
ARTICLE = KeyLine(
    "article:7",
    "hash",
    {"title": "\u3164", "time": "1700000000.25", "base": "1", "poster": "user:7", "link": "https://me@a.example/"},
)
#: An article of a program after the book: its title is as somebody typed it, and its link may be none for us.
THEIRS = replace(ARTICLE, value={"title": "\u200fשלום\n", "time": "1700000000", "link": "a.example/b:c"})
MEMBER = KeyLine(
    "user:adm1n", "hash", {"id": "1", "name": "Adm1n", "role": "admin", "since": "1700000000.5", "password": ""}
)
INVITATION = KeyLine(f"invite:{DIGEST}", "hash", {"by": "Ann", "until": "1700000000.5"})
THREAD = KeyLine("thread:7", "hash", {"last": "4", "rev": "9", "closes": "1700000000", "quiet": "1", "1": NODE})
WORDS = KeyLine("words:7", "hash", {"1": "\u3164"})
INBOX = KeyLine("inbox:ann", "list", ["mention 7.4 1700000000", "report log-3 1700000000"])
VISITS = KeyLine("seen:ann", "hash", {"7": "3 4 1700000000.5 1,4", "8": "4 4 1700000000 1-2 3-3@1700000000 5"})
HIDES = KeyLine("hides:ann", "zset", {"a7": 1700000000.5, "mann": 1700000000, "dwww.example.com": 1})
SITE = KeyLine("site:", "hash", {"read-only": SWITCH})
RULES = KeyLine("domain-rules:", "hash", {"www.example.com": RULE, "::ffff:1.2.3.4": RULE})
NOTES = KeyLine("notes:ann", "hash", {"1": NOTE})
GROUP = KeyLine("group-info:go", "hash", {"title": "Go", "description": ""})
ALIASES = KeyLine("group-aliases:", "hash", {"golang": "go"})
RESET = KeyLine(f"reset:{DIGEST}", "string", "ann 0123456789abcdef")
LOG = KeyLine("log-entries:", "list", ['["ban","Mod","1700000000"]', ""])
VOTED = KeyLine("voted:7", "set", ["1", "user:7", "007"])
REPORTS = KeyLine("report:7", "hash", {"ann": REPORT})
FORM = KeyLine("once:1-token-0001", "string", "article:7")
SENT = KeyLine("once:1-token-0002", "string", f"comment:7.1 {DIGEST[:20]}")
PROGRAM = f"1700000000,0,1700086400,vote post,{HOSTILE[-3:]}, bot"
PROGRAMS = KeyLine("programs:ann", "hash", {"of": "0123456789ab", DIGEST[:20]: PROGRAM})
LINES = (
    *(ARTICLE, THEIRS, MEMBER, INVITATION, THREAD, WORDS, INBOX, VISITS, HIDES, SITE, RULES, NOTES, GROUP),
    *(ALIASES, RESET, LOG, VOTED, REPORTS, FORM, SENT, PROGRAMS),
)


def faults(*lines: KeyLine, is_whole: bool = False) -> list[str]:
    """Return the faults of *lines*, which have the form that they have in a file."""
    checks = LineChecks(is_whole=is_whole)
    read = [parse_line(line.as_json(), is_whole=is_whole) for line in lines]
    return [fault for line in read for fault in checks.faults(line)]


def test_copies_of_a_busy_site_have_no_faults(site: Store) -> None:
    assert faults(*back_up(site)) == []
    assert faults(*Backup(site.context).all_lines(), is_whole=True) == []


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.noun)
def test_dubious_values_are_no_faults_and_read_back_the_same(line: KeyLine) -> None:
    assert faults(line) == []
    assert parse_line(line.as_json(), is_whole=False) == line


LOG_VALUES = [
    *(("sorcery", "Mod", "1"), ("ban", "", "1"), ("ban", "<b>", "1"), ("ban", "a\nb", "1"), ("ban", "Mod", "")),
    *(("ban", "Mod", "nan"), ("ban", "Mod", "1", "a\nb"), ("ban", "Mod", "1", "", "", "", "a\u202eb")),
    *(("ban", "Mod", "1", *[""] * 4, "go a+b"), ("ban", "Mod", "1", *[""] * 6, "x")),
]  # fmt: skip


#: Values that no site stores, of the fields of lines; those of all fields in one way are tried besides.
FAULTS: tuple[tuple[KeyLine, str, list[str]], ...] = (
    (ARTICLE, "time", ["nan", "-1", "1e300", "", "1_0"]),
    (ARTICLE, "votes", ["1.5", "9" * 13, " 1", "\u0663", "+1"]),
    (
        ARTICLE,
        "link",
        ["javascript:alert(1)", "ftp://a.example/", "http:///x", "https://a.example/\n", f"https://a/{2_000 * 'x'}"],
    ),
    (THEIRS, "link", ["javascript:0//", "java\tscript:0", " \x01javascript:0", "data:,x"]),
    (ARTICLE, "title", ["", "x" * 201, "a\nb"]),
    (ARTICLE, "text", ["x" * 20_001, "a\u2066b"]),
    (ARTICLE, "poster", ["user:" + "x" * 100]),
    (ARTICLE, "groups", ["go+java", "GO", "a:b"]),
    (ARTICLE, "reason", ["x" * 301, "a\nb"]),
    (ARTICLE, "x" * 200, ["1"]),
    (MEMBER, "id", ["0", "-1", "²", "007", "1" * 20]),
    (MEMBER, "second-factor", ["0" * 32, f"{'0' * 31} 1"]),
    (MEMBER, "name", ["Another"]),
    (MEMBER, "session", ["a\r\nSet-Cookie: x", ""]),
    (MEMBER, "ban-removal", ["1 removing all"]),
    (PROGRAMS, "of", ["", "a b"]),
    (PROGRAMS, "x", [PROGRAM]),
    (
        PROGRAMS,
        DIGEST[:20],
        [PROGRAM.replace(*change) for change in (("vote", "ban"), ("1700000000", "x"), ("bot", "\u202e"))],
    ),
    (THREAD, "2", [f"{parent} 2 1 1700000000.5 - Ann" for parent in ("2", "3", "-1", "x", "9" * 5_000)]),
    (THREAD, "2", [f"1 2 1 1700000000.5 {state} Ann" for state in ("x", "q q", "RrdqepABBBBe")]),
    (THREAD, "2", [f"1 {votes} 1 1700000000.5 - Ann" for votes in ("9" * 13, "1.5")]),
    (THREAD, "2", [f"1 1 1 {written} - Ann" for written in ("nan", "1e9")]),
    (THREAD, "2", [f"1 1 1 1700000000 - {author}" for author in ("x" * 41, "<b>")]),
    (THREAD, "reason:1", [HOSTILE]),
    (THREAD, "removed-by:1", [HOSTILE]),
    (WORDS, "1", ["x" * 10_001]),
    (WORDS, "x", ["text"]),
    (SITE, "other", [SWITCH]),
    (SITE, "signup", ["[" * 9_000]),
    (SITE, "announcement", [SWITCH.replace('"on"', '"javascript:alert(1)"')]),
    (RULES, "a b", [RULE]),
    (RULES, "a.example", [RULE.replace('"spam"', "[]")]),
    (REPORTS, "a b", [REPORT]),
    (REPORTS, "ann", [REPORT.replace('"Ann"', "[]"), REPORT.replace("spam", "taste")]),
    (ALIASES, "go_lang+x", ["go"]),
    (VISITS, "x", ["3 4 1700000000.5"]),
    (VISITS, "7", ["3 4", "4 4 1700000000 1-@1700000000"]),
)


def test_no_field_may_have_any_text(subtests: pytest.Subtests) -> None:
    for line in LINES:
        fields = NOUNS[line.noun].fields or (THREAD_FIELDS if line is THREAD else line.value)
        for name in fields if line.type == "hash" and line is not THEIRS else ():
            with subtests.test(line.key, field=name):
                assert faults(replace(line, value=line.value | {name: HOSTILE}))


@pytest.mark.parametrize(
    ("line", "name", "value"), [(line, name, value) for line, name, values in FAULTS for value in values]
)
def test_a_value_that_no_site_stores_is_a_fault(line: KeyLine, name: str, value: str) -> None:
    assert len(faults(replace(line, value=line.value | {name: value}))) == 1


@pytest.mark.parametrize(
    ("line", "name"),
    [(ARTICLE, "title"), (ARTICLE, "time"), (MEMBER, "id"), (MEMBER, "role"), (INVITATION, "by")],
)
def test_a_missing_value_is_a_fault(line: KeyLine, name: str) -> None:
    value = {other: text for other, text in line.value.items() if other != name}
    assert [fault.endswith(f"has no {name}") for fault in faults(replace(line, value=value))] == [True]


@pytest.mark.parametrize(
    "line",
    [
        replace(ARTICLE, value=ARTICLE.value | {str(i): "" for i in range(2_000)}),
        replace(VOTED, value=["x" * 200]),
        replace(VOTED, until=10**18),
        replace(ARTICLE, until=1_700_000_000_000),
        replace(FORM, until=3_000_000_000_000),
        replace(FORM, value="user:7"),
        replace(FORM, value="comment:7"),
        replace(INBOX, value=["reply 7.4 1700000000"] * 3_000),
        *(replace(INBOX, value=[entry]) for entry in ("reply 7.4", "gossip 7.4 1", "reply log-3 1", "removed 7.4 1")),
        replace(INBOX, key="unread:ann", value=["gossip"]),
        replace(VISITS, value={str(id): "3 4 1700000000.5" for id in range(1, 3_000)}),
        replace(HIDES, value={"a7": float("nan")}),
        *(replace(HIDES, value={entry: 1}) for entry in ("d<b>", "ga b", "mA", "muser:7")),
        replace(HIDES, key="saved:ann", value={"a7": 1}),
        replace(HIDES, key="follows:ann", value={"a b": 1}),
        replace(HIDES, value={f"a{id}": 1 for id in range(1, 502)}),
        KeyLine("reported:ann", "set", ["0"]),
        KeyLine("reported-comments:ann", "set", ["7.0"]),
        KeyLine("imported:7", "set", ["x"]),
        KeyLine("voted-comments:7-0", "set", ["x"]),
        KeyLine("user:", "string", "x"),
        KeyLine("article:", "string", str(2**60)),
        *(replace(RESET, value=value) for value in ("", "ann", "ann x", "ann x y z", "a b")),
        *(replace(LOG, value=[f"[{','.join(map(repr, act))}]".replace("'", '"')]) for act in LOG_VALUES),
        replace(LOG, at=2**60),
    ],
    ids=lambda line: line.key,
)  # fmt: skip
def test_a_line_out_of_range_is_a_fault(line: KeyLine) -> None:
    assert len(faults(line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        KeyLine("hidden:1", "bits", "0g"),
        KeyLine("time:", "zset", {"x": 1}),
        KeyLine("time:", "zset", {"article:1": 1}, 1_700_000_000_000),
        *(KeyLine(key, "set", ["a b"]) for key in ("groups:", "admins:", "ban-removals:")),
        KeyLine("users:", "zset", {"a b": 1}),
        KeyLine("was:1", "zset", {"{": 1}),
    ],
    ids=lambda line: line.key,
)
def test_a_whole_copys_key_out_of_range_is_a_fault(line: KeyLine) -> None:
    assert len(faults(line, is_whole=True)) == 1


@pytest.mark.parametrize("is_whole", [False, True])
@pytest.mark.parametrize(
    "key",
    [
        *("{baking}:user:root", "{baking}:x", "restoring:", "migrating:", "another:", "celery:", ":", "", "article"),
        *("changes:", "article:x", "article:-1", "voted:", "groups:x", "x/article:1"),
    ],
)
def test_a_key_that_is_of_no_backup_is_refused(key: str, is_whole: bool) -> None:
    with pytest.raises(Invalid, match=r"has the key|under"):
        parse_line({"key": key, "type": "hash", "value": {}}, is_whole=is_whole)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "article:007",
            "article:0",
            "article:\u0661",
            "user:Ann\u212a",
            "user:a\nb",
            "user:Adm1n",
            "user:a b",
            "user:<b>",
            "group-info:GO",
        ),
        *("group-info:a+b", "once:1-a:b", "once:x-token-0001", "invite:open", "reset:a:b", "imported:4096"),
        *("voted-comments:7-01", "comment-report:7.0", "time:", "score:go", "posted:ann", "sessions:ann", "hidden:1"),
        *("open-votes:1", "jobs:", "schema:", "link:x", "leaving:"),
    ],
)
def test_a_backup_has_only_primary_keys_as_they_are_spelled(key: str) -> None:
    with pytest.raises(Invalid, match="has the key"):
        parse_line({"key": key, "type": "hash", "value": {}}, is_whole=False)


@pytest.mark.parametrize(
    "change",
    [
        *({"type": type} for type in ("set", "stream", None, ["hash"])),
        *({"value": value} for value in (None, 1, [None], {"title": 1}, {"title": ["x"]})),
        *({"until": value} for value in (-1, 1.5, True, "1", 2**63)),
        *({"at": value} for value in (-1, None)),
        {"more": 1},
        {"key": 7},
    ],
    ids=str,
)
def test_a_line_of_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        parse_line(ARTICLE.as_json() | change, is_whole=False)


@pytest.mark.parametrize("line", [ARTICLE, MEMBER, FORM], ids=lambda line: line.noun)
def test_what_is_there_twice_is_a_fault(line: KeyLine) -> None:
    assert [fault.endswith("is there twice") for fault in faults(line, THREAD, line)] == [True]


def test_members_who_share_an_id_are_a_fault() -> None:
    other = replace(MEMBER, key="user:bob", value=MEMBER.value | {"name": "bob"})
    assert faults(MEMBER, other) == ["the key 'user:bob' has the id '1', which is that of 'user:adm1n'"]


def test_a_comment_below_the_deepest_level_is_a_fault() -> None:
    nodes = {str(at): f"{at - 1} 1 1 1700000000 - Ann" for at in range(1, MAX_COMMENT_LEVEL + 2)}
    assert faults(replace(THREAD, value=nodes)) == ["comment 7.51 stands below level 50"]


def test_only_a_text_may_be_long() -> None:
    long = "x" * MAX_TEXT_LENGTH
    assert faults(replace(ARTICLE, value={**ARTICLE.value, "text": long})) == []
    assert len(faults(replace(ARTICLE, value={**ARTICLE.value, "link": f"https://a.example/{long[30:]}"}))) == 1


def test_a_large_key_takes_several_lines() -> None:
    words = replace(WORDS, value={str(at): "x" * 10_000 for at in range(1, 200)})
    parts = list(words.parts())
    assert len(parts) > 10
    assert ChainMap(*(part.value for part in parts)) == words.value
    log = list(KeyLine("log-entries:", "list", ["x"] * 25_000, at=5).parts())
    assert [(part.at, len(part.value)) for part in log] == [(5, 10_000), (10_005, 10_000), (20_005, 5_000)]
