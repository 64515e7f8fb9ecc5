"""The scripts: twice is as once, nothing is written before everything is decided, no key is built."""

import re
from pathlib import Path
from typing import Any

import pytest
import redis

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import run, snapshot
from voteweb.core import links
from voteweb.core.models import LogAction, Reason
from voteweb.store import Store
from voteweb.store.connection import scripts
from voteweb.store.moderation_log import NewLogEntry

#: The last keys and the first arguments of a script that writes the log, or that does not.
LOG = "log-entry:7 log: log-by:mod log-kind:remove log-kind:remove+mod log-about:ann".split()
LOGGED = [len(LOG), '{"kind": "remove", "who": "mod", "about": "ann", "article": "1", "title": "A title"}']
UNLOGGED = [0, ""]
UNDOING = [len(LOG) + 1, '{"kind": "remove", "who": "mod", "about": "ann", "undoes": "5"}']

LINK = "https://example.com/redis"
OTHER = "https://a.example/"
OF_LINK, OF_OTHER, OF_NONE = (f"link:{links.digest(link)}" for link in (LINK, OTHER, ""))
DAYS = 2_592_000
GO = "group:go time:go score:go".split()
REDIS = "group:redis time:redis score:redis".split()
SITE = "time: score: good:".split()
#: Where an article of ann's may stand that take_down is to find, in its order.
OF_ANN = ["posted:ann", "gone:ann", OF_LINK, "reports:"]

#: A vote of bob's on article 1, with which the names of its groups are still to be said.
OF_VOTE = "article:1 voted:1 score: good: user:bob score:go".split()
VOTE = ["cast", 2, "bob", "word", 432, 1, 604_800, 3_600]

