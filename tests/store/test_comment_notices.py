"""Notices of comments: who is told, why, and how often."""

import pytest

from tests import factories
from tests.store.examination import run
from voteweb.core import config
from voteweb.core.comments import CommentId, Thread
from voteweb.core.models import User
from voteweb.store import Store


@pytest.fixture
def bob(store: Store) -> User:
    """Bob, who wrote the first comment on ann's article; ann, cid and dan are members too."""
    factories.article(store)
    _, _, bob = (factories.user(store, name) for name in ("cid", "dan", "Bob"))
    factories.comment(store, 1, bob)
    run(store, "DEL", "inbox:ann", "unread:ann")
    return bob


def told(store: Store) -> dict[str, list[str]]:
    """Return the entries of all inboxes without their times, newest first; all are unread too."""
    inboxes = {}
    for name in ("ann", "bob", "cid", "dan"):
        entries = run(store, "LRANGE", f"inbox:{name}", 0, -1)
        assert run(store, "LRANGE", f"unread:{name}", 0, -1) == entries
        if entries:
            inboxes[name] = [entry.rpartition(" ")[0] for entry in entries]
    return inboxes


def answer(store: Store, author: str, text: str = "Yes.", parent: int = 1) -> CommentId:
    return factories.comment(store, 1, factories.user(store, author), parent=parent, text=text)


@pytest.mark.parametrize(
    ("author", "text", "expected"),
    [
        (
            "cid",
            "@ann and @bob and @dan, @DAN, @cid and @nobody: yes.",
            {"bob": ["reply 1.2"], "ann": ["article 1.2"], "dan": ["mention 1.2"]},
        ),
        ("ann", "Yes.", {"bob": ["reply 1.2"]}),
        ("bob", "@bob asks @BOB.", {"ann": ["article 1.2"]}),
    ],
)
def test_author_poster_and_named_members_are_told_once(
    store: Store, bob: User, author: str, text: str, expected: dict[str, list[str]]
) -> None:
    answer(store, author, text)
    assert told(store) == expected


def test_a_comment_notes_named_members_as_they_are_when_written(store: Store, bob: User) -> None:
    cid = factories.user(store, "cid")

    def named() -> str:
        return factories.thread(store).nodes[2].named

    id = answer(store, "cid", "@eve, @BOB, @cid and @nobody")
    assert named() == "ABB"
    factories.user(store, "eve")
    store.account_deletion.start(bob, delete_articles=False)
    store.comments.set_quiet(1, id.number, cid, True)
    assert named() == "ABB"
    store.comments.edit(id, "@eve, @BOB, @cid", cid)
    assert named() == "BAB"
    store.comments.edit(id, "Nobody.", cid)
    assert named() == ""


def test_whoever_left_is_told_nothing(store: Store, bob: User) -> None:
    store.account_deletion.start(bob, delete_articles=False)
    answer(store, "cid", "@bob left.")
    assert told(store) == {"ann": ["article 1.2"]}


def test_silence_ends_replies_and_comments_but_not_mentions(store: Store, bob: User) -> None:
    store.comments.set_quiet(1, 1, bob, is_quiet=True)
    store.comments.set_quiet(1, 0, store.users.get("ann"), is_quiet=True)
    answer(store, "cid")
    assert told(store) == {}
    answer(store, "cid", "@ann, @bob: yes.")
    assert told(store) == {"ann": ["mention 1.3"], "bob": ["mention 1.3"]}


def test_replies_below_the_own_article_are_no_comments_on_it(store: Store, bob: User) -> None:
    answer(store, "ann", parent=0)
    answer(store, "cid", "@ann: yes.", parent=2)
    store.comments.set_quiet(1, 2, store.users.get("ann"), is_quiet=True)
    answer(store, "cid", parent=2)
    assert told(store) == {"ann": ["reply 1.3"]}
    answer(store, "cid", parent=0)
    assert told(store) == {"ann": ["article 1.5", "reply 1.3"]}


def test_an_edit_tells_whom_it_names_for_the_first_time(store: Store, bob: User) -> None:
    cid = store.users.get("cid")
    comment = answer(store, "cid", "Ask @dan.")
    before = {"bob": ["reply 1.2"], "ann": ["article 1.2"], "dan": ["mention 1.2"]}
    for text in ("Ask @dan or @bob.", "Ask nobody.", "Ask @dan, @ann."):
        store.comments.edit(comment, text, cid)
        assert told(store) == before
    store.removals.delete(CommentId(1, 1), bob)
    other = answer(store, "bob", "Ask somebody.", parent=2)
    store.comments.edit(other, "Ask @dan.", bob)
    assert told(store)["dan"] == ["mention 1.3", "mention 1.2"]


def test_who_is_told_is_decided_when_the_comment_is_written(store: Store, bob: User) -> None:
    article = store.articles.get(1)
    run(store, "HSET", "thread:1", 2, factories.stored_node(author="dan"))
    run(store, "HSET", "article:1", "poster", "cid")
    known = Thread(1, nodes={2: store.threads.get(1).nodes[1]})  # the caller believes that bob wrote the second one
    store.comments.write(article, known, 2, "Yes.", store.users.get("ann"), factories.token())
    assert told(store) == {"dan": ["reply 1.3"], "cid": ["article 1.3"]}


def test_an_inbox_holds_the_newest_entries(store: Store, bob: User) -> None:
    old = [f"mention 9.{number} 1700000000" for number in range(config.INBOX_SIZE)]
    run(store, "RPUSH", "inbox:bob", *old)
    run(store, "RPUSH", "unread:bob", *old[-1:])
    answer(store, "cid")
    assert (run(store, "LLEN", "inbox:bob"), run(store, "LLEN", "unread:bob")) == (config.INBOX_SIZE, 1)
    for key in ("inbox:bob", "unread:bob"):
        assert config.INBOX_SECONDS - 60 < run(store, "TTL", key) <= config.INBOX_SECONDS
