"""Keys: one grammar, and nothing outside it, of the type and the lifetime that its docstring says."""

import inspect
import re
import time
from collections.abc import Callable

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run
from voteweb.core import rate_limits
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, Order, Reason, Role
from voteweb.store import Store, keys
from voteweb.store.moderation_log import NewLogEntry

#: What may stand for each argument of a key: a stand-in to spell the key with, and the pattern it stands for.
ARGUMENTS = {
    "id": ("9001", r"\d+"),
    "member": (9002, r"\d+"),
    "name": ("a-name", r"[\w-]+"),
    "token": ("a-token", r"[A-Za-z0-9_-]{8,64}"),
    "digest": ("a-digest", r"[0-9a-f]{20,32}"),
    "who": ("a-moderator", r"[\w -]+"),
    "kind": ("a-kind", r"[a-z]+"),
    "order": ("an-order", r"(?:time|score)"),
    "names": (("one-name", "two-name"), ""),
}
TYPES = {"A hash: ": "hash", "A set: ": "set", "A sorted set: ": "zset", "A string: ": "string"}


def key_makers() -> dict[str, Callable[..., str]]:
    """Return the functions of the module that spell a key."""
    found = dict(inspect.getmembers(keys, inspect.isfunction))
    return {name: function for name, function in found.items() if inspect.signature(function).return_annotation is str}


def pattern(maker: Callable[..., str]) -> re.Pattern[str]:
    """Return what the keys of *maker* look like."""
    names = list(inspect.signature(maker).parameters)
    text = re.escape(maker(*(ARGUMENTS[name][0] for name in names)))
    if maker is keys.log_kind:  # the moderator may be left out
        text = text.replace(re.escape("+a-moderator"), r"(?:\+[\w -]+)?")
    for name in names:
        if name == "names":
            text = text.replace(re.escape("one-name+two-name"), r"[\w-]+(?:\+[\w-]+){1,3}")
        else:
            text = text.replace(re.escape(str(ARGUMENTS[name][0])), ARGUMENTS[name][1])
    return re.compile(text)


@pytest.fixture
def busy(make_store: MakeStore) -> Store:
    """A store in which everything has been done once."""
    store = make_store(good_votes=2, vote_score=432.0, limits=1)
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob_-9")
    first = factories.article(store, ann, groups=("go", "编程", "c_-9"))
    factories.article(store, bob, text="text", link="")
    store.votes.cast(first.id, bob)
    store.votes.take_back(first.id, bob)
    store.votes.cast(first.id, bob)
    store.articles.set_groups(first.id, ["go"], ["c_-9"])
    store.groups.change("go", "Go", "the language")
    store.users.set_role("ann", Role.ADMIN)
    store.users.set_password("ann", "hash")
    store.users.refresh_hash("ann", "hash")
    factories.imported(store, groups=("java", "go"))
    factories.imported(store, votes=500, groups=("java", "编程"))
    pipeline = store.pipeline()
    for order in (Order.SCORE, Order.TIME):
        store.listings.queue_page(pipeline, store.rankings.groups(["go", "java", "编程"], order), 1)
    pipeline.execute()
    removed = factories.article(store, ann, groups=("go",))
    store.removals.remove(removed.id, NewLogEntry(LogAction.REMOVE, COMMAND_LINE, about="Ann", article=removed.id, why="spam"))
    store.reports.make(first.id, bob, Reason.TOPIC, "a note")
    store.invitations.make(bob)
    store.password_resets.make("bob_-9")
    store.account_deletion.start(factories.user(store, "zoe"), delete_articles=True)
    assert store.rate_limits.hit([(rate_limits.LOGIN, "198.51.100.7")]) is None
    run(store, "SET", "restoring:", int(time.time()))
    assert broken(store) == []
    return store


@pytest.mark.parametrize("maker", key_makers().values(), ids=key_makers())
def test_a_key_says_its_type_its_meaning_and_its_lifetime(maker: Callable[..., str]) -> None:
    told = inspect.getdoc(maker) or ""
    assert told.startswith(tuple(TYPES))
    assert re.search(r"; [^;]+\.$", told)
    assert ":" in pattern(maker).pattern


def test_every_key_of_a_busy_site_is_in_the_grammar_with_its_type_and_lifetime(busy: Store) -> None:
    seen = set()
    for key in run(busy, "KEYS", "*"):
        makers = [(name, maker) for name, maker in key_makers().items() if pattern(maker).fullmatch(key)]
        assert len(makers) == 1, f"{key}: {makers}"
        assert keys.is_ours(key)
        ((name, maker),) = makers
        told = inspect.getdoc(maker) or ""
        (kind,) = [kind for start, kind in TYPES.items() if told.startswith(start)]
        assert run(busy, "TYPE", key) == kind, key
        assert (run(busy, "TTL", key) == -1) == told.endswith(
            ("; for ever.", "; until they are.", "; until they are settled.", "; until it ends.")
        ), key
        seen.add(name)
    assert seen == set(key_makers())


@pytest.mark.parametrize(
    "key",
    [
        *("", "x", "celery", "cache:", "session:abc", "rq:job:1", "{user}:b", "a\nuser:b", "Article:1", "articles:1"),
        *(
            "article",
            "article:x",
            "article:1:2",
            "article:１",
            "user:1:profile",
            "voted:",
            "voted:x",
            "group:",
            "good:x",
        ),
    ],
)
def test_a_key_of_another_program_is_told_from_ours(key: str) -> None:
    assert not keys.is_ours(key)


@pytest.mark.parametrize(("member", "id"), [("article:1", 1), ("article:0012", 12), ("article:1000000000000", 10**12)])
def test_a_member_of_a_ranking_has_an_id(member: str, id: int) -> None:
    assert keys.article_id(member) == id


@pytest.mark.parametrize(
    "member",
    ["", "article", "article:", "article:x", "article:-1", "article:1:2", "article:²", "article:１", "whole", "user:1"],
)
def test_what_is_no_article_has_none(member: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its words are the member itself
        keys.article_id(member)