#: One call of every script that changes the database of :func:`laid`: the keys, then the arguments.
CALLS: dict[str, tuple[list[str], list[Any]]] = {
    "post_article": (
        ["article:9", "voted:9", *SITE, "posted:ann", "once:1-form-0009", "groups:", OF_OTHER, "user:ann", *GO],
        ["A title", OTHER, "", "ann", 1, 1, 432, 1, 608_400, 86_400, DAYS, 0, "go"],
    ),
    "cast_vote": (OF_VOTE, [*VOTE, "go"]),
    "cast_vote with a limit": ([*OF_VOTE, "limit:few-one"], [*VOTE, "go", 3, 10]),
    "cast_vote to take back": (
        "article:2 voted:2 score: good: user:bob score:go".split(),
        ["take-back", 2, "bob", "word", 432, 2, 604_800, 3_600, "go"],
    ),
    "set_groups": (["article:1", "groups:", *REDIS, *GO], [*UNLOGGED, 432, 5, 1, "redis", "go"]),
    "set_groups in the log": (["article:1", "groups:", *REDIS, *GO, *LOG], [*LOGGED, 432, 5, 1, "redis", "go"]),
    "set_groups to undo": (
        ["article:1", "groups:", *REDIS, *GO, *LOG, "log-entry:5"],
        [*UNDOING, 432, 5, 1, "redis", "go"],
    ),
    "edit_article": (
        ["article:1", "groups:", OF_LINK, OF_OTHER, *REDIS, *GO],
        [*UNLOGGED, "ANN", 900, 432, 5, "Another", OTHER, "text", LINK, DAYS, 1, "redis", "go"],
    ),
    "edit_article in the log": (
        ["article:1", "groups:", OF_LINK, OF_NONE, *REDIS, *GO, *LOG],
        [*LOGGED, "", 0, 432, 5, "Another", "", "text", LINK, DAYS, 1, "redis", "go"],
    ),
    "take_down to delete": (
        ["article:1", "voted:1", *SITE, *OF_ANN, "report:1", "user:ann", *GO],
        [*UNLOGGED, "deleted", "", "ann", 900, LINK, "ann", "go"],
    ),
    "take_down to delete what is removed": (
        ["article:4", "voted:4", *SITE, *OF_ANN, "report:4", "user:ann", *GO],
        [*UNLOGGED, "deleted", "", "", 900, LINK, "ann", "go"],
    ),
    "take_down to remove": (
        ["article:1", "voted:1", *SITE, *OF_ANN, "report:1", "user:ann", *GO, *LOG],
        [*LOGGED, "removed", "spam", "", 900, LINK, "ann", "go"],
    ),
    "restore_article": (
        ["article:4", *SITE, "posted:ann", "gone:ann", OF_LINK, "user:ann", *GO, *LOG],
        [*LOGGED, 432, 1, DAYS, LINK, "ann", "go"],
    ),
    "report_article": ("article:2 reports: report:2 reported:bob".split(), ["bob", '{"by": "bob", "note": "à"}']),
    "dismiss_reports": (["article:1", "reports:", "report:1", *LOG], LOGGED),
    "import_article": (
        ["article:9", "voted:9", *SITE, "posted:ann", "imported:", OF_OTHER, *GO],
        ["A title", OTHER, "", "ann", 1, 4e9, 7, 432, 1, 604_800, 3_600, "digest", DAYS, "go"],
    ),
    "make_group": (["groups:", "group-info:lua", *LOG], [*LOGGED, "make", "lua", "Lua", "the language"]),
    "make_group to change": (["groups:", "group-info:go", *LOG], [*LOGGED, "change", "go", "Golang", "the language"]),
    "make_user": (["user:dan", "invite:none", "user:bob", "user:", *LOG], [*LOGGED, 0, "dan", "hash", "admin", "word"]),
    "make_user by invitation": (
        ["user:dan", "invite:open", "user:bob", "user:"],
        [*UNLOGGED, 1, "dan", "hash", "member", "word"],
    ),
    "change_user": (["user:bob", *LOG], [*LOGGED, "", "role", "admin", "session", "other word"]),
    "change_user to ban": (["user:bob", *LOG], [*LOGGED, "free", "banned", "17", "session", "other word"]),
    "change_user to unban": (["user:eve", *LOG], [*LOGGED, "banned", "banned", "0"]),
    "make_invitation": (["invite:new", "invites:bob"], ["bob", 4e9]),
    "revoke_invitation": (["invite:open"], ["BOB"]),
    "reset_password": (["reset:digest", "user:bob"], ["bob", "new hash", "new word"]),
    "start_account_deletion": (["user:bob", "leaving:"], ["bob", "new word", "keep"]),
    "disown_article": ("article:1 posted:ann gone:ann".split(), ["[deleted]"]),
    "finish_account_deletion": ("leaving: posted:zoe gone:zoe".split(), ["zoe"]),
    "repair_article": (
        ["article:1", "voted:1", *SITE, "posted:ann", "gone:ann", OF_LINK, "user:ann", *GO],
        [100, 1, 604_800, DAYS, "go", "ann", LINK],
    ),
    "repair_voters": (["article:1", "voted:1"], [1_000_000, 3_600]),
    "repair_reports": ("article:2 reports: report:1".split(), []),
    "repair_group to make it": ("groups: group-info:perl group:perl time:perl score:perl".split(), ["perl", 1]),
    "repair_group to clear it away": (["groups:", "group-info:perl", *GO], ["perl", 0]),
    "index_log_entry": ("log-entry:1 log-by:eve".split(), ["time"]),
    "remove_stray_member": ("posted:ann article:1".split(), ["article:1", "poster", "ann"]),
    "drop_stray from a set": ("group:go article:1".split(), ["article:1", "groups", "go"]),
    "rescore_article": ("article:1 score: good: score:go".split(), [100, 1, "go"]),
    "combine_groups": ("score:go+redis score:go score:redis".split(), [60, 2_000]),
    "hit_rate_limit": (["limit:few-one", "limit:fewer-two"], [3, 10, 2, 100]),
    "refund_rate_limit": (["limit:few-spent"], [100]),
}
#: Scripts that count: each run is one more, which for an answer that was lost harms nobody.
COUNTING = {"hit_rate_limit", "refund_rate_limit"}


#: The scripts that only read.
READING = {"own_votes"}


