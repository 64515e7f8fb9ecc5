"""The sample: articles, groups and a moderator for an empty database."""

import time
from dataclasses import replace

from tests.cli.results import log_entries, newest_articles
from tests.factories import user
from tests.store.examination import broken, run
from voteweb.cli.sample import MODERATOR_NAME, _read_rows, import_sample, readable_password
from voteweb.core import passwords, permissions, validation
from voteweb.core.comments import NoticeKind
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, Role
from voteweb.core.settings import Settings
from voteweb.store import Store

ARTICLES, GROUPS, COMMENTS = 60, 8, 144


def test_an_empty_site_gets_moderator_articles_groups_and_conversations_once(store: Store, settings: Settings) -> None:
    now = time.time()
    password = import_sample(store, settings, now)
    assert password
    assert import_sample(store, settings, now) is None
    moderator = store.users.get(MODERATOR_NAME)
    assert (moderator.role, passwords.verify(moderator.password, password)) == (Role.MODERATOR, True)
    (entry,) = log_entries(store)
    assert (entry.kind, entry.who, entry.about) == (LogAction.ROLE, COMMAND_LINE, MODERATOR_NAME)
    pipeline = store.pipeline()
    good = store.listings.queue_good(pipeline, 50)
    pipeline.execute()
    assert good.result
    page = newest_articles(store)
    times = [article.time for article in page.rows]
    assert page.total == ARTICLES
    assert times == sorted(times, reverse=True)
    assert now - 3600 < times[0] <= now
    groups = store.groups.all(store.pipeline())
    assert len(groups) == GROUPS
    assert all(group.title and group.description and group.articles for group in groups)
    bob = user(store, "bob")
    comments = 0
    for id in range(1, ARTICLES + 1):
        article, thread = store.articles.get(id), store.threads.get(id)
        assert store.votes.cast(id, bob) == article.votes + 1
        assert all(article.time < node.time <= time.time() for node in thread.nodes.values())
        assert permissions.is_open(article, thread, now, settings) or not article.comments
        comments += article.comments
    assert comments == COMMENTS
    inbox = store.read(store.inbox.queue_page, MODERATOR_NAME, 1)
    assert [notice.kind for notice in inbox.rows] == [NoticeKind.REPLY] * 2 + [NoticeKind.MENTION, NoticeKind.REPLY]
    assert broken(store) == []


def test_comments_of_the_sample_would_be_accepted_by_the_form() -> None:
    rows = _read_rows("sample-comments.jsonl")
    assert [row["text"] for row in rows] == [validation.comment(row["text"]) for row in rows]


def test_each_sample_comment_is_younger_than_the_one_before() -> None:
    articles = {row["title"]: row for row in _read_rows("sample.jsonl")}
    members = {row["poster"] for row in articles.values()} | {MODERATOR_NAME}
    ages: dict[str, list[float]] = {title: [row["hours"]] for title, row in articles.items()}
    for row in _read_rows("sample-comments.jsonl"):
        before = ages[row["title"]]
        assert row["n"] == len(before), row
        assert row["parent"] < row["n"], row
        assert row["hours"] < before[0], row
        assert row["hours"] <= before[-1], row
        assert row["poster"] in members, row
        before.append(row["hours"])


def test_an_import_stopped_after_groups_is_completed_as_settings_allow(store: Store, settings: Settings) -> None:
    store.groups.make("books", "Our own title", "")
    assert import_sample(store, replace(settings, comments=0, max_groups=1), time.time())
    counts = store.health.counts()
    assert (counts.articles, counts.groups) == (ARTICLES, GROUPS)
    assert run(store, "KEYS", "thread:*") == []


def test_passwords_are_random_readable_and_long_enough() -> None:
    some = {readable_password() for _ in range(100)}
    assert len(some) == 100
    for password in some:
        assert validation.password(password) == password
        assert password.replace("-", "").isalpha()
