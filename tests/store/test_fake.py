"""The fake database of other tests: it does what the real one does.

No assertion in this file changes without the product's owner.
"""

from tests import factories
from tests.store.examination import snapshot
from tests.store.queries import page_ids
from voteweb.core.models import Order
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def act(store: Store) -> None:
    """Do a little of everything."""
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    first = factories.article(store, ann, groups=("go", "redis"))
    second = factories.article(store, bob, groups=("go",))
    store.votes.cast(first.id, bob)
    store.articles.set_groups(second.id, ["redis"], [])
    factories.imported(store, groups=("go",), digest="row")


def test_the_same_acts_write_the_same_keys(store: Store, fake_store: Store) -> None:
    act(store)
    act(fake_store)
    real, fake = snapshot(store), snapshot(fake_store)
    assert {key.partition("-")[0]: kind for key, (kind, *_) in real.items()} == {
        key.partition("-")[0]: kind for key, (kind, *_) in fake.items()
    }


def test_a_fake_store_lists_its_articles(fake_store: Store) -> None:
    act(fake_store)
    assert page_ids(fake_store, fake_store.rankings.site(Order.SCORE)) == [1, 2, 3]
    assert page_ids(fake_store, fake_store.rankings.groups(["go", "redis"], Order.TIME)) == [2, 1]
    assert list(Doctor(fake_store.context).examine()) == []
