"""A site on a cluster, whose slot moves to another node or to a replica."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests import factories
from tests.clusters import Cluster, cluster
from tests.machines import REDIS
from tests.store.examination import broken
from tests.store.queries import page_ids
from voteweb.core.errors import ConfigError, ServerChanged, TooFast, Unavailable
from voteweb.core.models import Order, Voter
from voteweb.core.rate_limits import SIGNUP
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.scan import scanner
from voteweb.store.scan.scanner import Scanner

pytestmark = pytest.mark.heavy

KEY = "{news}:"
OpenStore = Callable[..., Store]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    """A cluster of three primaries, each with a replica."""
    with cluster() as running:
        yield running


@pytest.fixture
def open_news(nodes: Cluster) -> Iterator[OpenStore]:
    """A function that opens the site "news", which is empty at first."""
    stores: list[Store] = []

    def open_with(**changes: Any) -> Store:
        settings = {"redis_url": nodes.url, "site": "news", "redis_deadline": 10.0}
        stores.append(open_store(Settings(**settings | changes)))
        return stores[-1]

    open_with().connection.client.flushall()
    yield open_with
    for store in stores:
        store.connection.close()


def test_a_site_is_unavailable_only_while_its_slot_moves(nodes: Cluster, open_news: OpenStore) -> None:
    store = open_news(redis_deadline=60.0)
    one_node = open_news(redis_url=f"redis://127.0.0.1:{nodes.owner(KEY).port}", redis_deadline=60.0)
    article, (bob, cid) = factories.article(store), factories.users(store, 2)
    target, _ = nodes.others(KEY)
    nodes.begin_move(KEY, target)
    for count in (4, 100, 100):
        nodes.move_keys(KEY, target, count)
        for act in (lambda: store.votes.cast(article.id, bob), lambda: broken(store)):
            with pytest.raises(Unavailable):
                act()
        store.connection.ping()
    target.command("SCRIPT FLUSH")
    nodes.complete_move(KEY, target)
    with pytest.raises(Unavailable):
        one_node.articles.get(article.id)
    assert store.votes.cast(article.id, bob) == 2
    nodes.fail_over(KEY)
    assert store.votes.cast(article.id, cid) == 3
    assert broken(store) == []
    nodes.wait_until_ready()


def test_a_request_counts_once_however_often_it_is_tried_again(nodes: Cluster, open_news: OpenStore) -> None:
    store = open_news(redis_deadline=0.5)
    bob = factories.user(store, "bob")

    def hit() -> TooFast | None:
        pipeline = store.pipeline()
        store.viewers.queue_read(pipeline, Voter(bob.id, bob.name, bob.session))  # runs a script of several keys
        counted = store.limits.queue_hit(pipeline, [(SIGNUP, "bob")])
        pipeline.execute()
        return counted.result

    store.connection.command("LPUSH", store.keys.unread("bob"), "1.1")
    assert hit() is None
    target, _ = nodes.others(KEY)
    nodes.begin_move(KEY, target)
    with pytest.raises(Unavailable):  # TRYAGAIN
        hit()
    unread = store.keys.unread("bob")
    nodes.owner(KEY).command("MIGRATE", "127.0.0.1", target.port, unread, 0, 60_000)
    with pytest.raises(Unavailable):  # ASK
        hit()
    nodes.complete_move(KEY, target)
    assert [hit() is None for _ in range(SIGNUP.burst - 2)] == [True] * (SIGNUP.burst - 3) + [False]


def test_a_scan_of_a_site_that_moves_fails(
    nodes: Cluster, open_news: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanner, "SCAN_COUNT", 1)
    store = open_news(redis_deadline=0.3)
    names = {f"{KEY}known:{number}" for number in range(50)}
    for key in names:
        store.connection.command("SET", key, "")
    store.connection.command("SADD", f"{KEY}groups:", *(f"group{number}" for number in range(1_000)))
    scans = Scanner(store.connection).keys(f"{KEY}known:*"), Scanner(store.connection).members(f"{KEY}groups:")
    for scan in scans:
        next(scan)
    target, _ = nodes.others(KEY)
    nodes.begin_move(KEY, target)
    nodes.move_keys(KEY, target, 10)
    with pytest.raises(Unavailable, match="cannot reach"):
        list(Scanner(store.connection).keys(f"{KEY}known:*"))
    nodes.complete_move(KEY, target)
    for scan in scans:
        with pytest.raises(ServerChanged):
            list(scan)
    assert set(Scanner(store.connection).keys(f"{KEY}known:*")) == names


def test_the_rights_of_the_file_suffice_on_a_cluster(nodes: Cluster, open_news: OpenStore) -> None:
    _, name, *rules = (REDIS / "users.acl").read_text("utf-8").split()
    for node in nodes.nodes:
        node.command("ACL", "SETUSER", name, *rules)
    url = nodes.url.replace("://", f"://{name}:replace-this-password@")
    store = open_news(redis_url=url, wait_replicas=1)
    store.health.wait_until_ready(10.0)
    assert factories.article(store).id == 1
    assert page_ids(store, store.rankings.site(Order.SCORE))
    assert broken(store) == []
    for node in nodes.nodes:
        node.command("ACL", "SETUSER", name, "-cluster|slots")
    with pytest.raises(ConfigError, match=r"refuses us: .*cluster"):
        open_news(redis_url=url).health.wait_until_ready(10.0)


def test_a_nodes_address_is_refused_if_another_has_the_site(nodes: Cluster, open_news: OpenStore) -> None:
    owner, (other, _) = nodes.owner(KEY), nodes.others(KEY)
    with pytest.raises(ConfigError, match=r"Begin VOTEWEB_REDIS_URL with redis\+cluster://"):
        open_news(redis_url=f"redis://127.0.0.1:{other.port}/0").health.refuse_unusable()
    store = open_news(redis_url=f"redis://127.0.0.1:{owner.port}/0")
    store.health.refuse_unusable()
    assert any("is a node of a cluster" in warning for warning in store.health.warnings())
