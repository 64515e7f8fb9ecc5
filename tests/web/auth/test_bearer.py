"""Tokens of programs as they are sent: refused alike, counted apart from log-ins, masked, turned off by a switch."""

import json
import logging
import time
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.store.test_programs import give_token, program_of, programs
from tests.store.test_site_switches import set_switch
from tests.web.api.examples import EXAMPLES, make_token, script
from tests.web.conftest import Clock, CountRoundTrips
from voteweb.core import config
from voteweb.core.errors import BadToken
from voteweb.core.models import Right, Role, Voter
from voteweb.core.rate_limits import BAD_TOKEN, LOGIN_BY_ADDRESS, LOGIN_BY_NAME, PROGRAM
from voteweb.core.site_switches import OFF, SwitchName
from voteweb.store import Store
from voteweb.store.accounts.programs import Programs, new_token
from voteweb.web.api.operations import OPERATIONS
from voteweb.web.auth import bearer

ARTICLE = "/api/v1/articles/1"


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


def ask(app: Flask, token: str, scheme: str = "Bearer", path: str = ARTICLE) -> tuple[int, str, str]:
    """Return status, body and challenge of the answer to a request with *token*."""
    answer = app.test_client().get(path, headers={"Authorization": f"{scheme} {token}"})
    return answer.status_code, answer.text, answer.headers.get("WWW-Authenticate", "")


def test_every_wrong_token_gets_one_answer_in_as_many_trips(
    token: str, app: Flask, store: Store, count_round_trips: CountRoundTrips
) -> None:
    factories.user(store, "bob")
    assert ask(app, token, "bearer")[0] == 200
    answers = {name: ask(app, wrong) for name, wrong in wrong_tokens(token).items()}
    assert len(set(answers.values())) == 1, answers
    status, body, challenge = answers["another secret"]
    assert (status, json.loads(body)["code"]) == (401, "bad-token")
    assert challenge.startswith("Bearer")
    trips = {count_round_trips(ask, app, wrong) for wrong in wrong_tokens(token).values()}
    assert trips == {1}


@pytest.mark.site(limits=1)
def test_wrong_tokens_are_counted_apart_from_log_ins(token: str, app: Flask, store: Store) -> None:
    statuses = [ask(app, new_token("ann"))[0] for _ in range(BAD_TOKEN.burst + 1)]
    assert statuses == [401] * BAD_TOKEN.burst + [429]
    assert ask(app, token)[0] == 200
    kinds = {key.split(":")[1].partition("-")[0] for key in store.connection.client.keys("limit:*")}
    assert BAD_TOKEN.kind in kinds
    assert not kinds & {LOGIN_BY_ADDRESS.kind, LOGIN_BY_NAME.kind}


@pytest.mark.site(limits=1)
def test_wrong_token_beyond_the_limit_is_only_looked_up(
    token: str, app: Flask, count_round_trips: CountRoundTrips
) -> None:
    for _ in range(BAD_TOKEN.burst + 1):
        ask(app, new_token("ann"))
    assert count_round_trips(ask, app, new_token("ann")) == 1
    answer = app.test_client().get(ARTICLE, headers={"Authorization": f"Bearer {new_token('ann')}"})
    assert (answer.status_code, (answer.json or {})["code"]) == (429, "too-fast")
    assert int(answer.headers["Retry-After"]) > 0


def test_wrong_tokens_do_not_displace_known_ones(token: str, app: Flask) -> None:
    assert ask(app, token)[0] == 200
    for number in range(config.HINT_CACHE_SIZE + 1):
        with app.test_request_context(headers={"Authorization": f"Bearer {number}"}), pytest.raises(BadToken):
            bearer.refuse()
    assert bearer.known_voter({"HTTP_AUTHORIZATION": f"Bearer {token}"})


@pytest.mark.site(limits=1)
def test_token_without_a_right_costs_its_member_nothing(app: Flask, store: Store, tmp_path: Path) -> None:
    script.fill(app, store, tmp_path)
    sent = make_token(store, "reader", (Right.READ,), Role.MODERATOR)
    before = set(store.connection.client.keys("limit:*"))
    for row in OPERATIONS:
        if row.right not in (None, Right.READ):
            assert script.ask(app, row, EXAMPLES[row.name], sent).status_code == 403
    counted = set(store.connection.client.keys("limit:*")) - before
    assert {key.split(":")[1].partition("-")[0] for key in counted} == {PROGRAM.kind}


def test_token_of_an_account_that_waits_is_refused(token: str, app: Flask, store: Store) -> None:
    assert ask(app, token)[0] == 200
    run(store, "HSET", "user:ann", "held", time.time())
    for path in ("/api/v1/me", "/api/v1/articles", ARTICLE):
        status, body, _ = ask(app, token, path=path)
        assert (status, json.loads(body)["code"]) == (403, "held")


def test_voter_does_not_show_the_token() -> None:
    assert "secret" not in repr(Voter(1, "ann", "session", "secret"))


def test_the_switch_refuses_all_tokens_within_a_second(
    token: str, app: Flask, store: Store, switch_clock: Clock
) -> None:
    assert ask(app, token)[0] == 200
    root = factories.user(store, "root", Role.ADMIN)
    set_switch(store, root, SwitchName.PROGRAMS, OFF)
    vote = app.test_client().put(f"{ARTICLE}/vote", headers={"Authorization": f"Bearer {token}"})
    assert (vote.status_code, vote.json["code"]) == (403, "programs-off")  # by the script, at once
    switch_clock.now += 1.01
    for sent in (token, new_token("ann")):
        status, body, _ = ask(app, sent)
        assert (status, json.loads(body)["code"]) == (403, "programs-off")
    assert app.test_client().get(ARTICLE).status_code == 200
    set_switch(store, root, SwitchName.PROGRAMS, "")
    switch_clock.now += 1.01
    assert ask(app, token)[0] == 200


def test_a_withdrawn_token_is_refused_where_it_was_known(token: str, app: Flask, store: Store) -> None:
    assert ask(app, token)[0] == 200
    assert programs(store, "ann")[0].used > programs(store, "ann")[0].made
    store.programs.withdraw(program_of(token), actor=store.users.get("ann"))
    headers = {"Authorization": f"Bearer {token}"}
    assert app.test_client().put(f"{ARTICLE}/vote", headers=headers).status_code == 401
    assert ask(app, token)[0] == 401


@pytest.mark.site(log="json", log_addresses=1, metrics_token="for metrics only")
def test_no_token_is_in_logs_or_metrics(
    token: str, app: Flask, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    wrong = new_token("ann")
    for sent in (token, wrong):
        ask(app, sent)
        ask(app, sent, "Basic")
        ask(app, sent, path=f"{ARTICLE}?token={sent}")
        ask(app, sent, path=f"/api/v1/{sent}/x")

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Programs, "queue_find_voter", fail)
    assert ask(app, wrong)[0] == 500
    metrics = app.test_client().get("/metrics", headers={"Authorization": "Bearer for metrics only"}).text
    text = caplog.text + capfd.readouterr().err + metrics
    assert '"path": "/api/v1/vw_***/x"' in text
    assert "a bug" in text
    assert "voteweb_request_seconds" in metrics
    for sent in (token, wrong):
        assert sent.partition(".")[2] not in text
