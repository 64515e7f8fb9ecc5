"""Tokens of programs as they are sent: refused alike, counted apart from log-ins, masked, turned off by a switch."""

import logging
import time
from base64 import urlsafe_b64encode

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.store.test_programs import give_token, program_of, programs
from tests.store.test_site_switches import set_switch
from tests.web.api.program import Answer, Program
from tests.web.conftest import Clock, CountRoundTrips
from voteweb.core import config
from voteweb.core.errors import BadToken
from voteweb.core.models import Right, Role, Voter
from voteweb.core.rate_limits import BAD_TOKEN, LOGIN_BY_ADDRESS, LOGIN_BY_NAME
from voteweb.core.site_switches import OFF, SwitchName
from voteweb.store import Store
from voteweb.store.accounts.programs import Programs, new_token
from voteweb.web.auth import bearer


@pytest.fixture
def token(store: Store) -> str:
    """A token of a program of ann, who has posted an article, with all rights of members."""
    ann = factories.user(store)
    factories.article(store, ann)
    return give_token(store, ann, (Right.READ, Right.VOTE))


def wrong_tokens(token: str) -> dict[str, str]:
    """Return tokens that are wrong in one way each."""
    name, _, secret = token.removeprefix("vw_").partition(".")
    spelled = urlsafe_b64encode(b"ANN").decode().rstrip("=")
    return {
        "another secret": new_token("ann"),
        "another name": new_token("nobody"),
        "no program of the member": new_token("bob"),
        "no key of a name": f"vw_{spelled}.{secret}",
        "no base64": f"vw_?.{secret}",
        "no secret": f"vw_{name}.",
        "no token": "x",
        "too long": f"{token}{'x' * 200}",
        "the field of": f"vw_{name}.of",
    }


def ask(app: Flask, token: str, request: str = "GET /articles/1", scheme: str = "Bearer") -> Answer:
    """Return the answer to a *request* with *token*."""
    return Program(app).send(request, headers={"Authorization": f"{scheme} {token}"})


def test_every_wrong_token_gets_one_answer_in_as_many_trips(
    token: str, app: Flask, store: Store, count_round_trips: CountRoundTrips
) -> None:
    factories.user(store, "bob")
    assert ask(app, token, scheme="bearer").status == 200
    answers = [ask(app, token, scheme="Basic"), *(ask(app, wrong) for wrong in wrong_tokens(token).values())]
    ((problem, challenge, _),) = {(one.problem, one.headers["WWW-Authenticate"], one.text) for one in answers}
    assert (problem, challenge.partition(" ")[0]) == ((401, "bad-token"), "Bearer")
    trips = {count_round_trips(ask, app, wrong) for wrong in wrong_tokens(token).values()}
    assert trips == {1}


@pytest.mark.site(limits=1)
def test_wrong_tokens_are_counted_apart_from_log_ins(
    token: str, app: Flask, store: Store, count_round_trips: CountRoundTrips
) -> None:
    *answers, refusal = (ask(app, new_token("ann")) for _ in range(BAD_TOKEN.burst + 1))
    assert {answer.problem for answer in answers} == {(401, "bad-token")}
    assert (refusal.problem, int(refusal.headers["Retry-After"]) > 0) == ((429, "too-fast"), True)
    assert count_round_trips(ask, app, new_token("ann")) == 1, "it is only looked up"
    assert ask(app, token).status == 200
    kinds = {key.split(":")[1].partition("-")[0] for key in store.connection.client.keys("limit:*")}
    assert BAD_TOKEN.kind in kinds
    assert not kinds & {LOGIN_BY_ADDRESS.kind, LOGIN_BY_NAME.kind}


def test_wrong_tokens_do_not_displace_known_ones(token: str, app: Flask) -> None:
    assert ask(app, token).status == 200
    for number in range(config.HINT_CACHE_SIZE + 1):
        with app.test_request_context(headers={"Authorization": f"Bearer {number}"}), pytest.raises(BadToken):
            bearer.refuse()
    assert bearer.known_voter({"HTTP_AUTHORIZATION": f"Bearer {token}"})


def test_token_of_an_account_that_waits_is_refused(token: str, app: Flask, store: Store) -> None:
    assert ask(app, token).status == 200
    run(store, "HSET", "user:ann", "held", time.time())
    for path in ("/me", "/articles", "/articles/1"):
        assert ask(app, token, f"GET {path}").problem == (403, "held")


def test_voter_does_not_show_the_token() -> None:
    assert "secret" not in repr(Voter(1, "ann", "session", "secret"))


def test_the_switch_refuses_all_tokens_within_a_second(
    token: str, app: Flask, store: Store, switch_clock: Clock
) -> None:
    assert ask(app, token).status == 200
    root = factories.user(store, "root", Role.ADMIN)
    set_switch(store, root, SwitchName.PROGRAMS, OFF)
    assert ask(app, token, "PUT /articles/1/vote").problem == (403, "programs-off"), "by the script, at once"
    switch_clock.now += 1.01
    for sent in (token, new_token("ann")):
        assert ask(app, sent).problem == (403, "programs-off")
    assert Program(app).send("GET /articles/1").status == 200
    set_switch(store, root, SwitchName.PROGRAMS, "")
    switch_clock.now += 1.01
    assert ask(app, token).status == 200


def test_a_withdrawn_token_is_refused_where_it_was_known(token: str, app: Flask, store: Store) -> None:
    assert ask(app, token).status == 200
    assert programs(store, "ann")[0].used > programs(store, "ann")[0].made
    store.programs.withdraw(program_of(token), actor=store.users.get("ann"))
    paths = ("/articles/1", "/articles", "/site", "/groups", "/me", "/search?q=x")
    for request in ("PUT /articles/1/vote", *(f"GET {path}" for path in paths)):
        assert ask(app, token, request).problem == (401, "bad-token"), request


@pytest.mark.site(log="json", log_addresses=1, metrics_token="for metrics only")
def test_no_token_is_in_logs_or_metrics(
    token: str, app: Flask, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    wrong = new_token("ann")
    for sent in (token, wrong):
        ask(app, sent)
        ask(app, sent, scheme="Basic")
        for path in (f"/articles/1?token={sent}", f"/{sent}/x"):
            ask(app, sent, f"GET {path}")

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Programs, "queue_find_voter", fail)
    assert ask(app, wrong).status == 500
    metrics = app.test_client().get("/metrics", headers={"Authorization": "Bearer for metrics only"}).text
    text = caplog.text + capfd.readouterr().err + metrics
    assert '"path": "/api/v1/vw_***/x"' in text
    assert "a bug" in text
    assert "voteweb_request_seconds" in metrics
    for sent in (token, wrong):
        assert sent.partition(".")[2] not in text
