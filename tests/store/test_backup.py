"""Backups: what is restored is what was there, key by key, and a copy of a site in full use is sound."""

import json
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.helpers import until
from tests.store.examination import broken, ids, run, snapshot
from tests.store.storm import Storm
from tests.store.test_keys import key_makers, pattern
from tests.store.test_races import ACTS
from voteweb.core.config import DELETED_MEMBER
from voteweb.core.errors import ConfigError
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.backup import Record, References, read, records
from voteweb.store.moderation_log import NewLogEntry
from voteweb.store.scanner import Scanner
from voteweb.store.server_info import Counts, Engine, ServerInfo

MONTH = 31 * 86_400


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A store on which a storm makes and unmakes good articles."""
    return make_store(good_votes=4, vote_score=21_600.0, max_groups=3)


@pytest.fixture
def site(store: Store) -> Store:
    """A site on which everything has happened, and a program after the book has been."""
    storm = Storm(store, threads=4)
    storm.start()
    until(lambda: all(storm.acts[name] for name in ACTS), patience=60)
    storm.stop()
    ann, bob, zoe = (factories.user(store, name) for name in ("Ann", "bob", "Zoe"))
    store.imports.add([factories.story(groups=("go", "编程"), poster=f"poster{i}") for i in range(5)])
    store.imports.add([factories.story(time=time.time() - 60, votes=9)])
    article = factories.article(store, ann, text="Line\nand \x00 and \u2028 and 🎈", link="")
    store.users.ban("bob", NewLogEntry(LogAction.BAN, "Mod", about="bob", why="spam"))
    banned = int(run(store, "GET", "log-entry:"))
    store.users.unban("bob", NewLogEntry(LogAction.UNBAN, "Mod", about="bob", undoes=banned))
    store.invitations.revoke(store.invitations.make(bob).token, bob)
    store.password_resets.make("ann")
    factories.article(store, zoe)
    store.account_deletion.start(zoe, delete_articles=False)
    # Found under the link of a newer one, long after an article alone would be.
    old = factories.article(store, ann, link="https://long.example/")
    factories.article(store, bob, link="https://www.long.example")
    run(store, "HSET", f"article:{old.id}", "time", f"{old.time - MONTH:.6f}")
    # A program after the book knows no base, no groups and no numbers of members.
    run(store, "HSET", "article:70000", "title", "Theirs", "poster", "user:7", "time", article.time - 60, "votes", 2)
    run(store, "SADD", "voted:70000", "user:7", "007")
    run(store, "SET", "article:", 70_001)
    list(store.doctor.repair())
    assert broken(store) == []
    return store


@pytest.fixture
def small(store: Store) -> Store:
    """A site with one article, one member and one group."""
    factories.article(store, groups=("go",))
    return store


def copied(store: Store) -> list[Record]:
    """Return a backup of the site, through the form in which it lies in a file."""
    return [read(json.loads(json.dumps(each.told()))) for each in store.backup.records()]


def restore(store: Store, backup: Iterable[Record]) -> None:
    """Put *backup* into the database in place of all that is there."""
    run(store, "FLUSHDB")
    restore = store.backup.restore()
    restore.begin()
    waiting = list(backup)
    while waiting:
        restore.write(waiting[:7])
        del waiting[:7]
    restore.finish()


def kept(store: Store) -> dict[str, Any]:
    """Return all that is to be the same after a restore: everything but the rankings that are kept for a minute."""
    return {key: value for key, value in snapshot(store).items() if "+" not in key or key.startswith("log")}


def test_a_restored_site_is_the_same_key_by_key(site: Store) -> None:
    before = kept(site)
    backup = copied(site)
    assert kept(site) == before
    restore(site, backup)
    assert kept(site) == before
    assert broken(site) == []


def test_that_site_holds_every_kind_of_key_and_of_record(site: Store) -> None:
    names = snapshot(site)
    makers = {name: maker for name, maker in key_makers().items() if name not in ("combined", "limit", "restoring")}
    assert {name for name, maker in makers.items() if any(map(pattern(maker).fullmatch, names))} == set(makers)
    backup = copied(site)
    assert {each.kind for each in backup} == set(records.KINDS)
    assert len({str(each) for each in backup}) == len(backup)


def test_nothing_in_a_backup_leads_nowhere(site: Store) -> None:
    references = References()
    for each in copied(site):
        references.take(each)
    assert list(references.faults()) == []


def test_an_empty_site_comes_back_empty(store: Store) -> None:
    backup = copied(store)
    restore(store, backup)
    assert snapshot(store) == {}


def test_a_restored_site_goes_on_where_it_was(site: Store) -> None:
    last = int(run(site, "GET", "article:"))
    restore(site, copied(site))
    assert factories.article(site, link="").id == last + 1
    assert factories.user(site, "newcomer").id == site.users.get("newcomer").id
    for name in site.leaving.unfinished():
        site.leaving.finish(name)
    assert run(site, "EXISTS", "posted:zoe", "leaving:") == 0
    assert broken(site) == []


def test_rankings_are_those_of_the_settings_in_force(site: Store, make_store: MakeStore) -> None:
    backup = copied(site)
    other = make_store(good_votes=2, vote_score=100.0)
    restore(other, backup)
    assert broken(other) == []


def test_records_that_are_written_twice_are_there_once(site: Store) -> None:
    before = kept(site)
    backup = copied(site)
    run(site, "FLUSHDB")
    restore = site.backup.restore()
    restore.begin()
    restore.write(backup)
    once = snapshot(site)
    restore.write(backup)
    assert snapshot(site) == once
    run(site, "FLUSHDB")
    restore = site.backup.restore()
    restore.begin()
    restore.write(backup)
    restore.finish()
    assert kept(site) == before


def test_a_backup_of_a_site_in_a_storm_is_sound(store: Store) -> None:
    storm = Storm(store, threads=4)
    storm.start()
    until(lambda: len(storm.votes) > 30)
    backups = []
    for _ in range(3):
        before = dict(storm.votes)
        backups.append((before, copied(store)))
    storm.stop()
    assert storm.failures == []
    for before, backup in backups:
        references = References()
        for each in backup:
            references.take(each)
        assert list(references.faults()) == []
        restore(store, backup)
        assert broken(store) == []
        found = {each.id for each in backup if isinstance(each, records.Article)}
        assert set(before) <= found
        for name in store.account_deletion.unfinished():
            store.account_deletion.finish(name)
        assert broken(store) == []


def test_what_has_expired_since_stays_away(site: Store) -> None:
    past = int(time.time() * 1000) - 1
    backup = []
    for each in copied(site):
        match each:
            case records.Form() | records.Reset():
                backup.append(replace(each, until=past))
            case records.Article():
                backup.append(replace(each, voters_until=past, linked_until=past))
            case _:
                backup.append(each)
    restore(site, backup)
    for expiring in ("once:*", "reset:*", "link:*", "voted:*"):
        assert run(site, "KEYS", expiring) == []


def test_who_left_while_the_backup_was_made_leaves_once_more(store: Store) -> None:
    zoe = factories.user(store, "Zoe")
    article = factories.article(store, zoe)
    early = [each for each in copied(store) if isinstance(each, records.Article)]
    store.account_deletion.start(zoe, delete_articles=True)
    store.account_deletion.finish("zoe")
    restore(store, [*early, *(each for each in copied(store) if not isinstance(each, records.Article))])
    assert broken(store) == []
    assert store.account_deletion.unfinished() == ["zoe"]
    store.account_deletion.finish("zoe")
    assert run(store, "HMGET", f"article:{article.id}", "poster", "gone") == [DELETED_MEMBER, "deleted"]


def test_an_act_that_was_undone_while_the_backup_was_made_says_so(store: Store) -> None:
    factories.user(store, "eve")
    store.users.ban("eve", NewLogEntry(LogAction.BAN, "Mod", about="eve", why="spam"))
    (early,) = (each for each in copied(store) if isinstance(each, records.LogEntry))
    store.users.unban("eve", NewLogEntry(LogAction.UNBAN, "Mod", about="eve", undoes=1))
    restore(store, [early, *(each for each in copied(store) if not isinstance(each, records.LogEntry) or each.id != 1)])
    assert broken(store) == []
    assert run(store, "HGET", "log-entry:1", "undone") == "1"


def test_an_article_whose_link_changes_under_the_backup_is_read_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = factories.user(store)
    article = factories.article(store, ann, link="https://one.example/")
    at_once, edits = Scanner.at_once, iter(["https://two.example/", "https://three.example/"])

    def meddling(scanner: Scanner, commands: list[tuple[Any, ...]]) -> list[Any]:
        if commands and "SMEMBERS" in {words[0] for words in commands}:
            for link in edits:
                store.articles.edit(article.id, factories.draft(link=link), ann)
                break
        return at_once(scanner, commands)

    monkeypatch.setattr(Scanner, "at_once", meddling)
    (found,) = (each for each in copied(store) if isinstance(each, records.Article))
    assert (found.fields["link"], found.linked) == ("https://three.example/", True)


def test_an_article_that_goes_away_under_the_backup_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.article(store, link="")
    at_once = Scanner.at_once

    def meddling(scanner: Scanner, commands: list[tuple[Any, ...]]) -> list[Any]:
        if "SMEMBERS" in {words[0] for words in commands}:
            run(store, "DEL", "article:1")
        return at_once(scanner, commands)

    monkeypatch.setattr(Scanner, "at_once", meddling)
    assert [each for each in copied(store) if isinstance(each, records.Article)] == []


def test_of_many_voters_all_are_there(store: Store) -> None:
    for _ in range(3):
        factories.article(store, link="")
    for id in (1, 2, 3):
        run(store, "SADD", f"voted:{id}", *range(1, 4_001))
    found = [each for each in copied(store) if isinstance(each, records.Article)]
    assert [len(each.voters) for each in found] == [4_000] * 3


def test_a_database_that_is_not_empty_is_left_alone(small: Store) -> None:
    before = snapshot(small)
    with pytest.raises(ConfigError, match="is not empty"):
        small.backup.restore().begin()
    assert snapshot(small) == before


def test_a_restore_that_did_not_finish_is_marked(small: Store) -> None:
    backup = copied(small)
    run(small, "FLUSHDB")
    small.checks.refuse_unfinished()
    restore = small.backup.restore()
    restore.begin()
    restore.write(backup[:2])
    for use in (small.checks.refuse_unfinished, small.backup.restore().begin):
        with pytest.raises(ConfigError, match="did not finish"):
            use()


@pytest.mark.parametrize("kind", ["article", "member", "group"])
def test_a_database_that_does_not_hold_what_was_written_stays_marked(small: Store, kind: str) -> None:
    backup = copied(small)
    run(small, "FLUSHDB")
    restore = small.backup.restore()
    restore.begin()
    restore.write(backup)
    spoils = {
        "article": ("ZREMRANGEBYRANK", "time:", 0, 0),
        "member": ("DEL", "user:ann"),
        "group": ("SPOP", "groups:"),
    }
    run(small, *spoils[kind])
    with pytest.raises(ConfigError, match="does not hold what was written"):
        restore.finish()
    assert run(small, "EXISTS", "restoring:")


def test_a_database_that_was_replaced_while_it_was_counted_stays_marked(
    small: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, engine, counts = copied(small), small.server.engine(), small.server.counts()
    run(small, "FLUSHDB")
    restore = small.backup.restore()
    restore.begin()
    restore.write(backup)

    def replaced(server: ServerInfo) -> Counts:
        """Count; the mark had not reached the one that takes over."""
        monkeypatch.setattr(ServerInfo, "engine", lambda _: engine._replace(run="another"))
        run(small, "DEL", "restoring:")
        return counts

    monkeypatch.setattr(ServerInfo, "counts", replaced)
    with pytest.raises(ConfigError, match="restarted or replaced while it was written"):
        restore.finish()
    assert run(small, "EXISTS", "restoring:")


@pytest.mark.parametrize(
    "key", ["article:1", "voted:1", "report:1", "user:ann", "log-entry:1", "once:1-x", "imported:"]
)
def test_data_that_are_not_sound_are_told(small: Store, key: str) -> None:
    run(small, "DEL", key)
    run(small, "RPUSH", key, "x")
    with pytest.raises(ConfigError, match=r"cannot be read: .*WRONGTYPE.*doctor"):
        copied(small)


def test_a_counter_that_is_no_number_is_told(small: Store) -> None:
    run(small, "SET", "article:", "many")
    with pytest.raises(ConfigError, match="cannot be read"):
        copied(small)
    with pytest.raises(ConfigError, match="cannot be read"):
        small.backup.total()


def test_a_backup_across_two_runs_of_the_database_is_refused(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter(["one", "other"])
    monkeypatch.setattr(ServerInfo, "engine", lambda _: Engine("redis 7.4.0", next(runs)))
    with pytest.raises(ConfigError, match="run the backup again"):
        copied(small)


def test_the_engine_says_its_name_and_its_run(store: Store) -> None:
    engine = store.server_info.engine()
    assert engine.program.split()[0] in ("redis", "valkey")
    assert engine.program.split()[1][0].isdigit()
    assert engine.run == store.server_info.engine().run != ""


def test_articles_of_posters_who_are_no_members_have_no_list(site: Store) -> None:
    restore(site, copied(site))
    assert run(site, "EXISTS", "posted:user:7", f"posted:{DELETED_MEMBER}") == 0
    assert 70_000 in ids(site, "time:")
