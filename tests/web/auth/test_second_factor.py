"""The second factor on pages: set up from a picture, asked for as a second step of every log-in, required of roles."""

import json
from unittest.mock import Mock

import pyotp
import pytest

from tests import factories
from tests.store.examination import run
from tests.store.test_site_switches import set_switch
from tests.web.auth.test_pending_votes import press
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import Clock, MakeApp
from tests.web.limits import assert_too_fast
from voteweb.core import config
from voteweb.core.errors import Unavailable
from voteweb.core.models import LogInOutcome, Role
from voteweb.core.rate_limits import SECOND_FACTOR
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store
from voteweb.web.pages import data_export
from voteweb.web.views import account

PAGE, STEP = "/account/second-factor", "/login/second-factor"
#: No app shows so many digits.
WRONG = "1234567"


def set_up(member: Browser, store: Store, name: str = "mod") -> pyotp.TOTP:
    """Set up the second factor of the member *name* on its page; return the app, no code of which counts as used."""
    app = pyotp.TOTP(member.open(PAGE).page.one("code").text.replace(" ", ""))
    assert member.submit(PAGE, password=PASSWORD, code=app.now()).status == 303
    nonce, _ = store.users.get(name).second_factor.split()
    run(store, "HSET", f"user:{name}", "second-factor", f"{nonce} 0")
    return app


def test_page_shows_the_secret_until_a_right_code_is_typed(mod: Browser, store: Store) -> None:
    assert mod.open(PAGE).headers["Cache-Control"] == "private, no-store"
    secret = mod.page.one("code").text.replace(" ", "")
    assert f'href="otpauth://totp/voteweb:mod?secret={secret}' in mod.text
    assert mod.page.one("svg")
    assert mod.submit(PAGE, code=WRONG).field_error("password") == "This is not your password."
    assert mod.submit(PAGE, password=PASSWORD, code=WRONG).field_error("code").startswith("This code is wrong.")
    assert set_up(mod, store).secret == secret
    assert mod.location == "/account/recovery-codes"
    assert mod.follow().flashes[0].startswith("Your second factor is on.")
    assert "If you lose your phone" in mod.page.text
    exported = json.dumps(data_export.export_member(store, store.users.get("mod")))
    assert ('"second factor": true' in exported, secret in exported) == (True, False)


def test_login_asks_for_a_code_and_keeps_page_and_vote(mod: Browser, reader: Browser, store: Store) -> None:
    app, _ = set_up(mod, store), factories.article(store, factories.user(store, "ann"))
    press(reader).submit("/login", username="mod", password=PASSWORD).follow().submit(STEP, code=WRONG)
    assert "This code is wrong." in reader.field_error("code")
    assert len(store.read(store.sessions.queue_all, mod.user)) == 1
    typed = app.now()
    assert reader.submit(STEP, code=typed).location == "/new#a1"
    assert (store.articles.get(1).votes, reader.is_logged_in()) == (2, True)
    outcomes = [log_in.outcome for log_in in store.sessions.log_ins_of("mod")]
    assert outcomes == [LogInOutcome.IN, LogInOutcome.CODE, LogInOutcome.IN]
    other = Browser(reader.client.application).log_in("mod").follow()
    assert "was used already" in other.submit(STEP, code=typed).field_error("code")


def test_new_passwords_replace_the_password_alone(mod: Browser, reader: Browser, store: Store) -> None:
    app, new = set_up(mod, store), "another long password"
    code, *_ = store.passwords.renew_codes(mod.user)
    reader.fill_in("/recover", username="mod", code=code, new=new).follow()
    assert (reader.heading, "Left: 0 recovery codes." in reader.flashes[0]) == ("Log in: second factor", True)
    reader.open(f"/reset/{store.passwords.make_link('mod')}").submit(reader.address, new=PASSWORD)
    assert reader.open(STEP).location == "/login?next=/", "the password has changed"
    assert reader.log_in("mod").location == f"{STEP}?next=/"
    assert reader.follow().submit(STEP, code=app.now()).location == "/"


