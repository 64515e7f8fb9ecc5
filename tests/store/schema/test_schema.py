"""The layout of the data: known layouts are converted, newer ones refused, and nothing is lost on the way."""

import json

import pytest

from tests.conftest import MakeStore
from tests.store.backup.copying import back_up, begin_restore, lasting, restore
from tests.store.examination import broken, run, snapshot, unchanged
from tests.store.schema import layout3
from voteweb.core.config import SCHEMA
from voteweb.core.errors import ConfigError, NoInvitation
from voteweb.store import Store
from voteweb.store.backup import Backup
from voteweb.store.members.former_domains import respell_domains
from voteweb.store.migrations import CONVERSIONS, OLDEST, Migrations

RULE = json.dumps({"action": "hold", "why": "Ours.", "by": "Ann", "time": "1795479320.5"})
#: A host with a mark that browsers drop, as layout 7 spelled it.
FORMER = "xn--spam-16c.example"


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store with the settings of the site of layout 3."""
    return make_store(**layout3.SETTINGS)


@pytest.fixture
def old_site(store: Store) -> Store:
    """A site of layout 3, with invitations of "Ann" under their tokens: "used-token" and "open-token"."""
    layout3.load_keys(store)
    run(store, "HSET", "domain-rules:", "0x7f.1", RULE)
    run(store, "ZADD", "hides:bob_-9", 7, f"d{FORMER}", 8, "dxn--bcher-kva.example", 9, "a1")
    return store


def convert(store: Store) -> None:
    """Convert the data as far as they are not converted yet."""
    for conversion in Migrations(store.context).conversions(Migrations(store.context).state().number):
        for _ in conversion.run(store.context):
            pass
    Migrations(store.context).finish()


def test_an_empty_database_gets_the_number_of_the_newest_conversion(store: Store) -> None:
    assert list(CONVERSIONS) == list(range(OLDEST + 1, SCHEMA + 1))
    run(store, "FLUSHDB")
    Migrations(store.context).refuse_other()
    assert run(store, "GET", "schema:") == str(SCHEMA)


def test_the_data_of_a_program_after_the_book_are_served(store: Store) -> None:
    run(store, "FLUSHDB")
    run(store, "HSET", "article:1", "title", "Theirs", "poster", "user:7", "time", "1000", "votes", 1)
    run(store, "SET", "article:", 1)
    Migrations(store.context).refuse_other()
    assert store.articles.get(1).title == "Theirs"


def test_a_server_emptied_while_the_site_runs_keeps_later_writes(store: Store) -> None:
    run(store, "FLUSHDB")
    store.users.make("ann", "")
    Migrations(store.context).refuse_other()
    assert run(store, "GET", "schema:") == str(SCHEMA)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (3, "An older version of voteweb wrote the data: they have layout 3"),
        (2, "have layout 2, .* Convert them with an older version first"),
        ("", "have layout 0, .* Convert them with an older version first"),
        (SCHEMA + 1, "a newer version of voteweb wrote them"),
        ("x", "a newer version of voteweb wrote them"),
    ],
)
def test_another_layout_is_refused(old_site: Store, number: object, words: str) -> None:
    run(old_site, "SET", "schema:", number) if number else run(old_site, "DEL", "schema:")
    with pytest.raises(ConfigError, match=words):
        Migrations(old_site.context).refuse_other()


def test_an_unfinished_migration_is_refused(old_site: Store) -> None:
    Migrations(old_site.context).begin("before.gz")
    with pytest.raises(ConfigError, match="A migration did not finish"):
        Migrations(old_site.context).refuse_other()
    assert Migrations(old_site.context).state().backup == "before.gz"


def test_a_conversion_that_was_interrupted_continues(old_site: Store) -> None:
    convert(old_site)
    whole = lasting(old_site)
    layout3.load_keys(old_site)
    for conversion in Migrations(old_site.context).conversions(3):
        next(conversion.run(old_site.context))
    convert(old_site)
    Migrations(old_site.context).refuse_other()
    assert lasting(old_site).keys() == whole.keys()
    assert broken(old_site) == []


def test_hosts_that_browsers_take_for_one_become_one(old_site: Store) -> None:
    store, refusal = old_site, json.dumps(json.loads(RULE) | {"action": "refuse", "removes": "article:3"})
    convert(store)
    run(store, "HSET", "domain-rules:", FORMER, refusal, "a..b", RULE)
    run(store, "ZADD", "hides:bob_-9", 7, f"d{FORMER}", 7, "dspam.example")
    run(store, "SET", "schema:", 7)
    run(store, "HSET", "article:1", "link", "https://sp\u034fam.example/")
    backup = back_up(store)
    said = [step for step in respell_domains(store.context, dry_run=True) if isinstance(step, str)]
    convert(store)
    assert said == [
        "The rule of a..b has ended: no browser opens such a host.",
        f"The rules of {FORMER} and spam.example are one now: the stricter stays (refuse links).",
    ]
    rules = {name: json.loads(text) for name, text in run(store, "HGETALL", "domain-rules:").items()}
    assert rules == {"127.0.0.1": json.loads(RULE), "spam.example": json.loads(refusal)}
    assert run(store, "ZRANGE", "hides:bob_-9", 0, -1) == ["dspam.example", "dxn--bcher-kva.example", "a1", "mann"]
    assert run(store, "ZRANGE", "domain:spam.example", 0, -1) == ["article:1"]
    assert list(respell_domains(store.context)) == [0]
    assert broken(store) == []
    nouns = ("article", "domain", "domain-rules", "hides", "link")
    converted = {key: value for key, value in lasting(store).items() if key.partition(":")[0] in nouns}
    restore(store, backup, layout=7)
    assert {key: value for key, value in lasting(store).items() if key.partition(":")[0] in nouns} == converted
    assert broken(store) == []


def test_a_dry_run_counts_and_changes_nothing(old_site: Store) -> None:
    conversions = list(Migrations(old_site.context).conversions(3))
    with unchanged(old_site):
        counts = [sum(conversion.run(old_site.context, dry_run=True)) for conversion in conversions]
    assert counts == [sum(conversion.run(old_site.context)) for conversion in conversions]
    assert all(counts)


def test_links_of_invitations_of_layout_3_stay_valid(old_site: Store) -> None:
    store = old_site
    for _ in range(2):  # run again, it changes nothing
        convert(store)
    assert "-token" not in repr(snapshot(store))
    assert broken(store) == []
    assert [invitation.used for invitation in store.read_all(store.invitations.queue_page, "Ann")].count("bert") == 1
    assert store.users.make("cleo", "", invitation="open-token").invited_by == "Ann"
    with pytest.raises(NoInvitation):
        store.users.make("dora", "", invitation="used-token")


def test_a_copy_of_every_key_restores_the_old_layout(old_site: Store) -> None:
    run(old_site, "SADD", "voted:1", *range(1000, 4000))
    run(old_site, "RPUSH", "log-entries:", *range(2500))
    before = lasting(old_site)
    lines = list(Backup(old_site.context).all_lines())
    copying = begin_restore(old_site, 3)
    for line in lines:
        copying.write([line])
        copying.write([line])  # as after a lost answer
    copying.finish()
    assert lasting(old_site) == before
    assert Migrations(old_site.context).state().number == 3