def laid(store: Store) -> Store:
    """Lay in what the CALLS work on.

    Four articles of ann's: 1 and 2 in "go", one reported, one voted for; 3 in "redis"; 4 removed from "go". Eve is
    banned, Zoe is leaving, and bob has an open invitation and a one-time link.
    """
    ann, bob, eve, zoe = (factories.user(store, name) for name in ("ann", "bob", "eve", "zoe"))
    reported = factories.article(store, ann, groups=("go",))
    voted = factories.article(store, ann, groups=("go",))
    store.votes.cast(voted.id, bob)
    factories.article(store, ann, groups=("redis",))
    removed = factories.article(store, ann, groups=("go",))
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, "Mod", about="ann", article=removed.id, why="spam"))
    store.reports.make(reported.id, bob, Reason.SPAM, "")
    store.users.ban(eve.name, NewLogEntry(LogAction.BAN, "Mod", about="eve", why="spam"))
    store.account_deletion.start(zoe, delete_articles=False)
    run(store, "HSET", "invite:open", "by", "bob", "until", "4000000000")
    run(store, "HSET", "user:bob", "session", "word")
    run(store, "SET", "reset:digest", "bob")
    run(store, "SET", "limit:few-spent", "4000000000", "EX", 1_000)
    store.connection.load_scripts()
    return store


@pytest.fixture
def site(make_store: MakeStore) -> Store:
    return laid(make_store(good_votes=1, vote_score=432.0))


def call(store: Store, name: str, keys: list[str] | None = None, arguments: list[Any] | None = None) -> Any:
    """Run a call of CALLS, or one of other keys or arguments."""
    usual_keys, usual_arguments = CALLS[name]
    return run(store, *scripts.call(name.split()[0], keys or usual_keys, arguments or usual_arguments))


def test_every_script_is_tried() -> None:
    assert {name.split()[0] for name in CALLS} == set(scripts.sources()) - READING


@pytest.mark.parametrize("name", CALLS)
def test_a_script_run_twice_leaves_what_it_leaves_once(site: Store, name: str) -> None:
    before = snapshot(site)
    call(site, name)
    once = snapshot(site)
    call(site, name)
    assert once != before
    assert (snapshot(site) == once) is (name not in COUNTING)


@pytest.mark.parametrize("name", CALLS)
def test_a_key_of_another_type_stops_a_script_before_it_writes(site: Store, name: str) -> None:
    for key in CALLS[name][0]:
        was_there = run(site, "EXISTS", key)
        if was_there:
            run(site, "RENAME", key, "aside")
        run(site, "RPUSH", key, "a list is what no script of ours expects")
        before = snapshot(site)
        try:
            answer = call(site, name)
        except redis.ResponseError:
            answer = ["refused"]
        # All but the first: the key is there, so that nothing is to do.
        assert answer[0] in ("refused", "kept", "known", "again", "taken"), key
        assert snapshot(site) == before, key
        run(site, "DEL", key)
        if was_there:
            run(site, "RENAME", "aside", key)


@pytest.mark.parametrize(
    "name",
    ["cast_vote", "cast_vote to take back", "set_groups", "edit_article", "take_down to remove", "restore_article"],
)
@pytest.mark.parametrize("field", ["time", "votes", "base"])
def test_a_number_that_is_none_stops_a_script_before_it_writes(site: Store, name: str, field: str) -> None:
    run(site, "HSET", CALLS[name][0][0], field, "many")
    before = snapshot(site)
    try:
        call(site, name)
    except redis.ResponseError:
        assert snapshot(site) == before
    else:  # a script that does not need this number
        assert (name, field) in {
            ("set_groups", "base"),
            ("edit_article", "base"),
            ("restore_article", "base"),
            ("take_down to remove", "base"),
            ("take_down to remove", "votes"),
            ("cast_vote", "votes"),
            ("cast_vote to take back", "votes"),
        }


