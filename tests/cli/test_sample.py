import time
from dataclasses import replace

from tests.factories import user
from voteweb.cli.sample import import_sample, readable_password
from voteweb.core import passwords, validation
from voteweb.core.config import COMMAND_LINE, Settings
from voteweb.core.models import LogAction, Order, Role
from voteweb.store import Store


def test_an_empty_site_gets_articles_groups_and_a_moderator(store: Store, settings: Settings) -> None:
    now = time.time()
    account = import_sample(store, settings, now)
    assert account is not None
    editor = store.users.get(account.name)
    assert editor.role == Role.MODERATOR
    entry = store.moderation_log.get(1)
    assert entry is not None
    assert (entry.kind, entry.who, entry.about) == (LogAction.ROLE, COMMAND_LINE, account.name)
    assert passwords.verify(editor.password, account.password)
    groups = store.groups.all(store.pipeline())
    assert len(groups) == 8
    assert all(group.title and group.description and group.articles for group in groups)
    pipeline = store.pipeline()
    page = store.listings.queue_page(pipeline, store.rankings.site(Order.TIME), 1)
    good = store.listings.queue_good(pipeline, 50)
    pipeline.execute()
    assert page.result.total == 60
    times = [article.time for article in page.result.rows]
    assert times == sorted(times, reverse=True)
    assert now - 3600 < times[0] <= now
    assert good.result
    assert list(store.doctor.examine()) == []


def test_the_whole_week_of_it_can_be_voted_on(store: Store, settings: Settings) -> None:
    import_sample(store, settings, time.time())
    bob = user(store, "bob")
    for id in range(1, 61):
        before = store.articles.get(id).votes
        assert store.votes.cast(id, bob) == before + 1


def test_a_site_with_anybody_in_it_is_left_as_it_is(store: Store, settings: Settings) -> None:
    user(store, "ann")
    assert import_sample(store, settings, time.time()) is None
    assert store.server_info.counts() == (0, 1, 0)


def test_a_second_time_nothing_happens(store: Store, settings: Settings) -> None:
    assert import_sample(store, settings, time.time())
    assert import_sample(store, settings, time.time()) is None
    assert store.server_info.counts().articles == 60


def test_a_stop_after_the_groups_does_no_harm(store: Store, settings: Settings) -> None:
    store.groups.make("books", "Our own title", "")
    assert import_sample(store, settings, time.time())
    assert store.server_info.counts() == (60, store.server_info.counts().members, 8)


def test_it_fits_a_site_of_one_group_per_article(store: Store, settings: Settings) -> None:
    import_sample(store, replace(settings, max_groups=1), time.time())
    assert store.server_info.counts().articles == 60


def test_passwords_are_fresh_readable_and_long_enough() -> None:
    some = {readable_password() for _ in range(100)}
    assert len(some) == 100
    for each in some:
        assert validation.password(each) == each
        assert each.replace("-", "").isalpha()
