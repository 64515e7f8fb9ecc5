"""The secret address of a feed, here that of an inbox: renewed, withdrawn, and gone with the account."""

import pytest

from tests import factories
from tests.store.examination import run, snapshot
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed

pytestmark = pytest.mark.usefixtures("sound")

INBOX = SecretFeed.INBOX


@pytest.mark.parametrize("feed", SecretFeed)
def test_an_address_works_until_it_is_renewed_or_withdrawn(store: Store, feed: SecretFeed) -> None:
    ann = factories.user(store, "Ann")

    def state(token: str) -> tuple[str | None, bool, list[str]]:
        known = store.read(store.feeds.queue_has, feed, "ann")
        return store.feeds.name_of(feed, token), known, run(store, "KEYS", f"{feed}:*")

    assert state("") == (None, False, [])
    first = store.feeds.renew(feed, ann)
    second = store.feeds.renew(feed, ann)
    assert second not in str(snapshot(store))
    name, known, keys = state(second)
    assert (name, known, len(keys)) == ("ann", True, 1)
    assert store.feeds.name_of(feed, first) is None
    for _ in range(2):
        store.feeds.withdraw(feed, "Ann")
        assert state(second) == (None, False, [])