@pytest.mark.site(limits=1)
def test_wrong_codes_are_limited_whichever_form_sends_them(mod: Browser, make_app: MakeApp, store: Store) -> None:
    app = set_up(mod, store)
    readers = [Browser(make_app(limits=1)).log_in("mod").follow() for _ in range(2)]
    for number in range(5):
        assert readers[number % 2].submit(STEP, code=WRONG).status == 422
    for reader in readers:
        assert_too_fast(reader.submit(STEP, code=app.now()), SECOND_FACTOR)
    assert mod.open(PAGE).submit(f"{PAGE}/off", password=PASSWORD, code=app.now()).status == 429


def test_set_up_and_second_step_end_with_time_and_account(
    mod: Browser, reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(config, "SET_UP_SECONDS", 0)
        assert len({mod.open(PAGE).page.one("code").text for _ in range(2)}) == 2
    set_up(mod, store)
    reader.log_in("mod", next="/new")
    with monkeypatch.context() as patch:
        patch.setattr(config, "CODE_SECONDS", 0)
        assert reader.follow().address == "/login?next=/new"
        assert reader.flashes[0].startswith("Please log in again")
    assert reader.open(STEP).status == 200
    factories.ban(store, "mod")
    assert reader.open(STEP).location == "/login?next=/"


def test_form_of_an_ended_session_takes_a_code_too(mod: Browser, store: Store) -> None:
    app = set_up(mod, store)
    mod.open("/submit")
    store.users.end_sessions("mod")
    mod.submit("/submit", title="My long thoughts", text="Kept text")
    mod.submit("/submit", **{"log-in-name": "mod", "log-in-password": PASSWORD})
    assert "Your account has a second factor" in mod.page.by_id("log-in-errors").text
    assert mod.submit("/submit", **{"log-in-password": PASSWORD, "log-in-code": WRONG}).status == 422
    assert mod.submit("/submit", **{"log-in-password": PASSWORD, "log-in-code": app.now()}).location == "/a/1"


def test_it_is_turned_off_with_password_and_code(mod: Browser, store: Store) -> None:
    app, path = set_up(mod, store), f"{PAGE}/off"
    assert mod.open(PAGE).submit(path, password="wrong", code=app.now()).field_error("password")
    assert mod.submit(path, password=PASSWORD, code=WRONG).field_error("code")
    store.users.set_role("mod", Role.MEMBER)  # every member can have one
    assert mod.submit(path, password=PASSWORD, code=app.now()).location == "/account#second-factor"
    assert "Protect your account by a code of an app" in mod.open("/account").main
    assert set_up(mod, store).secret != app.secret


def test_roles_without_one_give_no_rights_where_it_is_required(
    mod: Browser, store: Store, switch_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.article(store)
    assert mod.open("/sort").status == 200
    set_switch(store, factories.user(store, "root", Role.ADMIN), SwitchName.SECOND_FACTOR, ON)
    switch_clock.now += 1.01
    for address in ("/", "/", "/a/1", "/a/1"):  # the second time it is a page that is kept
        assert mod.open(address).page.one("p", class_="announcement").one("a")["href"] == PAGE
        assert not mod.page.all("a", href="/a/1/edit")
    assert mod.open("/sort").status == 403
    with monkeypatch.context() as patch:
        patch.setattr(account, "render_template", Mock(side_effect=Unavailable))
        assert not mod.open(PAGE).page.all("p", class_="announcement"), "the page is a reader's"
    assert '"role": "moderator"' in mod.open("/account/data").text, "as it is stored"
    set_up(mod, store)
    assert mod.open("/sort").status == 200
    assert not mod.open("/").page.all("p", class_="announcement")


def test_it_is_set_up_while_the_site_is_read_only(mod: Browser, store: Store, switch_clock: Clock) -> None:
    set_switch(store, factories.user(store, "root", Role.ADMIN), SwitchName.READ_ONLY, ON)
    switch_clock.now += 1.01
    set_up(mod, store)
