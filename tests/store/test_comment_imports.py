"""Imports of comments: every row once, below its article and the comment that it answers."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, unchanged
from voteweb.core import links
from voteweb.core.config import MAX_COMMENT_LEVEL, MAX_COMMENTS, VOTER_BLOCK
from voteweb.core.errors import ConversationEnded
from voteweb.store import Store
from voteweb.store.comments.imports import ImportedComment
from voteweb.store.connection.pipeline import Command

START = 1_700_000_000.0


def comment(n: int, parent: int = 0, **changes: Any) -> ImportedComment:
    """Return a comment to import, by default on the article 1."""
    fields: dict[str, Any] = {"article": 1, "text": f"Comment {n}", "poster": "Ann", "time": START + n, "votes": n}
    fields |= {"digest": f"row {n}", "parent_digest": f"row {parent}" if parent else ""}
    return ImportedComment(**fields | changes)


@pytest.fixture
def site(store: Store) -> Store:
    """A site with an old article."""
    factories.imported(store, time=START)
    return store


def test_imported_comments_keep_words_votes_and_replies(site: Store) -> None:
    assert site.imports.add_comments([comment(70), comment(80, 70), comment(75, 80, poster="bob")]) == ["imported"] * 3
    nodes = factories.thread(site).nodes.values()
    assert [(node.parent, node.votes, node.base, node.time, node.author) for node in nodes] == [
        (0, 70, 70, START + 70, "Ann"),
        (1, 80, 80, START + 80, "Ann"),
        (2, 75, 75, START + 75, "bob"),
    ]
    assert run(site, "HVALS", "words:1") == ["Comment 70", "Comment 80", "Comment 75"]
    site.imports.order_lists(["ann", "bob"], [1])
    assert run(site, "LRANGE", "comments:", 0, -1) == ["1.2", "1.3", "1.1"]
    assert run(site, "LRANGE", "commented:ann", 0, -1) == ["1.2", "1.1"]
    assert broken(site) == []


def test_members_that_an_imported_comment_names_are_noted(site: Store) -> None:
    site.imports.add_comments([comment(1, text="@bob and @nobody, @ann"), comment(2, poster="bob")])
    assert [node.named for node in factories.thread(site).nodes.values()] == ["BAB", ""]


def test_a_row_is_imported_once_and_later_replies_find_it(site: Store, make_store: MakeStore) -> None:
    assert site.imports.add_comments([comment(1), comment(1), comment(2, 1)]) == ["imported", "known", "imported"]
    again = make_store().imports
    with unchanged(site):
        assert again.add_comments([comment(1), comment(2, 1)]) == ["known", "known"]
    assert again.add_comments([comment(3, 2)]) == ["imported"]
    assert factories.thread(site).nodes[3].parent == 2


def test_rows_after_a_refused_one_get_the_numbers_that_follow(site: Store) -> None:
    rows = [comment(1), comment(2, 99), comment(3, 2), comment(4, 1), comment(5, article=7), comment(6, 4)]
    assert site.imports.add_comments(rows) == [
        "imported", "no-parent", "no-parent", "imported", "unknown", "imported",
    ]  # fmt: skip
    assert {number: node.parent for number, node in factories.thread(site).nodes.items()} == {1: 0, 2: 1, 3: 2}
    run(site, "HSET", "thread:1", "1", "0 0 0 1700000001.5 R Ann")
    assert site.imports.add_comments([comment(7, 4), comment(8)]) == ["parent-gone", "imported"]
    run(site, "HSET", "thread:1", "last", MAX_COMMENTS)
    assert site.imports.add_comments([comment(9), comment(10)]) == ["full", "full"]


def test_the_deepest_level_is_kept_until_the_article_is_gone(site: Store) -> None:
    rows = [comment(n, n - 1) for n in range(1, MAX_COMMENT_LEVEL + 3)]
    assert site.imports.add_comments(rows) == ["imported"] * MAX_COMMENT_LEVEL + ["too-deep", "no-parent"]
    site.removals.delete(1)
    assert site.imports.add_comments([comment(200)]) == ["gone"]


def test_an_old_conversation_is_closed_and_a_young_one_open(site: Store) -> None:
    young = factories.article(site)
    rows = [comment(n, article=young.id, digest=f"young {n}", time=time.time()) for n in range(1, VOTER_BLOCK + 2)]
    site.imports.add_comments([comment(1), *rows])
    with pytest.raises(ConversationEnded):
        factories.comment(site, 1)
    assert run(site, "EXISTS", "voted-comments:1-0") == 0
    assert factories.comment(site, young).number == VOTER_BLOCK + 2
    assert run(site, "SMEMBERS", f"voted-comments:{young.id}-1") == {"0"}
    assert factories.thread(site).closes == int(START) + 14 * 86_400
    assert broken(site) == []


def test_comments_are_no_older_than_articles_and_former_members_nameless(site: Store) -> None:
    site.account_deletion.start(factories.user(site, "Zoe"), delete_articles=False)
    site.imports.add_comments([comment(1, poster="ZOE", time=START - 100)])
    node = factories.thread(site).nodes[1]
    assert (node.author, node.time) == ("[deleted]", START)
    assert run(site, "EXISTS", "commented:zoe") == 0


def test_a_long_list_is_ordered_though_an_answer_is_lost(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    site.imports.add_comments([comment(2), comment(1)])
    run(site, "RPUSH", "commented:ann", *(f"7.{number}" for number in range(1, MAX_COMMENTS)))
    run_once, repeated = site.connection.run, []

    def run_twice(commands: Sequence[Command], **options: Any) -> list[Any]:
        if commands[0][0] == "RPUSH" and not repeated:
            repeated.append(run_once(commands, **options))
        return run_once(commands, **options)

    monkeypatch.setattr(site.connection, "run", run_twice)
    site.imports.order_lists(["ann"], [])
    assert repeated
    assert run(site, "LRANGE", "commented:ann", 0, 2) == ["1.1", "1.2", f"7.{MAX_COMMENTS - 1}"]


def test_articles_are_found_by_link_however_old(store: Store) -> None:
    old, young = factories.imported(store, link="https://old.example/", time=START), factories.article(store)
    again = factories.imported(store, link="http://www.old.example", time=START + 1)
    digests = [links.digest(link) for link in ("https://old.example", young.link, "https://none.example")]
    assert store.imports.find_articles(digests) == {digests[0]: again.id, digests[1]: young.id}
    store.removals.delete(again.id)
    assert store.imports.find_articles(digests[:1]) == {digests[0]: old.id}
