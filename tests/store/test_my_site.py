"""Own choices of members: bounded, exactly once, seen by other processes, and gone with the account."""

import pytest

from tests import factories
from tests.store.examination import broken, run
from voteweb.core import config
from voteweb.core.errors import (
    NoSuchArticle,
    NoSuchGroup,
    NothingToHide,
    TooMuchFollowed,
    TooMuchHidden,
    TooMuchSaved,
)
from voteweb.core.models import User
from voteweb.core.my_site import Hidden, HiddenKind, MySite, hidden_member
from voteweb.store import Store


@pytest.fixture
def ann(store: Store) -> User:
    """Ann, on a site with the groups "go" and "redis", the former with article 1 by bob."""
    for name in ("go", "redis"):
        store.groups.make(name, name, "")
    factories.article(store, factories.user(store, "bob"), groups=("go",))
    return factories.user(store, "Ann")


def choice(store: Store) -> MySite:
    return store.read(store.my_sites.queue_choice, "ann")


def saved(store: Store) -> list[int]:
    return [row.id for row in store.read(store.my_sites.queue_saved, "ann", 1).rows]


def hidden_article(id: int) -> Hidden:
    return Hidden(HiddenKind.ARTICLE, str(id))


def test_a_choice_is_kept_until_it_is_taken_back(store: Store, ann: User) -> None:
    store.my_sites.follow("redis", ann)
    store.my_sites.hide(hidden_article(1), ann)
    factories.choices(store, ann, group="go", hidden="BOB", article=1)
    assert (choice(store), saved(store)) == (MySite(("go", "redis"), frozenset({"mbob", "a1"})), [1])
    store.my_sites.unfollow("redis", ann)
    store.my_sites.show(hidden_member("bob"), ann)
    store.my_sites.unsave(1, ann)
    assert (choice(store), saved(store)) == (MySite(("go",), frozenset({"a1"})), [])
    assert broken(store) == []


def test_only_existing_listed_things_are_followed_hidden_or_saved(store: Store, ann: User) -> None:
    factories.remove(store)
    with pytest.raises(NoSuchGroup):
        store.my_sites.follow("perl", ann)
    for hidden in (hidden_article(1), hidden_article(77), hidden_member("nobody"), Hidden(HiddenKind.GROUP, "perl")):
        with pytest.raises(NothingToHide):
            store.my_sites.hide(hidden, ann)
    for id in (1, 77):
        with pytest.raises(NoSuchArticle):
            store.my_sites.save(id, ann)
    assert run(store, "EXISTS", "follows:ann", "hides:ann", "saved:ann") == 0


def test_each_list_is_bounded(store: Store, ann: User) -> None:
    names = [f"g{number}" for number in range(config.MAX_HIDDEN)]
    run(store, "ZADD", "follows:ann", *(item for name in names[: config.MAX_FOLLOWED_GROUPS] for item in (1, name)))
    run(store, "ZADD", "hides:ann", 1, "a8", 2, "a9", *(item for name in names[2:] for item in (3, f"g{name}")))
    run(store, "ZADD", "saved:ann", *(item for id in range(100, 2_100) for item in (1, f"article:{id}")))
    with pytest.raises(TooMuchFollowed):
        store.my_sites.follow("go", ann)
    with pytest.raises(TooMuchSaved):
        store.my_sites.save(1, ann)
    for hidden, shown_again in ((hidden_member("bob"), "a8"), (hidden_article(1), "a9"), (hidden_article(2), "a1")):
        factories.article(store, link="")
        store.my_sites.hide(hidden, ann)
        assert run(store, "ZSCORE", "hides:ann", shown_again) is None
    store.my_sites.show(hidden_article(2), ann)
    store.my_sites.hide(Hidden(HiddenKind.GROUP, "go"), ann)
    with pytest.raises(TooMuchHidden):
        store.my_sites.hide(Hidden(HiddenKind.GROUP, "redis"), ann)
    assert run(store, "ZCARD", "hides:ann") == config.MAX_HIDDEN


def test_each_change_is_seen_by_processes_knowing_an_earlier_choice(store: Store, ann: User) -> None:
    assert store.my_sites.of(ann) == MySite()
    store.my_sites.hide(hidden_article(1), ann)
    hiding = store.users.get("ann")
    assert store.my_sites.of(hiding) is None
    store.my_sites.remember(hiding, choice(store))
    assert store.my_sites.of(hiding) == MySite(hides=frozenset({"a1"}))
    store.my_sites.hide(hidden_article(1), ann)  # is hidden already
    assert store.users.get("ann").my == hiding.my
    store.my_sites.show(hidden_article(1), ann)
    assert store.my_sites.of(store.users.get("ann")) is None
