"""Data that somebody else has damaged: pages say so in words, and /healthz names a key that every site has.

Nobody gains by damaged fields of a member.
"""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from tests import factories
from tests.store.examination import run
from tests.web.browser import PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.monitoring.samples import samples
from voteweb.app import create_app
from voteweb.core.settings import Settings
from voteweb.store import Store


@pytest.mark.parametrize(
    ("key", "address", "who"),
    [
        ("score:", "/", "reader"),
        ("voted-comments:1-0", "/a/1", "bob"),
        ("sessions:bob", "/account", "bob"),
        ("user:bob", "/about", "bob"),
    ],
)
def test_a_key_of_another_type_is_explained(
    store: Store,
    make_member: MakeMember,
    reader: Browser,
    key: str,
    address: str,
    who: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    factories.comment(store, factories.article(store).id)
    browser = make_member("bob") if who == "bob" else reader
    run(store, "RENAME", key, "once:kept")
    run(store, "XADD", key, "*", "x", "y")
    with caplog.at_level(logging.ERROR):
        browser.open(address)
    assert (browser.status, browser.heading) == (503, "Temporarily unavailable")
    assert "its data are damaged" in browser.intro
    assert "WRONGTYPE" in caplog.text
    run(store, "RENAME", "once:kept", key)
    assert browser.open(address).status == 200


def test_a_common_key_of_another_type_is_named_until_mended(store: Store, reader: Browser) -> None:
    run(store, "XADD", "score:", "*", "x", "y")
    assert reader.open("/healthz").response.get_json() == {
        "status": "degraded",
        "reasons": ["The data are damaged, key score:: run `voteweb doctor`, which says what to do."],
    }
    run(store, "DEL", "score:")
    assert reader.open("/healthz").response.get_json() == {"status": "ok", "reasons": []}


@pytest.mark.parametrize("key", ["time:", "reports:", "mail-status:", "backup:"])
def test_metrics_go_on_without_what_is_damaged(store: Store, settings: Settings, tmp_path: Path, key: str) -> None:
    changed = replace(
        settings, metrics_token="t" * 32, site_url="https://news.example", mail_url="smtp://localhost",
        mail_from="news@news.example", data_dir=str(tmp_path),
    )  # fmt: skip
    factories.article(store)
    run(store, "DEL", key)
    run(store, "XADD", key, "*", "x", "y")
    browser = Browser(create_app(changed, store)).open("/metrics", headers={"Authorization": f"Bearer {'t' * 32}"})
    assert browser.status == 200
    counted = samples(browser.response.data)
    assert counted["voteweb_redis_up"] == 1
    assert ("voteweb_articles" in counted) is (key not in ("time:", "reports:"))
    assert ("voteweb_mails_due" in counted) is (key != "mail-status:")
    assert "voteweb_backup_bytes" not in counted


def test_a_value_that_is_no_number_is_explained(store: Store, make_member: MakeMember) -> None:
    id = factories.article(store, factories.user(store, "ann")).id
    bob = make_member("bob").open(f"/a/{id}")
    run(store, "HSET", f"article:{id}", "time", "inf")
    bob.press(f"/a/{id}/vote")
    assert bob.status == 503
    assert "its data are damaged" in bob.intro


DAMAGES = [
    ("HDEL", "id"),
    ("HSET", "id", "²"),
    ("HSET", "password", "x"),
    ("HSET", "role", "root"),
    ("HSET", "since", "soon"),
    ("HDEL", "session"),
    ("HSET", "banned", "nan"),
    ("HSET", "left", "x"),
]
#: Fields without which nobody logs in, and those of a ban that cannot be read.
NEEDED = {"id", "name", "password", "banned", "left"}


@pytest.mark.parametrize("damage", DAMAGES, ids=" ".join)
def test_damaged_member_breaks_no_page(damage: tuple[str, ...], bob: Browser, reader: Browser, store: Store) -> None:
    command, *arguments = damage
    run(store, command, "user:bob", *arguments)
    for path in ("/", "/account", "/u/bob"):
        assert bob.open(path).status < 500
    reader.log_in("bob", PASSWORD)
    assert reader.status == (422 if arguments[0] in NEEDED else 303)
    assert not reader.open("/").page.one("header").all("a", href="/queue")


@pytest.mark.parametrize("value", ["x", "1e300,0,,", "1,1e300,,", "nan,0,,"])
def test_session_of_another_program_is_none(value: str, bob: Browser, store: Store) -> None:
    key = store.keys.sessions("bob").removeprefix(store.keys.prefix)
    for digest in run(store, "HKEYS", key):
        if digest != "of":
            run(store, "HSET", key, digest, value)
    assert bob.open("/account").location == "/login?next=/account"
