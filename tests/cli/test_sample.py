"""The sample: articles, groups and a moderator for an empty database."""

import time
from dataclasses import replace

from tests.cli.results import log_entries, newest_articles
from tests.factories import user
from tests.store.examination import broken, run
from voteweb.cli.sample import MODERATOR_NAME, _read_rows, import_sample, readable_password
from voteweb.core import passwords, permissions, validation
from voteweb.core.comments import CommentStatus, NoticeKind
from voteweb.core.config import COMMAND_LINE
from voteweb.core.models import LogAction, Role
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.server.health import Counts

ARTICLES, GROUPS = 60, 8


def test_an_empty_site_gets_articles_and_groups(store: Store, settings: Settings) -> None:
    now = time.time()
    import_sample(store, settings, now)
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
    assert broken(store) == []


def test_an_empty_site_gets_a_moderator(store: Store, settings: Settings) -> None:
    password = import_sample(store, settings, time.time())
    moderator = store.users.get(MODERATOR_NAME)
    assert password
    assert moderator.role == Role.MODERATOR
    assert passwords.verify(moderator.password, password)
    (entry,) = log_entries(store)
    assert (entry.kind, entry.who, entry.about) == (LogAction.ROLE, COMMAND_LINE, MODERATOR_NAME)


def test_an_empty_site_gets_conversations(store: Store, settings: Settings) -> None:
    now = time.time()
    assert import_sample(store, settings, now)
    ids = [id for id in range(1, ARTICLES + 1) if store.articles.get(id).comments]
    assert len(ids) == 4
    for id in ids:
        article, thread = store.articles.get(id), store.threads.get(id)
        assert all(article.time < node.time <= time.time() for node in thread.nodes.values())
        assert all(node.author for node in thread.nodes.values() if node.status is CommentStatus.VISIBLE)
        assert permissions.is_open(article, thread, now, settings)
    nodes = [node for id in ids for node in store.threads.get(id).nodes.values()]
    assert sum(node.status is CommentStatus.DELETED for node in nodes) == 1
    inbox = store.read(store.inbox.queue_page, MODERATOR_NAME, 1)
    assert [notice.kind for notice in inbox.rows] == [NoticeKind.MENTION, NoticeKind.REPLY]
    assert broken(store) == []


def test_a_site_without_comments_gets_none(store: Store, settings: Settings) -> None:
    import_sample(store, replace(settings, comments=0), time.time())
    assert run(store, "KEYS", "thread:*") == []


def test_comments_of_the_sample_would_be_accepted_by_the_form() -> None:
    rows = _read_rows("sample-comments.jsonl")
    assert [row["text"] for row in rows] == [validation.comment(row["text"]) for row in rows]


def test_voting_is_open_on_every_article(store: Store, settings: Settings) -> None:
    import_sample(store, settings, time.time())
    bob = user(store, "bob")
    for id in range(1, ARTICLES + 1):
        before = store.articles.get(id).votes
        assert store.votes.cast(id, bob) == before + 1


def test_a_site_with_a_member_is_not_changed(store: Store, settings: Settings) -> None:
    user(store, "ann")
    assert import_sample(store, settings, time.time()) is None
    assert store.health.counts() == Counts(articles=0, members=1, groups=0)


def test_a_second_import_changes_nothing(store: Store, settings: Settings) -> None:
    assert import_sample(store, settings, time.time())
    counts = store.health.counts()
    assert import_sample(store, settings, time.time()) is None
    assert store.health.counts() == counts


def test_an_import_that_stopped_after_its_groups_is_completed(store: Store, settings: Settings) -> None:
    store.groups.make("books", "Our own title", "")
    assert import_sample(store, settings, time.time())
    counts = store.health.counts()
    assert (counts.articles, counts.groups) == (ARTICLES, GROUPS)


def test_the_sample_fits_a_site_with_one_group_per_article(store: Store, settings: Settings) -> None:
    import_sample(store, replace(settings, max_groups=1), time.time())
    assert store.health.counts().articles == ARTICLES


def test_passwords_are_random_readable_and_long_enough() -> None:
    some = {readable_password() for _ in range(100)}
    assert len(some) == 100
    for password in some:
        assert validation.password(password) == password
        assert password.replace("-", "").isalpha()