@pytest.mark.parametrize("kept", ["title", "time"])
@pytest.mark.parametrize(
    "name",
    [
        *("cast_vote", "cast_vote to take back", "set_groups", "edit_article", "take_down to delete"),
        *("restore_article", "rescore_article"),
    ],
)
def test_half_an_article_is_none(site: Store, name: str, kept: str) -> None:
    key = CALLS[name][0][0]
    value = run(site, "HGET", key, kept)
    run(site, "DEL", key)
    run(site, "HSET", key, kept, value)
    before = snapshot(site)
    assert call(site, name) == ["unknown"]
    assert snapshot(site) == before


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("cast_vote", ["cast", 1, "ann", *VOTE[3:], "go"], ["already", "1"]),
        ("cast_vote", ["take-back", 1, "ann", *VOTE[3:], "go"], ["own", "1"]),
        ("cast_vote", ["take-back", *VOTE[1:], "go"], ["absent", "1"]),
        ("cast_vote", [*VOTE, ""], ["again", "go"]),
        ("cast_vote", [*VOTE, "go"], ["counted", "2"]),
        ("cast_vote", ["cast", 2, "bob", "another", *VOTE[4:], "go"], ["out"]),
        ("cast_vote with a limit", ["cast", 2, "bob", "another", *VOTE[4:], "go", 3, 10], ["out"]),
        ("cast_vote with a limit", [*VOTE, "", 3, 10], ["again", "go"]),
        ("cast_vote with a limit", [*VOTE, "go", 3, 10], ["counted", "2"]),
        ("set_groups in the log", [*LOGGED, 432, 5, 1, "redis", "go"], ["set", "redis"]),
        ("set_groups", [*UNLOGGED, 432, 0, 1, "redis", "nothing"], ["too-many"]),
        ("edit_article", [*UNLOGGED, "bob", 900, 432, 5, "T", OTHER, "", LINK, DAYS, 0], ["not-yours"]),
        ("edit_article", [*UNLOGGED, "ann", 900, 432, 5, "T", OTHER, "", OTHER, DAYS, 0], ["again", LINK]),
        ("take_down to delete", [*UNLOGGED, "deleted", "", "bob", 900, LINK, "ann", "go"], ["not-yours"]),
        ("take_down to delete", [*UNLOGGED, "deleted", "", "ann", 900, OTHER, "ann", "go"], ["again"]),
        ("take_down to delete", [*UNLOGGED, "deleted", "", "", 900, LINK, "bob", "go"], ["again"]),
        ("take_down to delete", [*UNLOGGED, "deleted", "", "", 900, LINK, "ann"], ["again"]),
        (
            "take_down to delete what is removed",
            [*UNLOGGED, "deleted", "", "ann", 900, LINK, "ann", "go"],
            ["already", "removed"],
        ),
        (
            "take_down to delete what is removed",
            [*UNLOGGED, "removed", "", "", 900, LINK, "ann", "go"],
            ["already", "removed"],
        ),
        ("restore_article", [*LOGGED, 432, 1, DAYS, OTHER, "ann", "go"], ["again"]),
        ("restore_article", [*LOGGED, 432, 1, DAYS, LINK, "bob", "go"], ["again"]),
        ("restore_article", [*LOGGED, 432, 1, DAYS, LINK, "ann"], ["again"]),
        ("dismiss_reports", LOGGED, ["dismissed", "1"]),
        ("make_group", [*UNLOGGED, "make", "go", "Go", ""], ["exists"]),
        ("make_group", [*UNLOGGED, "change", "lua", "Lua", ""], ["unknown"]),
        ("make_user", [*UNLOGGED, 0, "dan", "", "member", "word"], ["made", "5", "word"]),
        ("make_user", [*UNLOGGED, 1, "dan", "", "member", "word"], ["no-invitation"]),
        ("change_user", [*UNLOGGED, "banned", "banned", "0"], ["same"]),
        ("change_user to unban", [*UNLOGGED, "free", "banned", "17"], ["same"]),
        ("revoke_invitation", ["ann"], ["unknown"]),
        ("revoke_invitation", [""], ["revoked"]),
        ("reset_password", ["ann", "hash", "word"], ["unknown"]),
        ("combine_groups", [60, 2_000], ["made"]),
        ("hit_rate_limit", [3, 10, 2, 100], ["counted"]),
        ("refund_rate_limit", [100], ["done"]),
        ("repair_article", [432, 1, 604_800, DAYS, "go", "ann", LINK], ["sound"]),
        ("repair_article", [432, 2, 604_800, DAYS, "go", "ann", LINK], ["mended"]),
        ("repair_article", [432, 1, 604_800, DAYS, "", "ann", LINK], ["again"]),
        ("repair_article", [432, 1, 604_800, DAYS, "go", "bob", LINK], ["again"]),
        ("repair_article", [432, 1, 604_800, DAYS, "go", "ann", OTHER], ["again"]),
        ("repair_voters", [604_800, 3_600], ["sound"]),
        ("repair_group to make it", ["go", 1], ["sound"]),
        ("repair_group to make it", ["perl", 0], ["sound"]),
        ("index_log_entry", ["who"], ["sound"]),
        ("remove_stray_member", ["article:1", "poster", "bob"], ["again"]),
        ("remove_stray_member", ["article:77", "poster", "ann"], ["sound"]),
        ("rescore_article", [432, 1, "go"], ["same"]),
        ("rescore_article", [432, 2, "go"], ["moved"]),
        ("rescore_article", [432, 1, ""], ["again", "go"]),
    ],
)
def test_a_script_answers_with_its_words(site: Store, name: str, arguments: list[Any], answer: list[str]) -> None:
    assert call(site, name, arguments=arguments) == answer


