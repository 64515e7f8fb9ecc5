"""A server whose memory or disk is full: it is refused at once, read as before, and what frees memory goes on."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests import factories
from tests.helpers import until
from tests.store.backup.copying import back_up
from tests.store.examination import broken, run, server_setting
from tests.store.queries import page_ids
from voteweb.core.errors import StorageFull
from voteweb.core.jobs import ACCOUNT_DELETIONS
from voteweb.core.models import ArticleStatus, LogAction, LogEntry, Order, Voter
from voteweb.core.rate_limits import LOGIN_BY_ADDRESS
from voteweb.core.settings import Settings
from voteweb.store import Store, build_store

Full = Callable[[Store], AbstractContextManager[None]]


@pytest.fixture
def site(store: Store) -> Store:
    """A site with an article that ann posted in a group, and a removed one."""
    factories.article(store, groups=("go",))
    factories.remove(store, factories.article(store).id)
    return store


@contextmanager
def full_memory(store: Store) -> Iterator[None]:
    with server_setting(store, "maxmemory", 1):
        yield


@contextmanager
def full_disk(store: Store) -> Iterator[None]:
    """Make every snapshot fail, after which the server refuses to write."""
    client = store.connection.client
    folder = Path(client.config_get("dir")["dir"]) / client.config_get("dbfilename")["dbfilename"]
    with server_setting(store, "save", "3600 1"):
        folder.unlink(missing_ok=True)  # a snapshot of another test
        folder.mkdir()
        (folder / "file").touch()
        try:
            client.bgsave()
            until(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err")
            yield
        finally:
            (folder / "file").unlink()
            folder.rmdir()
            client.bgsave()
            until(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "ok")
            folder.unlink()


@pytest.mark.parametrize(
    ("full", "warning"),
    [(full_memory, "The server has used"), (full_disk, "The server cannot write to its disk")],
    ids=["memory", "disk"],
)
def test_full_server_serves_reads_and_backups_and_promptly_refuses_writes(
    site: Store, single_server: str, full: Full, warning: str
) -> None:
    bob = factories.user(site, "bob")
    trips: list[float] = []
    before = back_up(site)
    with full(site):
        connections = site.connection.client.info("stats")["total_connections_received"]
        site.connection.on_round_trip = trips.append
        for write in (lambda: site.votes.cast(1, bob), lambda: factories.comment(site, 1, bob)):
            trips.clear()
            with pytest.raises(StorageFull, match="its database or its disk is full"):
                write()
            assert len(trips) <= 2
        site.connection.on_round_trip = None
        assert site.connection.client.info("stats")["total_connections_received"] == connections
        site.health.wait_until_ready(10.0)
        assert broken(site) == []
        assert {str(record) for record in back_up(site)} == {str(record) for record in before}
        assert any(reason.startswith(warning) for reason in site.health.health().reasons)
    assert site.votes.cast(1, bob) == 2
    assert broken(site) == []


def test_what_keeps_a_site_safe_goes_on_without_memory(site: Store, single_server: str) -> None:
    bob = factories.user(site, "bob", password_hash="old")
    factories.group(site, "rust")
    comment, removed = factories.comment(site, 1), factories.comment(site, 1)
    factories.comment(site, 1, parent=removed.number)
    limited = build_store(site.connection, Settings(limits=1, secret_key="x" * 16)).limits
    with full_memory(site):
        site.removals.delete(comment, site.users.get("ann"))
        factories.remove(site, removed, with_replies=True)
        factories.restore(site, 2)
        factories.remove(site, 1)
        site.articles.set_groups(2, ["rust"], [], LogEntry(LogAction.GROUPS, "mod", about="ann", article=2))
        factories.ban(site, "ann")
        assert limited.hit([(LOGIN_BY_ADDRESS, "198.51.100.7")]) is None
        limited.refund([(LOGIN_BY_ADDRESS, "198.51.100.7")])
        for token in ("here", "there"):
            site.sessions.open(bob, token)
        site.sessions.end_others(Voter(bob.id, bob.name, bob.session, "here"))
        (session,) = site.read(site.sessions.queue_all, site.users.get("bob"))
        assert site.sessions.end("bob", session.digest)
        site.account_deletion.start(bob, delete_articles=True)
        site.account_deletion.finish("bob")
        assert sum(checked for checked, _ in site.site_settings.rescore()) == 2
        assert page_ids(site, site.rankings.groups(["go", "rust"], Order.SCORE)) == []
    removed, other = factories.stored_article(site, 1), factories.stored_article(site, 2)
    assert (removed.status, removed.comments, other.status) == (ArticleStatus.REMOVED, 0, ArticleStatus.LISTED)
    assert run(site, "HEXISTS", "words:1", comment.number) == 0
    assert broken(site) == []


def test_a_job_that_frees_memory_goes_on_without_memory(site: Store, single_server: str) -> None:
    site.account_deletion.start(site.users.get("ann"), delete_articles=True)
    with full_memory(site):
        assert site.jobs.run(ACCOUNT_DELETIONS, site.account_deletion.steps, lambda: False)
        assert not run(site, "EXISTS", "lease:account-deletions")
        assert run(site, "HEXISTS", "jobs:", "account-deletions")
    assert site.account_deletion.unfinished() == []
    assert broken(site) == []
