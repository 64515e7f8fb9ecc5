"""The sample: articles, groups and a moderator for an empty database."""

import time
from dataclasses import replace

from tests.cli.results import log_entries, newest_articles
from tests.factories import user
from tests.store.examination import broken
from voteweb.cli.sample import import_sample, readable_password
from voteweb.core import passwords, validation
from voteweb.core.config import COMMAND_LINE, Settings
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.server_info import Counts

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
    account = import_sample(store, settings, time.time())
    assert account is not None
    moderator = store.users.get(account.name)
    assert moderator.role == Role.MODERATOR
    assert passwords.verify(moderator.password, account.password)
    (entry,) = log_entries(store)
    assert (entry.kind, entry.who, entry.about) == (LogAction.ROLE, COMMAND_LINE, account.name)


def test_voting_is_open_on_every_article(store: Store, settings: Settings) -> None:
    import_sample(store, settings, time.time())
    bob = user(store, "bob")
    for id in range(1, ARTICLES + 1):
        before = store.articles.get(id).votes
        assert store.votes.cast(id, bob) == before + 1


def test_a_site_with_a_member_is_not_changed(store: Store, settings: Settings) -> None:
    user(store, "ann")
    assert import_sample(store, settings, time.time()) is None
    assert store.server_info.counts() == Counts(articles=0, members=1, groups=0)


def test_a_second_import_changes_nothing(store: Store, settings: Settings) -> None:
    assert import_sample(store, settings, time.time())
    counts = store.server_info.counts()
    assert import_sample(store, settings, time.time()) is None
    assert store.server_info.counts() == counts


def test_an_import_that_stopped_after_its_groups_is_completed(store: Store, settings: Settings) -> None:
    store.groups.make("books", "Our own title", "")
    assert import_sample(store, settings, time.time())
    counts = store.server_info.counts()
    assert (counts.articles, counts.groups) == (ARTICLES, GROUPS)


def test_the_sample_fits_a_site_with_one_group_per_article(store: Store, settings: Settings) -> None:
    import_sample(store, replace(settings, max_groups=1), time.time())
    assert store.server_info.counts().articles == ARTICLES


def test_passwords_are_random_readable_and_long_enough() -> None:
    some = {readable_password() for _ in range(100)}
    assert len(some) == 100
    for password in some:
        assert validation.password(password) == password
        assert password.replace("-", "").isalpha()
