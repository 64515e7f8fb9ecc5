"""Second factors: turned on and off by codes, each of which is accepted once, and roles where one is required."""

import time

import pytest

from tests import factories
from tests.store.examination import refused, run, snapshot
from tests.store.queries import log_page
from tests.store.test_site_switches import set_switch
from voteweb.core import passwords
from voteweb.core.errors import CodeNeeded, LoggedOut, NotAllowed, SecondFactorOn
from voteweb.core.models import DomainAction, LogAction, LogEntry, Role, User
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store

pytestmark = pytest.mark.usefixtures("sound")

NONCE = "0" * 32
OFF = LogEntry(LogAction.SECOND_FACTOR, "command line", about="mod")


def code(store: Store) -> str:
    """Return the code that the app of the moderator shows now."""
    return store.second_factors.authenticator(store.users.get("mod"), NONCE).at(time.time())


def turn_on(store: Store) -> None:
    """Turn on the second factor of the moderator, as if that was long ago."""
    store.second_factors.turn_on(store.users.get("mod"), NONCE, code(store))
    run(store, "HSET", "user:mod", "second-factor", f"{NONCE} 0")


def test_first_code_turns_it_on_and_another_turns_it_off(store: Store, mod: User) -> None:
    first = code(store)
    with refused(store, CodeNeeded):
        store.second_factors.turn_on(mod, "1" * 32, first)
    store.second_factors.turn_on(mod, NONCE, first)
    assert store.second_factors.authenticator(mod, NONCE).secret not in str(snapshot(store))
    with refused(store, SecondFactorOn):
        store.second_factors.turn_on(mod, NONCE, first)
    for use in (store.second_factors.use_code, store.second_factors.turn_off):
        with refused(store, CodeNeeded, match="used already"):
            use(mod, first)
    run(store, "HSET", "user:mod", "second-factor", f"{NONCE} 0")
    store.second_factors.turn_off(mod, code(store))
    assert store.users.get("mod").second_factor == ""


def test_an_ended_session_turns_none_on(store: Store, mod: User) -> None:
    typed = code(store)
    store.users.end_sessions("mod")
    with refused(store, LoggedOut):
        store.second_factors.turn_on(mod, NONCE, typed)


def test_a_recovery_code_replaces_one_factor_and_is_used_up(store: Store, mod: User) -> None:
    turn_on(store)
    first, second, third, *_ = store.passwords.renew_codes(mod)
    store.second_factors.turn_off(mod, first.upper())
    turn_on(store)
    with refused(store, CodeNeeded):
        store.second_factors.use_code(mod, first)
    assert store.read(store.passwords.queue_codes_left, "mod").number == 9
    store.passwords.use_code(mod, passwords.read(second), "new hash")
    with refused(store, CodeNeeded):
        store.second_factors.use_code(store.users.get("mod"), third)


def test_the_operator_turns_it_off_with_log_and_inbox_entries(store: Store, mod: User) -> None:
    turn_on(store)
    assert [store.second_factors.remove("MOD", OFF) for _ in range(2)] == [True, False]
    (entry,), (notice, _on) = log_page(store).rows, store.read(store.inbox.queue_page, "mod", 1).rows
    assert (entry.kind, notice.log) == (LogAction.SECOND_FACTOR, entry)


def test_a_role_without_one_gives_no_rights_where_required(store: Store, mod: User) -> None:
    article, root = factories.article(store), factories.user(store, "root", Role.ADMIN)
    rule = LogEntry(LogAction.DOMAIN, "root", title="look.example", why="A look first.")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=root)
    set_switch(store, root, SwitchName.SECOND_FACTOR, ON)
    with refused(store, NotAllowed):
        factories.remove(store, article.id, actor=mod)
    looked_at = factories.draft(link="https://look.example/")
    assert store.waiting.has_article(store.articles.post(looked_at, mod, factories.token()))
    turn_on(store)
    assert not store.waiting.has_article(store.articles.post(looked_at, mod, factories.token()))
    factories.remove(store, article.id, actor=mod)
    assert not factories.stored_article(store, article.id).is_listed
