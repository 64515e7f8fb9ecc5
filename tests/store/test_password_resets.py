"""Password resets: one-time links that are valid for a day."""

from collections.abc import Callable

import pytest

from tests import factories
from tests.store.examination import run, snapshot
from voteweb.core.errors import LinkUsed, NoSuchMember
from voteweb.core.models import User
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def ann(store: Store) -> User:
    return factories.user(store, "Ann")


def test_a_link_stored_as_digest_for_a_day_works_once(store: Store, ann: User) -> None:
    token = store.passwords.make_link("ANN")
    (key,) = run(store, "KEYS", "reset:*")
    assert token not in str(snapshot(store))
    assert 86_390 <= run(store, "TTL", key) <= 86_400
    store.users.end_sessions("ann")
    assert store.passwords.linked_member(token) == "ann"
    assert store.passwords.use_link(token, "new hash") == "ann"
    after = store.users.get("ann")
    assert (after.password, after.name) == ("new hash", "Ann")
    assert after.session != ann.session
    with pytest.raises(LinkUsed):
        store.passwords.use_link(token, "third hash")
    assert store.users.get("ann") == after


@pytest.mark.parametrize("address", ["new@mail.example", ""])
def test_a_mailed_link_ends_with_the_address(store: Store, ann: User, address: str) -> None:
    """Who reads the former address, perhaps the reason for the change, must not get the account."""
    run(store, "HSET", "user:ann", "email", "old@mail.example")
    mailed, other = store.passwords.make_link("ann", "old@mail.example"), store.passwords.make_link("ann")
    assert store.passwords.linked_member(mailed) == "ann"
    run(store, "HSET", "user:ann", "email", address)
    with pytest.raises(LinkUsed):
        store.passwords.use_link(mailed, "new hash")
    assert store.passwords.use_link(other, "new hash") == "ann"


@pytest.mark.parametrize(
    ("set_password", "codes"),
    [
        (lambda store: store.passwords.use_link(store.passwords.make_link("ann"), "second hash"), 0),
        (lambda store: store.users.set_password("ann", "second hash"), 0),
        (lambda store: store.users.set_password("ann", "second hash", verified=""), 10),
    ],
    ids=["another link", "the operator", "the member"],
)
def test_new_passwords_end_every_link_and_resets_end_the_codes(
    store: Store, ann: User, set_password: Callable[[Store], object], codes: int
) -> None:
    """Another person who had the account before may have made the recovery codes."""
    token = store.passwords.make_link("ann")
    store.passwords.renew_codes(ann)
    set_password(store)
    for use in (store.passwords.linked_member, lambda link: store.passwords.use_link(link, "third hash")):
        with pytest.raises(LinkUsed):
            use(token)
    assert store.users.get("ann").password == "second hash"
    assert store.read(store.passwords.queue_codes_left, "ann").number == codes


def test_unknown_and_deleted_members_get_no_link(store: Store, ann: User) -> None:
    token = store.passwords.make_link("ann")
    store.account_deletion.start(ann, delete_articles=False)
    with pytest.raises(LinkUsed):
        store.passwords.use_link(token, "hash")
    for name in ("ann", "nobody"):
        with pytest.raises(NoSuchMember):
            store.passwords.make_link(name)
    assert store.users.get("ann").password == ""
