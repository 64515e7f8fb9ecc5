"""Password resets: one-time links that are valid for a day."""

from collections.abc import Callable

import pytest

from tests import factories
from tests.store.examination import run, snapshot
from voteweb.core import passwords
from voteweb.core.errors import LinkUsed, NoSuchMember
from voteweb.core.models import User
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed

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
        (lambda store, _: store.passwords.use_link(store.passwords.make_link("ann"), "second hash"), 0),
        (lambda store, _: store.users.set_password("ann", "second hash"), 0),
        (lambda store, _: store.users.set_password("ann", "second hash", verified=""), 0),
        (lambda store, code: store.passwords.use_code(store.users.get("ann"), passwords.read(code), "second hash"), 9),
    ],
    ids=["another link", "the operator", "the member", "a code"],
)
def test_a_new_password_ends_all_ways_back_of_others(
    store: Store, ann: User, set_password: Callable[[Store, str], object], codes: int
) -> None:
    token, code = store.passwords.make_link("ann"), store.passwords.renew_codes(ann)[0]
    feeds = {feed: store.feeds.renew(feed, ann) for feed in SecretFeed}
    store.mail.request(ann, "thief@mail.example", "en")
    set_password(store, code)
    for use in (store.passwords.linked_member, lambda link: store.passwords.use_link(link, "third hash")):
        with pytest.raises(LinkUsed):
            use(token)
    after = store.users.get("ann")
    assert (after.password, after.session != ann.session) == ("second hash", True)
    assert store.read(store.passwords.queue_codes_left, "ann").number == codes
    assert not any(store.feeds.name_of(feed, token) for feed, token in feeds.items())
    assert store.read(store.mail.queue_account, "ann").pending is None
    assert run(store, "LINDEX", "inbox:ann", 0).startswith("account password-")


def test_log_out_everywhere_ends_the_feeds_and_no_codes(store: Store, ann: User) -> None:
    token, _ = store.feeds.renew(SecretFeed.INBOX, ann), store.passwords.renew_codes(ann)
    store.users.end_sessions("ann")
    assert store.feeds.name_of(SecretFeed.INBOX, token) is None
    assert store.read(store.passwords.queue_codes_left, "ann").number == 10


def test_unknown_and_deleted_members_get_no_link(store: Store, ann: User) -> None:
    token = store.passwords.make_link("ann")
    store.account_deletion.start(ann, delete_articles=False)
    with pytest.raises(LinkUsed):
        store.passwords.use_link(token, "hash")
    for name in ("ann", "nobody"):
        with pytest.raises(NoSuchMember):
            store.passwords.make_link(name)
    assert store.users.get("ann").password == ""