def test_scores_are_written_whole_and_not_by_steps(site: Store) -> None:
    article = site.articles.get(1)
    run(site, "ZADD", "score:", 17, "article:1")
    call(site, "cast_vote")
    assert run(site, "ZSCORE", "score:", "article:1") == pytest.approx(article.time + 2 * 432, abs=1e-6)


@pytest.mark.parametrize(
    ("clock", "now"),
    [
        (("1700000000", "42"), "1700000000.000042"),
        (("1700000000", "0"), "1700000000.000000"),
        (("7", "999999"), "7.999999"),
    ],
)
def test_the_time_has_all_its_leading_zeros(store: Store, clock: tuple[str, str], now: str) -> None:
    stopped = f"local redis = {{ call = function() return {{ '{clock[0]}', '{clock[1]}' }} end }}"
    assert run(store, "EVAL", f"{stopped}\n{TEXTS['common']}\nreturn now()", 0) == now


# What follows reads the texts of the scripts only.

TEXTS = {path.stem: path.read_text() for path in sorted(Path(scripts.__file__).with_name("lua").glob("*.lua"))}


def head(name: str) -> str:
    """Return the comment that a script begins with."""
    return re.match(r"(?:--[^\n]*\n)+", TEXTS[name])[0]


def code(name: str) -> str:
    """Return a script without its comments and without what it says when it fails."""
    return re.sub(r"--[^\n]*|error\([^\n]*\)", "", TEXTS[name])


@pytest.mark.parametrize("name", scripts.sources())
def test_a_script_says_its_keys_its_arguments_and_its_answers(name: str) -> None:
    assert re.search(r"^-- KEYS  1 .*^-- ARGV  .*^-- Answers  ", head(name), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", scripts.sources())
def test_every_key_and_argument_that_a_script_names_is_in_its_head(name: str) -> None:
    keys, _, rest = head(name).partition("-- KEYS")[2].partition("-- ARGV")
    for array, told in [("KEYS", keys), ("ARGV", rest.partition("-- Answers")[0])]:
        for number in set(re.findall(rf"{array}\[(\d+)\]", code(name))):
            assert re.search(rf"(?:^|\s){number} |then|and so on", told), f"{array}[{number}]"


@pytest.mark.parametrize("name", TEXTS)
def test_a_script_builds_no_key(name: str) -> None:
    literals = [one or other for one, other in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", code(name))]
    assert [literal for literal in literals if ":" in literal] == []
    assert re.findall(r"(?:KEYS\[[^\]]*\]|\bkey|\branking)\s*\.\.|\.\.\s*(?:KEYS\[|key\b|ranking\b)", code(name)) == []
    for command, key in re.findall(r"redis\.call\('(\w+)'(?:,\s*([\w\[\]+]+))?", code(name)):
        assert command == "TIME" or key.startswith(("KEYS[", "key", "ranking")), f"{command} {key}"
