"""The layout of the data: known layouts are converted, newer ones refused, and nothing is lost on the way."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.backup.copying import back_up, begin_restore, lasting, restore
from tests.store.examination import broken, run, snapshot
from tests.store.schema import version0
from voteweb.core.config import SCHEMA
from voteweb.core.errors import ConfigError, NoInvitation
from voteweb.store import Store
from voteweb.store.backup import parse_record
from voteweb.store.password_resets import link_value
from voteweb.store.schema.conversions import CONVERSIONS


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store with the settings of the site of layout 0."""
    return make_store(**version0.SETTINGS)


@pytest.fixture
def old_site(store: Store) -> Store:
    """A site of layout 0."""
    version0.load_keys(store)
    return store


def convert(store: Store) -> None:
    """Convert the data as far as they are not converted yet."""
    for conversion in store.schema.conversions(store.schema.state().number):
        for _ in store.schema.convert(conversion):
            pass
    store.schema.finish()


def settled(store: Store) -> dict[str, Any]:
    """Return all keys but the counters of acts."""
    return {key: content for key, content in lasting(store).items() if not key.startswith("limit:")}


def test_the_newest_conversion_leads_to_the_current_layout() -> None:
    assert list(CONVERSIONS) == list(range(1, SCHEMA + 1))


def test_an_empty_database_gets_the_current_number(store: Store) -> None:
    run(store, "FLUSHDB")
    store.schema.refuse_other()
    assert run(store, "GET", "schema:") == str(SCHEMA)


def test_the_data_of_a_program_after_the_book_are_served(store: Store) -> None:
    run(store, "FLUSHDB")
    run(store, "HSET", "article:1", "title", "Theirs", "poster", "user:7", "time", "1000", "votes", 1)
    run(store, "SET", "article:", 1)
    store.schema.refuse_other()
    assert store.articles.get(1).title == "Theirs"


def test_data_without_a_number_are_refused_until_they_are_converted(old_site: Store) -> None:
    with pytest.raises(ConfigError, match="An older version of voteweb wrote the data: they have layout 0"):
        old_site.schema.refuse_other()
    convert(old_site)
    old_site.schema.refuse_other()
    assert broken(old_site) == []


@pytest.mark.parametrize("number", [SCHEMA + 1, "x"])
def test_a_newer_layout_is_refused(store: Store, number: object) -> None:
    run(store, "SET", "schema:", number)
    with pytest.raises(ConfigError, match="a newer version of voteweb wrote them"):
        store.schema.refuse_other()


def test_an_unfinished_migration_is_refused(old_site: Store) -> None:
    old_site.schema.begin("before.gz")
    with pytest.raises(ConfigError, match="A migration did not finish"):
        old_site.schema.refuse_other()
    assert old_site.schema.state().backup == "before.gz"


def test_a_conversion_that_was_interrupted_continues(old_site: Store) -> None:
    convert(old_site)
    whole = settled(old_site)
    version0.load_keys(old_site)
    steps: Iterator[int]
    for conversion in old_site.schema.conversions(0):
        for _ in range(2):  # the first run ends after its first step, the second is whole
            steps = old_site.schema.convert(conversion)
            next(steps, 0)
        for _ in steps:
            pass
    convert(old_site)
    assert settled(old_site).keys() == whole.keys()
    assert broken(old_site) == []


def test_voting_closes_when_the_setting_says_at_conversion(old_site: Store) -> None:
    run(old_site, "HSET", "article:70000", "title", "Theirs", "time", "1000", "votes", 1)
    convert(old_site)
    for key in run(old_site, "KEYS", "article:?*"):
        posted, closes, base = run(old_site, "HMGET", key, "time", "closes", "base")
        assert closes == (None if base is None else str(int(float(posted) + 604_800)))


def test_voting_ends_at_conversion_where_voters_are_lost(old_site: Store) -> None:
    run(old_site, "DEL", "voted:1")
    votes = run(old_site, "HGET", "article:1", "votes")
    convert(old_site)
    assert int(run(old_site, "HGET", "article:1", "closes")) <= int(run(old_site, "TIME")[0])
    assert run(old_site, "HGET", "article:1", "votes") == votes
    assert broken(old_site) == []


def test_a_dry_run_counts_and_changes_nothing(old_site: Store) -> None:
    before = snapshot(old_site)
    counts = [sum(old_site.schema.convert(conversion, dry_run=True)) for conversion in CONVERSIONS[1]]
    assert snapshot(old_site) == before
    assert counts == [sum(old_site.schema.convert(conversion)) for conversion in CONVERSIONS[1]]
    assert all(counts)


def test_a_backup_of_format_1_restores_what_a_conversion_makes(old_site: Store) -> None:
    convert(old_site)
    converted = settled(old_site)
    restore(old_site, version0.backup())
    assert settled(old_site) == converted
    assert broken(old_site) == []


def test_members_of_layout_0_are_indexed_and_their_admins_known(old_site: Store) -> None:
    convert(old_site)
    assert run(old_site, "SMEMBERS", "admins:") == {"root"}
    assert run(old_site, "ZCARD", "users:") == old_site.users.count() == 15
    assert run(old_site, "ZSCORE", "users:", "zoe") is None


def test_a_one_time_link_of_layout_0_stays_valid(old_site: Store) -> None:
    (key,) = run(old_site, "KEYS", "reset:*")
    left = run(old_site, "PTTL", key)
    convert(old_site)
    assert run(old_site, "GET", key) == link_value("yan", old_site.users.get("yan").password)
    assert run(old_site, "PTTL", key) <= left


@pytest.fixture
def site_of_layout_3(store: Store) -> Store:
    """A site with a used and a new invitation by "Ann", under their tokens: "used-token" and "open-token"."""
    ann = factories.user(store, "Ann")
    store.users.make("bob", "")
    run(store, "HSET", "user:bob", "invited-by", ann.name)
    for token, used in (("used-token", ("used", "bob")), ("open-token", ())):
        run(store, "HSET", f"invite:{token}", "by", ann.name, "until", "4000000000.5", *used)
        run(store, "ZADD", "invites:ann", "4000000000.5", f"invite:{token}")
    run(store, "SET", "schema:", 3)
    assert broken(store) == []
    return store


def test_links_of_invitations_of_layout_3_stay_valid(site_of_layout_3: Store) -> None:
    store = site_of_layout_3
    for _ in range(2):  # run again, it changes nothing
        convert(store)
    assert "-token" not in repr(snapshot(store))
    assert broken(store) == []
    assert [invitation.used for invitation in store.invitations.made_by("Ann")].count("bob") == 1
    assert store.users.make("carl", "", invitation="open-token").invited_by == "Ann"
    with pytest.raises(NoInvitation):
        store.users.make("dora", "", invitation="used-token")


def test_backups_of_layout_3_restore_what_a_conversion_makes(site_of_layout_3: Store) -> None:
    store = site_of_layout_3
    dumped = [record.as_json() for record in back_up(store)]
    for record in dumped:  # as the version before wrote it
        if record["kind"] == "invitation":
            record["token"] = record.pop("digest")
    keys = list(store.backup.key_records())
    convert(store)
    converted = settled(store)
    restore(store, [parse_record(record, older=True) for record in dumped])
    assert settled(store) == converted
    restore(store, keys)
    convert(store)
    assert settled(store) == converted


def test_titles_and_names_that_are_refused_today_are_restored(store: Store) -> None:
    restore(store, version0.backup())
    assert store.articles.get(2).title == "\u3164\u3164\u3164"
    for name in ("adm1n", "admin_", "rnod", "root-"):
        assert store.users.get(name).id


def test_a_copy_of_every_key_restores_the_old_layout(old_site: Store) -> None:
    run(old_site, "SADD", "voted:1", *range(1000, 4000))
    run(old_site, "RPUSH", "log-entries:", *range(2500))
    before = settled(old_site)
    records = list(old_site.backup.key_records())
    copying = begin_restore(old_site)
    for record in records:
        copying.write([record])
        copying.write([record])  # as after a lost answer
    copying.finish()
    assert settled(old_site) == before
    assert old_site.schema.state().number == 0


def test_a_restored_site_has_the_current_layout(store: Store) -> None:
    factories.article(store)
    records = back_up(store)
    restore(store, records)
    assert store.schema.state().is_current
